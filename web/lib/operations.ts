import type { AdditiveAttentionOptions, AdditiveAttentionWeights } from './ops/additive/inputs.js';
import type { RotaryOptions } from './ops/rotary/options.js';
import type { AttentionGradients, AttentionOptions, AttentionResult, Tensor, TensorLike, ValidLens } from './types.js';
import type { Wasm } from './runtime/wasm.js';
import { tensor } from './ops/tensor.js';
import { scaledDotProductAttention } from './ops/scaledDotProductAttention.js';
import { maskedSoftmax } from './ops/maskedSoftmax.js';
import { additiveAttention, type AdditiveAttentionResult } from './ops/additiveAttention.js';
import { sinusoidalEncoding, type SinusoidalOptions } from './ops/sinusoidalEncoding.js';
import { sinusoidalEncoding2d, type Sinusoidal2dOptions } from './ops/sinusoidalEncoding2d.js';
import { encodingRotation, type EncodingRotationOptions } from './ops/encodingRotation.js';
import { rotaryEmbedding } from './ops/rotaryEmbedding.js';
import { alibiSlopes } from './ops/alibiSlopes.js';
import { alibiBias, type AlibiBiasOptions } from './ops/alibiBias.js';
import { t5RelativeBuckets, type T5RelativeBucketsOptions } from './ops/t5RelativeBuckets.js';
import { t5RelativeBias, type T5RelativeBiasOptions } from './ops/t5RelativeBias.js';
import { relativeShift } from './ops/relativeShift.js';
import { gelu, type GeluOptions } from './ops/gelu.js';
import { silu } from './ops/silu.js';
import { matmul } from './ops/matmul.js';
import { complexity, type Architecture, type Complexity, type ComplexitySize } from './ops/complexity.js';
import { conv1d, type Conv1dOptions } from './ops/conv1d.js';
import { rnn, type RnnOptions, type RnnResult, type RnnWeights } from './ops/rnn.js';
import { additiveAttentionBackward, type AdditiveAttentionGradients } from './ops/additiveAttentionBackward.js';
import { relativeShiftBackward, type RelativeShiftBackwardOptions } from './ops/relativeShiftBackward.js';
import { rotaryEmbeddingBackward } from './ops/rotaryEmbeddingBackward.js';
import { scaledDotProductAttentionBackward } from './ops/scaledDotProductAttentionBackward.js';
import { softmaxCrossEntropy, type CrossEntropyOptions, type CrossEntropyResult } from './ops/softmaxCrossEntropy.js';
import { t5RelativeBiasBackward } from './ops/t5RelativeBiasBackward.js';

export type {
  AdditiveAttentionGradients,
  AdditiveAttentionOptions,
  AdditiveAttentionResult,
  AdditiveAttentionWeights,
  AlibiBiasOptions,
  Architecture,
  Complexity,
  ComplexitySize,
  Conv1dOptions,
  CrossEntropyOptions,
  CrossEntropyResult,
  EncodingRotationOptions,
  GeluOptions,
  RelativeShiftBackwardOptions,
  RnnOptions,
  RnnResult,
  RnnWeights,
  RotaryOptions,
  Sinusoidal2dOptions,
  SinusoidalOptions,
  T5RelativeBiasOptions,
  T5RelativeBucketsOptions,
};

/**
 * The operations of a loaded module: pure functions of plain data. Inputs are never modified, results are fresh copies,
 * and there is nothing to free. B is the batch, H the heads, L the queries, S the keys, E the head width, Ev the value
 * width, D the model width.
 *
 * Wrong arguments throw before anything is computed: a `TypeError` for a wrong kind or an option that does not exist, a
 * `RangeError` for a wrong value or shape. The message reads `operation: expected …, got …`. If memory runs out, the
 * operation throws a `RangeError` with the byte count, and the module stays usable.
 */
export interface Operations {
  /** The package's version. */
  readonly version: string;
  /** `simd` is 'simd128' or 'relaxed-simd', `threads` the number of threads in use. */
  readonly features: { readonly simd: string; readonly threads: number };

  /** Makes a tensor: `tensor([[1, 2], [3, 4]])` or `tensor(data, shape)`. Checks and copies the data. */
  tensor(data: TensorLike | ArrayLike<number>, shape?: readonly number[]): Tensor;

