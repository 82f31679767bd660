/**
 * Opens published checkpoints: a config.json and .safetensors files under the names of Hugging Face's transformers.
 *
 * @example
 * import { openModel } from 'wasm-attention/models';
 * const model = await openModel({ config, weights });
 * const { logits, weights } = model.forward([1, 403, 407], { needWeights: true });
 * @packageDocumentation
 */
export { openModel } from './models/openModel.js';
export type * from './models/types.js';
export type * from './worker/modelTypes.js';
export type { Tensor, TensorLike } from './types.js';
