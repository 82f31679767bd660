/** What builds of one file have in place of the library's threads. */
export function instantiateThreads(): never {
  throw new Error('load: expected one thread, got several');
}

/** In place of the wasm for threads. */
export default '';
