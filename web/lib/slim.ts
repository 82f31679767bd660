/**
 * wasm-attention with the wasm as a separate file beside this one, found by the `new URL(…, import.meta.url)` pattern that
 * bundlers know (the one for relaxed SIMD where the engine has that, else the plain one), and the layers as another, which is
 * imported while the wasm arrives. Functions for weights' files are in `wasm-attention/safetensors`.
 *
 * @example
 * import { load } from 'wasm-attention/slim';
 * const attention = await load({ layers: false });
 * const { output } = attention.scaledDotProductAttention(Q, K, V, { isCausal: true });
 * @packageDocumentation
 */
import { relaxedSimd } from 'wasm-feature-detect';

import { createLoader, OPERATION, type LoadOptions, type SlimLoadOptions } from './runtime/load.js';
import { operations, type Operations } from './operations.js';
import type { WasmAttention } from './surface.js';
import type { Wasm } from './runtime/wasm.js';

export type * from './api.js';
export type { SlimLoadOptions } from './runtime/load.js';

let core: Wasm;
const loadOperations = createLoader(
  async () =>
    __RELAXED__ && (await relaxedSimd())
      ? new URL('./wasm-attention-relaxed.wasm', import.meta.url)
      : new URL('./wasm-attention.wasm', import.meta.url),
  (wasm) => operations((core = wasm)),
  async () =>
    __RELAXED__ && (await relaxedSimd())
      ? new URL('./wasm-attention-threads-relaxed.wasm', import.meta.url)
      : new URL('./wasm-attention-threads.wasm', import.meta.url),
);
/** What was made of operations that load, or have: nothing of those that failed. */
const completed = new WeakMap<Promise<Operations>, Promise<WasmAttention>>();

/**
 * Compiles and instantiates the module once; later calls return the same promise: one for everything, one for the operations
 * alone. A failed load can be retried.
 *
 * @throws Error, caused by the engine's `WebAssembly.CompileError`, that names SIMD where SIMD is missing; RangeError where a
 *   file does not arrive. A service worker may import nothing later: there `layers` has to be false.
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
    const [operations, { layers }] = await Promise.all([loading, import('./layers.js').catch(explain)]);
    return { ...operations, ...layers(core) };
  } catch (error) {
    completed.delete(loading);
    throw error;
  }
}

function explain(cause: unknown): never {
  const { message } = cause as Error;
  throw new RangeError(`${OPERATION}: expected the file of the layers, got ${message}`, { cause });
}
