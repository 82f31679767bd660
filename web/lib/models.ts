/**
 * Opens published checkpoints: a config.json and .safetensors files under the names of Hugging Face's transformers, or a
 * GGUF file.
 *
 * @example
 * import { openModel, readCheckpoint } from 'wasm-attention/models';
 * const model = await openModel({ ...(await readCheckpoint(folder)) });
 * const { logits, weights } = model.forward([1, 403, 407], { needWeights: true });
 * @packageDocumentation
 */
import { createOpenModel } from './models/openModel.js';

export { readCheckpoint, type ReadCheckpointOptions } from './models/checkpoint/readCheckpoint.js';
export type * from './models/checkpoint/types.js';
export { drift, type Drift } from './models/drift.js';
export type { OpenModel } from './models/openModel.js';
export { pixelsOf, type Picture, type Pixels } from './models/pictures/pixelsOf.js';
export type * from './models/types.js';
export type * from './worker/modelTypes.js';
export type { Tensor, TensorLike } from './types.js';

/**
 * Opens a checkpoint of one of the families that the guide "Real models" lists. Names of tensors are Hugging Face's,
 * with or without the family's prefix; `gamma` and `beta` mean `weight` and `bias`. A head that predicts tokens or
 * classifies gives `logits`: the one that `config.architectures` names, or, if it names none, the one whose tensors are in the file.
 * If the file has no output matrix for tokens, the embedding's is used where the config ties them.
 *
 * With `attention` from `loadWorker` the model is opened in that worker: its calls return promises, and hooks throw a
 * TypeError.
 *
 * Without `attention` it imports `wasm-attention`. A service worker cannot import files later: pass `attention` there.
 *
 * @throws RangeError that names the tensor or field of the config that is missing, misshapen or not supported, before
 *   any memory is allocated; TypeError for arguments of the wrong kind
 * @example
 * const model = await openModel({ ...(await readCheckpoint('https://example.com/all-MiniLM-L6-v2/')) });
 */
export const openModel = createOpenModel(() => import('./index.js'));
