import { shared } from './shared.js';
import type { Wasm } from './wasm.js';

/** The name of the function that opens models where a module is loaded in a worker. */
export const OPEN_MODEL = Symbol.for(`wasm-attention ${__VERSION__} openModel`);

/** The module behind what `load` returns, for entries that build on it. */
export const loadedModules = shared('cores', () => new WeakMap<object, Wasm>());
