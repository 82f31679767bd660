import type { Wasm } from './wasm.js';

const KEY = Symbol.for(`wasm-attention ${__VERSION__}`);
const shared = globalThis as unknown as Record<symbol, WeakMap<object, Wasm> | undefined>;

/**
 * The wasm behind each loaded module, for entries that build on it. The package's files are bundled apart from each other, so they
 * share this by a name that has the version in it.
 */
export const cores = (shared[KEY] ??= new WeakMap<object, Wasm>());
