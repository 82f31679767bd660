/**
 * Reads and writes files of weights, without the wasm. `wasm-attention` exports the same functions; this entry is for
 * programs that use `wasm-attention/slim` or need only these.
 *
 * @example
 * import { readSafetensors } from 'wasm-attention/safetensors';
 * const state = readSafetensors(await (await fetch(url)).arrayBuffer());
 * @packageDocumentation
 */
export { readSafetensors, type ReadOptions } from './safetensors/readSafetensors.js';
export { writeSafetensors, type WriteOptions } from './safetensors/writeSafetensors.js';
export type { WeightType } from './check/weightType.js';
export type { Tensor, TensorLike } from './types.js';
