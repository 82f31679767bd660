import { toTensorOfShape } from '../check/arrays.js';
import * as AdditiveAttentionGradArgs from '../generated/bindings/additiveAttentionGradArgs.js';
import { words } from '../runtime/args.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';
import {
  checkAdditiveInputs,
  placeAdditiveInputs,
  type AdditiveAttentionOptions,
  type AdditiveAttentionWeights,
} from './additive/inputs.js';

/** What `additiveAttentionBackward` returns: a gradient for each tensor, in its shape. */
export interface AdditiveAttentionGradients {
  queries: Tensor;
  keys: Tensor;
  values: Tensor;
  Wq: Tensor;
  Wk: Tensor;
  wv: Tensor;
}

const OPERATION = 'additiveAttentionBackward';

/** See `WasmAttention.additiveAttentionBackward`. */
export function additiveAttentionBackward(
  { raw, memory }: Wasm,
  gradOutput: TensorLike,
  queries: TensorLike,
  keys: TensorLike,
  values: TensorLike,
  weights: AdditiveAttentionWeights,
  options?: AdditiveAttentionOptions,
): AdditiveAttentionGradients {
  const inputs = checkAdditiveInputs(OPERATION, queries, keys, values, weights, options);
  const { batch, queryCount, valueWidth, tensors } = inputs;
  const g = toTensorOfShape(OPERATION, 'gradOutput', gradOutput, [batch, queryCount, valueWidth]);
  return memory.scope(OPERATION, () => {
    placeAdditiveInputs(memory, inputs);
    words[AdditiveAttentionGradArgs.gradOutput] = memory.floats(g.data);
    const addresses = [
      AdditiveAttentionGradArgs.gradQuery,
      AdditiveAttentionGradArgs.gradKey,
      AdditiveAttentionGradArgs.gradValue,
      AdditiveAttentionGradArgs.gradWeightQuery,
      AdditiveAttentionGradArgs.gradWeightKey,
      AdditiveAttentionGradArgs.gradWeightVector,
    ].map((field, i) => (words[field] = memory.reserve(tensors[i]!.data.length)));
    if (g.data.length > 0) {
      memory.run(raw.additiveAttentionBackward);
    } else {
      // All gradients are zeros, and there may be billions of queries to loop over.
      addresses.forEach((address, i) => memory.clear(address, tensors[i]!.data.length));
    }
    const [queries, keys, values, Wq, Wk, wv] = addresses.map((address, i) =>
      memory.tensor(address, tensors[i]!.shape),
    ) as [Tensor, Tensor, Tensor, Tensor, Tensor, Tensor];
    return { queries, keys, values, Wq, Wk, wv };
  });
}
