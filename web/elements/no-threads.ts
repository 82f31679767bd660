/** Replaces the library's threads in single-file builds. */
export function instantiateThreads(): never {
  throw new Error('load: expected one thread, got several');
}

/** Replaces the wasm for threads. */
export default '';
