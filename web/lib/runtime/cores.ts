import type { Tools } from '../check/tools.js';
import { shared } from './shared.js';
import type { Wasm } from './wasm.js';

/** The name of the function that opens models where a module is loaded in a worker. */
export const OPEN_MODEL = Symbol.for(`wasm-attention ${__VERSION__} openModel`);

/** What is behind a loaded module, for entries that build on it. */
export interface Core {
  readonly wasm: Wasm;
  readonly tools: Tools;
}

export const cores = shared('cores', () => new WeakMap<object, Core>());