  /**
   * softmax(scale·QKᵀ + …)·V.
   *
   * Order: scale → softcap → bias and relative terms → masks → softmax → dropout → weighted sum of values. A key is
   * visible if all masks allow it; biases are added up. A query that sees no key gets zeros, never NaN, and a logSumExp
   * of -Infinity, or of its head's sink. Masked keys and values never change the result, even if they are NaN or
   * Infinity.
   *
   * Vaswani et al. 2017; blocks as in Dao et al. 2022.
   *
   * @param query (…, L, E) of rank 2, 3 (B, ·, ·) or 4 (B, H, ·, ·)
   * @param key (…, S, E); with rank 4 the query may have a multiple of the key's heads (grouped-query attention: query
   *   head h reads key head floor(h / (H/Hkv)))
   * @param value (…, S, Ev)
   * @returns output with the query's rank, and the results that the options request
   * @example
   * const { output, weights } = attention.scaledDotProductAttention(Q, K, V, { validLens: [3, 2], needWeights: true });
   */
  scaledDotProductAttention(
    query: TensorLike,
    key: TensorLike,
    value: TensorLike,
    options?: AttentionOptions,
  ): AttentionResult;

  /**
   * Softmax over the last axis with d2l's valid lengths. -Infinity is masked; a row without valid keys becomes zeros.
   *
   * @param scores (L, S), (B, L, S) or (B, H, L, S)
   * @param validLens (B,) or (B, L)
   * @example
   * attention.maskedSoftmax([[[1, 2, 3]]], [2]); // data: [0.27, 0.73, 0]
   */
  maskedSoftmax(scores: TensorLike, validLens?: ValidLens): Tensor;

  /**
   * Attention with the score wv·tanh(Wq·q + Wk·k) for query q and key k, which may differ in width: d2l's
   * AdditiveAttention, without dropout. A query that sees no key gets zeros. Masked keys and values never change the
   * result, even if they are NaN or Infinity. No (L, S, D) tensor is stored. The relative error of tanh is below 3e-7.
   *
   * Bahdanau et al. 2014; d2l.ai, section "Attention Scoring Functions".
   *
   * @param queries (B, L, Dq)
   * @param keys (B, S, Dk)
   * @param values (B, S, Dv)
   * @param weights Wq (D, Dq), Wk (D, Dk), wv (1, D), D at least 1
   * @param options validLens (B,) or (B, L); default: every key is visible
   * @returns output (B, L, Dv) and weights (B, L, S)
   * @throws TypeError for arguments that are not tensors, and if weights or options are not an object; RangeError for
   *   shapes that do not fit and for lengths that are negative or not whole
   * @example
   * const { output, weights } = attention.additiveAttention(Q, K, V, { Wq, Wk, wv }, { validLens: [2, 6] });
   */
  additiveAttention(
    queries: TensorLike,
    keys: TensorLike,
    values: TensorLike,
    weights: AdditiveAttentionWeights,
    options?: AdditiveAttentionOptions,
  ): AdditiveAttentionResult;

  /**
   * P: sin and cos of position·base^(-2j/dim), exact to float32 (half an ulp + 1e-8) at any position up to 2^24. An odd
   * width ends with a sine. Vaswani et al. 2017, section 3.5.
   *
   * @returns (length, dim)
   * @throws RangeError also if an angle would reach 2^30, which is possible only with a base below 1 or a position of
   *   2^30 or more
   * @example
   * attention.sinusoidalEncoding({ length: 60, dim: 32 }); // the textbook's heat map
   */
  sinusoidalEncoding(options: SinusoidalOptions): Tensor;

  /**
   * The encoding of image patches, row by row. Half of the width encodes a patch's row, as `sinusoidalEncoding` does,
   * and the other half its column. Parmar et al. 2018.
   *
   * @returns (height·width, dim); dim a multiple of 4
   * @example
   * attention.sinusoidalEncoding2d({ height: 14, width: 14, dim: 768 });
   */
  sinusoidalEncoding2d(options: Sinusoidal2dOptions): Tensor;

  /**
   * The matrices M_j = [[cos, sin], [-sin, cos]] of delta·base^(-2j/dim): M_j·(p_{i,2j}, p_{i,2j+1}) =
   * (p_{i+delta,2j}, p_{i+delta,2j+1}) for every position i.
   *
   * @returns (dim/2, 2, 2)
   * @example
   * attention.encodingRotation({ delta: 5, dim: 32 });
   */
  encodingRotation(options: EncodingRotationOptions): Tensor;

