/**
 * What `wasm-attention/anywidget` has in place of the library's threads: figures compute on one, and the file needs no
 * other.
 */
export function instantiateThreads(): never {
  throw new Error('load: expected one thread, got several');
}
