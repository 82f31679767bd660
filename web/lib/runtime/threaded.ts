import { instantiateThreads } from './threads.js';

/** What `load` needs for several threads, with the plain wasm. */
export const threaded = () => ({
  instantiateThreads,
  wasm: new URL('../../../build/wasm/wasm-attention-threads.wasm', import.meta.url),
});
