/**
 * wasm-attention in several files. The wasm is next to this file, and bundlers find it by the pattern `new URL(…,
 * import.meta.url)`. There is one for relaxed SIMD, if the engine supports that, and a plain one. Layers and gradients
 * are a separate file, which is imported while the wasm loads. `wasm-attention/safetensors` reads and writes files of
 * weights.
 *
 * @example
 * import { load } from 'wasm-attention/slim';
 * const attention = await load({ layers: false });
 * const { output } = attention.scaledDotProductAttention(Q, K, V, { isCausal: true });
 * @packageDocumentation
 */
import { relaxedSimd } from 'wasm-feature-detect';

import { failed } from './check/values.js';
import { createLoader, OPERATION, SLIM_LOAD_OPTIONS, type LoadOptions, type SlimLoadOptions } from './runtime/load.js';
import { operations, type Operations } from './operations.js';
import { loadedModules } from './runtime/cores.js';
import type { WasmAttention } from './surface.js';

export type * from './api.js';
export type { SlimLoadOptions } from './runtime/load.js';

const loadOperations = createLoader(
  async () =>
    __RELAXED__ && (await relaxedSimd())
      ? new URL('./wasm-attention-relaxed.wasm', import.meta.url)
      : new URL('./wasm-attention.wasm', import.meta.url),
  (wasm) => {
    const bound = operations(wasm);
    loadedModules.set(bound, wasm);
    return bound;
  },
  SLIM_LOAD_OPTIONS,
  async () =>
    __RELAXED__ && (await relaxedSimd())
      ? new URL('./wasm-attention-threads-relaxed.wasm', import.meta.url)
      : new URL('./wasm-attention-threads.wasm', import.meta.url),
);
/** The operations with the layers, for each load of the operations that has not failed. */
const completed = new WeakMap<Promise<Operations>, Promise<WasmAttention>>();

/**
 * Compiles and instantiates the module once. Later calls return the same promise: one for everything, another for only
 * the operations. A failed load can be retried. A service worker cannot import files later, so `layers` has to be false
 * there.
 *
 * @throws RangeError if a file does not arrive, or in an engine without WebAssembly SIMD; its cause is the engine's
 *   error
 */
export function load(options?: LoadOptions & { layers?: true }): Promise<WasmAttention>;
export function load(options?: SlimLoadOptions): Promise<Operations>;
export function load(options?: SlimLoadOptions): Promise<Operations> {
  const loading = loadOperations(options);
  if (options?.layers === false) return loading;
  let complete = completed.get(loading);
  if (!complete) {
    complete = addLayers(loading);
    completed.set(loading, complete);
  }
  return complete;
}

async function addLayers(loading: Promise<Operations>): Promise<WasmAttention> {
  try {
    const [operations, beside] = await Promise.all([loading, import('./layers.js').catch(explain)]);
    const wasm = loadedModules.get(operations)!;
    const all = {
      ...operations,
      ...beside.sequenceOperations(wasm),
      ...beside.gradients(wasm),
      ...beside.layers(wasm),
    };
    loadedModules.set(all, wasm);
    return all;
  } catch (error) {
    completed.delete(loading);
    throw error;
  }
}

function explain(cause: unknown): never {
  return failed(OPERATION, 'the file of the layers', (cause as Error).message, cause);
}
