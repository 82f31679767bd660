import type { AdditiveAttentionOptions, AdditiveAttentionWeights } from './ops/additive/inputs.js';
import { additiveAttentionBackward, type AdditiveAttentionGradients } from './ops/additiveAttentionBackward.js';
import { relativeShiftBackward, type RelativeShiftBackwardOptions } from './ops/relativeShiftBackward.js';
import type { RotaryOptions } from './ops/rotary/options.js';
import { rotaryEmbeddingBackward } from './ops/rotaryEmbeddingBackward.js';
import { scaledDotProductAttentionBackward } from './ops/scaledDotProductAttentionBackward.js';
import { softmaxCrossEntropy, type CrossEntropyOptions, type CrossEntropyResult } from './ops/softmaxCrossEntropy.js';
import { t5RelativeBiasBackward } from './ops/t5RelativeBiasBackward.js';
import type { T5RelativeBucketsOptions } from './ops/t5RelativeBuckets.js';
import type { Wasm } from './runtime/wasm.js';
import type { AttentionGradients, AttentionOptions, Tensor, TensorLike } from './types.js';

export type { AdditiveAttentionGradients, CrossEntropyOptions, CrossEntropyResult, RelativeShiftBackwardOptions };

/** The operations that only training needs. They are like the others. */
export interface Gradients {
  /**
   * The gradients of sum(output·gradOutput) for the output of scaledDotProductAttention with the same arguments,
   * including the seed of dropout. The weights are computed again, so memory stays O(L + S) with any options.
   *
   * Masked keys and values, and queries that see no key, get gradients of exactly 0. They never change other gradients,
   * even if they are NaN or Infinity. `alibiSlopes` are constants. You can pass the options of the forward call
   * unchanged: `needWeights`, `needScores`, `needLogSumExp` and `out` do nothing here.
   *
   * Dao et al. 2022.
   *
   * @param gradOutput the shape of the output: (…, L, Ev)
   * @returns gradients for query, key and value, and for `bias`, `relativeKeys`, `relativeValues`, `sinks`, `pastKey`
   *   and `pastValue` if given, each with the shape of its tensor
   * @throws RangeError also for a gradOutput of another shape
   * @example
   * const { query: gradQ } = attention.scaledDotProductAttentionBackward(gradOutput, Q, K, V, { isCausal: true });
   */
  scaledDotProductAttentionBackward(
    gradOutput: TensorLike,
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options?: AttentionOptions,
  ): AttentionGradients;

  /**
   * The gradients of sum(output·gradOutput) for the output of additiveAttention with the same arguments. The weights
   * are computed again, so memory is O(L + S). Masked keys and values, and queries that see no key, get gradients of
   * exactly 0 and never change other gradients, even if they are NaN or Infinity.
   *
   * Bahdanau et al. 2014.
   *
   * @param gradOutput (B, L, Dv)
   * @returns gradients for queries, keys, values, Wq, Wk and wv, each in that tensor's shape
   * @throws the same as additiveAttention; RangeError also for a gradOutput of another shape
   * @example
   * const { Wq: gradWq } = attention.additiveAttentionBackward(gradOutput, Q, K, V, { Wq, Wk, wv });
   */
  additiveAttentionBackward(
    gradOutput: TensorLike,
    queries: TensorLike,
    keys: TensorLike,
    values: TensorLike,
    weights: AdditiveAttentionWeights,
    options?: AdditiveAttentionOptions,
  ): AdditiveAttentionGradients;

  /**
   * The gradient with respect to x of sum(rotaryEmbedding(x, options)·gradOutput): rotates every pair back (and
   * multiplies it by yarn's attentionFactor, as in the forward pass).
   *
   * @param gradOutput the shape of x
   * @returns the shape of x
   */
  rotaryEmbeddingBackward(gradOutput: TensorLike, options?: RotaryOptions): Tensor;

  /**
   * The gradient with respect to the table of sum(t5RelativeBias(table, options)·gradBias).
   *
   * @param gradBias (H, L, S)
   * @param options those of t5RelativeBias, and numBuckets (default 32)
   * @returns (numBuckets, H)
   */
  t5RelativeBiasBackward(gradBias: TensorLike, options: T5RelativeBucketsOptions): Tensor;

  /**
   * The gradient with respect to scores of sum(relativeShift(scores)·gradScores).
   *
   * @param gradScores (…, L, L)
   * @returns (…, L, columns)
   */
  relativeShiftBackward(gradScores: TensorLike, options?: RelativeShiftBackwardOptions): Tensor;

  /**
   * The mean of -log softmax(logits)[target] over the rows whose target is not `ignoreIndex`, and its gradient:
   * torch.nn.functional.cross_entropy.
   *
   * @param logits (N, C)
   * @param targets (N,), whole numbers from 0 to C-1, or `ignoreIndex`
   * @returns loss, NaN if no row counts; gradLogits (N, C)
   * @throws RangeError for a target that is not a class
   * @example
   * const { loss, gradLogits } = attention.softmaxCrossEntropy(output, [3, 1, 2]);
   * backward(gradLogits);
   */
  softmaxCrossEntropy(
    logits: TensorLike,
    targets: ArrayLike<number>,
    options?: CrossEntropyOptions,
  ): CrossEntropyResult;
}

/** Binds them to a loaded module. */
export function gradients(wasm: Wasm): Gradients {
  const { unshared = wasm } = wasm;
  return {
    scaledDotProductAttentionBackward: scaledDotProductAttentionBackward.bind(undefined, wasm),
    additiveAttentionBackward: additiveAttentionBackward.bind(undefined, wasm),
    rotaryEmbeddingBackward: rotaryEmbeddingBackward.bind(undefined, unshared),
    t5RelativeBiasBackward,
    relativeShiftBackward,
    softmaxCrossEntropy: softmaxCrossEntropy.bind(undefined, unshared),
  };
}
