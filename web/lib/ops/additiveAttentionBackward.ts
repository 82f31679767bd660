import { toTensorOfShape } from '../check/arrays.js';
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
    const args = placeAdditiveInputs(memory, inputs);
    const gradG = memory.floats(g.data);
    const gradients = tensors.map(({ data }) => memory.reserve(data.length));
    const scratch = memory.reserve(raw.additiveAttentionBackwardScratch(args.place(0)));
    // The order of C++'s AdditiveAttentionGradArgs.
    raw.additiveAttentionBackward(args.place(scratch, [gradG, ...gradients]));
    const read = (at: number): Tensor => ({
      data: memory.read(gradients[at]!, tensors[at]!.data.length),
      shape: [...tensors[at]!.shape],
    });
    return { queries: read(0), keys: read(1), values: read(2), Wq: read(3), Wk: read(4), wv: read(5) };
  });
}
