import type { Known } from './check/options.js';
import type { WasmSource } from './runtime/compile.js';

export interface LoadOptions {
  /**
   * The wasm to use instead of the package's own, plain or for relaxed SIMD: for streaming compilation, a CSP, a
   * service worker or tests.
   */
  wasm?: WasmSource;
  /**
   * How many threads share the work of a call, including the caller's: 1 to 64, default 1. More than one thread needs
   * SharedArrayBuffer (in browsers: cross-origin isolation) and loads another wasm of the package. If either is
   * missing, or with the option `wasm`, one thread is used; `features.threads` is then 1, and the console says why.
   * Results are the same to the bit for any number of threads. Only the first call of `load` and calls with `fresh`
   * set the number.
   */
  threads?: number;
  /**
   * Whether to make a new instance, with its own memory and threads, after an error that asks for it or after a thread
   * has died. Later calls return the new one; layers that the old one made keep using the old one. Default false.
   */
  fresh?: boolean;
}

/** The options of `wasm-attention/slim`. */
export interface SlimLoadOptions extends LoadOptions {
  /** Has no effect: layers are always there. */
  layers?: boolean;
}

export const LOAD_OPTIONS: Known<LoadOptions> = { wasm: 1, threads: 1, fresh: 1 };
export const SLIM_LOAD_OPTIONS: Known<SlimLoadOptions> = { ...LOAD_OPTIONS, layers: 1 };