  /**
   * RoPE: rotates the j-th pair (a, b) of row i by θ = position_i·base^(-2j/rotaryDim) into (a·cos θ - b·sin θ, b·cos θ
   * + a·sin θ). The product of a rotated query and a rotated key depends on their positions only through the distance.
   * Sines and cosines are exact to float32 (half an ulp + 1e-8) at any position up to 2^24.
   *
   * Su et al. 2021; ONNX's RotaryEmbedding, opset 23.
   *
   * @param x (…, n, d); with positions (B, n) it has at least three axes, of which the first is B
   * @returns the shape of x
   * @throws RangeError also for a rotary width that is odd or larger than d, and for tables that are too short for the
   *   positions
   * @example
   * const rotated = attention.rotaryEmbedding(queries, { offset: past, interleaved: true });
   */
  rotaryEmbedding(x: TensorLike, options?: RotaryOptions): Tensor;

  /**
   * ALiBi's slopes: 2^(-8h/H) for heads h = 1 … H. If H is not a power of two, the slopes for the largest power of two
   * P below H are followed by every other slope for 2P. Pass them as attention's option `alibiSlopes`, which builds no
   * bias. Press et al. 2022.
   *
   * @returns (numHeads,)
   * @example
   * attention.alibiSlopes(8); // 1/2, 1/4 … 1/256
   */
  alibiSlopes(numHeads: number): Tensor;

  /**
   * ALiBi's bias, -slope·(i + offset - j), as a tensor. Attention's option `alibiSlopes` adds the same. Press et al.
   * 2022.
   *
   * @returns (H, L, S)
   * @example
   * attention.alibiBias({ numHeads: 8, queryLength: 60 });
   */
  alibiBias(options: AlibiBiasOptions): Tensor;

  /**
   * T5's bucket of each distance j - (i + offset). Small distances have a bucket each; larger ones share buckets on a
   * logarithmic scale, with the float32 logarithm that checkpoints were trained with. Raffel et al. 2020.
   *
   * @returns (L, S), within 0 … numBuckets-1
   * @example
   * attention.t5RelativeBuckets({ queryLength: 60 });
   */
  t5RelativeBuckets(options: T5RelativeBucketsOptions): Tensor<Int32Array>;

  /**
   * Looks up a learned bias for each head and distance, to be passed as attention's option `bias`. Raffel et al. 2020.
   *
   * @param table (numBuckets, H)
   * @returns (H, L, S)
   * @example
   * const bias = attention.t5RelativeBias(table, { queryLength: 60 });
   */
  t5RelativeBias(table: TensorLike, options: T5RelativeBiasOptions): Tensor;

  /**
   * The "skewing" of Music Transformer, which turns scores for each relative position into scores for each key. Entry
   * (i, j) of the result is entry (i, L-1 + j-i) of the input, so column L-1 is distance 0. If the input has only L
   * columns, keys ahead of a query get 0. Huang et al. 2018.
   *
   * @param scores (…, L, L) or (…, L, 2L-1)
   * @returns (…, L, L)
   * @example
   * const bias = attention.relativeShift(queriesTimesTable);
   */
  relativeShift(scores: TensorLike): Tensor;

  /**
   * The product of two matrices, or of each of two stacks of matrices: numpy.matmul for rank 2 to 4.
   *
   * @param a (…, L, E) of rank 2, 3 or 4
   * @param b (…, E, S) of rank 2, 3 or 4; leading axes broadcast
   * @returns (…, L, S)
   * @throws RangeError for shapes that do not fit
   * @example
   * const scores = attention.matmul(Q, keysTransposed); // (2, 4, 8) times (2, 8, 5) is (2, 4, 5)
   */
  matmul(a: TensorLike, b: TensorLike): Tensor;

  /**
   * x·Φ(x) for each element, where Φ is the standard normal CDF: torch.nn.functional.gelu. The error is at most
   * 2.5e-7·|x|, also for the 'tanh' approximation. Hendrycks and Gimpel 2016.
   *
   * @param x any shape
   * @example
   * attention.gelu([-1, 0, 1]); // data: [-0.159, 0, 0.841]
   */
  gelu(x: TensorLike, options?: GeluOptions): Tensor;

  /**
   * x / (1 + e^-x) for each element: torch.nn.functional.silu.
   *
   * @param x any shape
   * @example
   * attention.silu([-1, 0, 1]); // data: [-0.269, 0, 0.731]
   */
  silu(x: TensorLike): Tensor;

