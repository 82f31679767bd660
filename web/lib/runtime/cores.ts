import type { Wasm } from './wasm.js';

const KEY = Symbol.for(`wasm-attention ${__VERSION__}`);

function shared(): WeakMap<object, Wasm> {
  const found = (globalThis as unknown as Record<symbol, WeakMap<object, Wasm> | undefined>)[KEY];
  if (found) return found;
  const value = new WeakMap<object, Wasm>();
  // Not an assignment, which would throw where globals are frozen.
  Reflect.defineProperty(globalThis, KEY, { value });
  return value;
}

/** The name of the function that opens models where a module is loaded in a worker. */
export const OPEN_MODEL = Symbol.for(`wasm-attention ${__VERSION__} openModel`);

/**
 * The wasm behind each loaded module, for entries that build on it. The package's files are bundled apart from each other, so they
 * share this by a name that has the version in it.
 */
export const cores = shared();
