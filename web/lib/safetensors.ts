/**
 * Weights' files by themselves: what `wasm-attention` exports beside `load`, for whoever loads from `wasm-attention/slim`, or
 * only reads and writes files. No wasm is needed for it.
 *
 * @example
 * import { readSafetensors } from 'wasm-attention/safetensors';
 * const state = readSafetensors(await (await fetch(url)).arrayBuffer());
 * @packageDocumentation
 */
export { readSafetensors } from './safetensors/readSafetensors.js';
export { writeSafetensors } from './safetensors/writeSafetensors.js';
export type { Tensor, TensorLike } from './types.js';
