import * as AdditiveAttentionArgs from '../generated/bindings/additiveAttentionArgs.js';
import { words } from '../runtime/args.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';
import {
  checkAdditiveInputs,
  placeAdditiveInputs,
  type AdditiveAttentionOptions,
  type AdditiveAttentionWeights,
} from './additive/inputs.js';

/** What `additiveAttention` returns. */
export interface AdditiveAttentionResult {
  /** (B, L, Dv) */
  output: Tensor;
  /** (B, L, S): each query's weights. They sum to 1, or are zeros if the query sees no key. */
  weights: Tensor;
}

const OPERATION = 'additiveAttention';

/** See `WasmAttention.additiveAttention`. */
export function additiveAttention(
  { raw, memory }: Wasm,
  queries: TensorLike,
  keys: TensorLike,
  values: TensorLike,
  weights: AdditiveAttentionWeights,
  options?: AdditiveAttentionOptions,
): AdditiveAttentionResult {
  const inputs = checkAdditiveInputs(OPERATION, queries, keys, values, weights, options);
  const { batch, queryCount, keyCount, valueWidth } = inputs;
  return memory.scope(OPERATION, () => {
    const outputSize = batch * queryCount * valueWidth;
    const weightsSize = batch * queryCount * keyCount;
    placeAdditiveInputs(memory, inputs);
    const output = (words[AdditiveAttentionArgs.output] = memory.reserve(outputSize));
    const mixed = (words[AdditiveAttentionArgs.weights] = memory.reserve(weightsSize));
    // Empty results may have billions of rows to loop over.
    if (outputSize + weightsSize > 0) memory.run(raw.additiveAttention);
    return {
      output: memory.tensor(output, [batch, queryCount, valueWidth]),
      weights: memory.tensor(mixed, [batch, queryCount, keyCount]),
    };
  });
}