  /**
   * torch.nn.functional.conv1d: cross-correlation along the last axis.
   *
   * @param x (B, Cin, n)
   * @param weight (Cout, Cin/groups, k)
   * @returns (B, Cout, floor((n + 2·padding - dilation·(k-1) - 1) / stride) + 1)
   * @example
   * attention.conv1d(x, weight, { padding: 1 }); // k = 3: as many tokens out as in
   */
  conv1d(x: TensorLike, weight: TensorLike, options?: Conv1dOptions): Tensor;

  /**
   * torch.nn.RNN, one layer, batch first: h_t = tanh(W_ih·x_t + b_ih + W_hh·h_{t-1} + b_hh). Elman 1990.
   *
   * @param x (B, n, Din)
   * @returns output (B, n, D) and finalState (B, D)
   * @example
   * const { output, finalState } = attention.rnn(x, { weightIh, weightHh });
   */
  rnn(x: TensorLike, weights: RnnWeights, options?: RnnOptions): RnnResult;

  /**
   * The cost of a layer that maps n tokens of width d to n tokens of width d, in numbers and as asymptotic classes. It
   * does not use the wasm.
   *
   * multiplyAdds counts the work of `conv1d`, `rnn` or `scaledDotProductAttention` (one head) for one sequence, without
   * biases and pointwise functions: 'cnn' k·n·d² (including padding, with d channels in and out), 'rnn' 2·n·d² (d² for
   * the token, d² for the state), 'self-attention' 2·n²·d (n²·d for QKᵀ, n²·d for the weights times V; the four
   * projections of MultiHeadAttention would add 4·n·d²).
   *
   * maximumPathLength is the number of layers (cnn, self-attention) or steps (rnn) after which some output depends on
   * both the first and the last token. For a cnn it is ceil((n-1)/(k-1)), so two layers with k = 3 connect x1 and x5,
   * or Infinity for k = 1 and n > 1.
   *
   * Vaswani et al. 2017, table 1; d2l.ai, section "Self-Attention and Positional Encoding".
   *
   * @param size n tokens of width d; k (default 3) is the width of a cnn's kernel
   * @example
   * attention.complexity('self-attention', { n: 512, d: 64 }).order.computation; // 'O(n²·d)'
   */
  complexity(architecture: Architecture, size: ComplexitySize): Complexity;

  /**
   * The gradients of sum(output·gradOutput) for the output of scaledDotProductAttention with the same arguments,
   * including the seed of dropout. The weights are recomputed, so memory stays O(L + S) with any options.
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
   * are recomputed, so memory is O(L + S). Masked keys and values, and queries that see no key, get gradients of
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
   * @param options the options of t5RelativeBias, and numBuckets (default 32)
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

/** Binds every operation to a loaded module. */
export function operations(wasm: Wasm): Operations {
  const { unshared = wasm } = wasm;
  return {
    version: __VERSION__,
    features: wasm.features,
    tensor,
    scaledDotProductAttention: scaledDotProductAttention.bind(undefined, wasm),
    maskedSoftmax: maskedSoftmax.bind(undefined, unshared),
    additiveAttention: additiveAttention.bind(undefined, wasm),
    sinusoidalEncoding: sinusoidalEncoding.bind(undefined, unshared),
    sinusoidalEncoding2d: sinusoidalEncoding2d.bind(undefined, unshared),
    encodingRotation: encodingRotation.bind(undefined, unshared),
    rotaryEmbedding: rotaryEmbedding.bind(undefined, unshared),
    alibiSlopes,
    alibiBias,
    t5RelativeBuckets,
    t5RelativeBias,
    relativeShift,
    matmul: matmul.bind(undefined, wasm),
    gelu: gelu.bind(undefined, wasm),
    silu: silu.bind(undefined, wasm),
    conv1d: conv1d.bind(undefined, wasm),
    rnn: rnn.bind(undefined, wasm),
    complexity,
    scaledDotProductAttentionBackward: scaledDotProductAttentionBackward.bind(undefined, wasm),
    additiveAttentionBackward: additiveAttentionBackward.bind(undefined, wasm),
    rotaryEmbeddingBackward: rotaryEmbeddingBackward.bind(undefined, unshared),
    t5RelativeBiasBackward,
    relativeShiftBackward,
    softmaxCrossEntropy: softmaxCrossEntropy.bind(undefined, unshared),
  };
}
