/**
 * wasm-attention with the wasm in its own file, which bundlers find by the pattern `new URL(…, import.meta.url)`.
 * There is one for relaxed SIMD, if the engine supports that, and a plain one. `wasm-attention/safetensors` reads and
 * writes files of weights.
 *
 * @example
 * import { load } from 'wasm-attention/slim';
 * const attention = await load();
 * const { output } = attention.scaledDotProductAttention(Q, K, V, { isCausal: true });
 * @packageDocumentation
 */
import { relaxedSimd } from 'wasm-feature-detect';

import { failed } from './check/values.js';
import { createLoader } from './load.js';
import { SLIM_LOAD_OPTIONS } from './loadOptions.js';

export type * from './api.js';
export type { SlimLoadOptions } from './loadOptions.js';

/**
 * Compiles and instantiates the module once; later calls return the same promise. A failed load can be retried.
 *
 * @throws RangeError if the wasm does not arrive, or in an engine without WebAssembly SIMD; its cause is the engine's
 *   error
 */
export const load = createLoader(
  async () => {
    const relaxed = await relaxedSimd();
    try {
      return relaxed
        ? new URL('../../build/wasm/wasm-attention-relaxed.wasm', import.meta.url)
        : new URL('../../build/wasm/wasm-attention.wasm', import.meta.url);
    } catch (cause) {
      // A bundle of CommonJS has no import.meta.url, an AudioWorklet no URL.
      return failed('load', 'import.meta.url or the option wasm', (cause as Error).message, cause);
    }
  },
  async () => {
    const [{ instantiateThreads }, relaxed] = await Promise.all([import('./runtime/threads.js'), relaxedSimd()]);
    const wasm = relaxed
      ? new URL('../../build/wasm/wasm-attention-threads-relaxed.wasm', import.meta.url)
      : new URL('../../build/wasm/wasm-attention-threads.wasm', import.meta.url);
    return { instantiateThreads, wasm };
  },
  SLIM_LOAD_OPTIONS,
);
