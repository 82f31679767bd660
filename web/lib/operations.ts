import type { AdditiveAttentionOptions, AdditiveAttentionWeights } from './ops/additive/inputs.js';
import type { RotaryOptions } from './ops/rotary/options.js';
import type {
  AttentionGradients,
  AttentionOptions,
  AttentionResult,
  Tensor,
  TensorLike,
  ValidLens,
} from './types.js';
import type { Wasm } from './runtime/wasm.js';
import { tensor } from './ops/tensor.js';
import { scaledDotProductAttention } from './ops/scaledDotProductAttention.js';
import { scaledDotProductAttentionBackward } from './ops/scaledDotProductAttentionBackward.js';
import { maskedSoftmax } from './ops/maskedSoftmax.js';
import { additiveAttention, type AdditiveAttentionResult } from './ops/additiveAttention.js';
import {
  additiveAttentionBackward,
  type AdditiveAttentionGradients,
} from './ops/additiveAttentionBackward.js';
import { sinusoidalEncoding, type SinusoidalOptions } from './ops/sinusoidalEncoding.js';
import { sinusoidalEncoding2d, type Sinusoidal2dOptions } from './ops/sinusoidalEncoding2d.js';
import { encodingRotation, type EncodingRotationOptions } from './ops/encodingRotation.js';
import { rotaryEmbedding } from './ops/rotaryEmbedding.js';
import { rotaryEmbeddingBackward } from './ops/rotaryEmbeddingBackward.js';
import { alibiSlopes } from './ops/alibiSlopes.js';
import { alibiBias, type AlibiBiasOptions } from './ops/alibiBias.js';
import { t5RelativeBuckets, type T5RelativeBucketsOptions } from './ops/t5RelativeBuckets.js';
import { t5RelativeBias, type T5RelativeBiasOptions } from './ops/t5RelativeBias.js';
import { t5RelativeBiasBackward } from './ops/t5RelativeBiasBackward.js';
import { relativeShift } from './ops/relativeShift.js';
import { relativeShiftBackward, type RelativeShiftBackwardOptions } from './ops/relativeShiftBackward.js';
import { conv1d, type Conv1dOptions } from './ops/conv1d.js';
import { rnn, type RnnOptions, type RnnResult, type RnnWeights } from './ops/rnn.js';
import { complexity, type Architecture, type Complexity, type ComplexitySize } from './ops/complexity.js';
import {
  softmaxCrossEntropy,
  type CrossEntropyOptions,
  type CrossEntropyResult,
} from './ops/softmaxCrossEntropy.js';

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
 * The operations of a loaded module: pure functions, plain data. Inputs are never modified, results are fresh copies, there
 * is nothing to free. B batch, H heads, L queries, S keys, E head width, Ev value width, D model width.
 *
 * A mistake of the caller throws before anything is computed: `TypeError` for a wrong kind, `RangeError` for a wrong value
 * or shape, with a message that reads `operation: expected …, got …`. Where memory runs out it is a `RangeError` with the
 * byte count, and the module stays usable.
 */
export interface Operations {
  /** The package's version. */
  readonly version: string;
  /** 'simd128' or 'relaxed-simd'; the number of threads in use. */
  readonly features: { readonly simd: string; readonly threads: number };

  /** Checks and copies. `tensor([[1, 2], [3, 4]])` or `tensor(data, shape)`. */
  tensor(data: TensorLike | ArrayLike<number>, shape?: readonly number[]): Tensor;

  /**
   * softmax(scale·QKᵀ + …)·V.
   *
   * Order: scale → softcap → bias and relative terms → masks → softmax → dropout → value mix. Masks compose by AND; biases
   * add. A query that may attend to nothing gets zeros, never NaN, and a logSumExp of -Infinity; masked keys and values are
   * never read, so NaN or Infinity in padding does not leak.
   *
   * Vaswani et al. 2017; Dao et al. 2022 for the tiling.
   *
   * @param query (…, L, E) of rank 2, 3 (B, ·, ·) or 4 (B, H, ·, ·)
   * @param key (…, S, E); with rank 4 the query may have a multiple of the key's heads (grouped-query attention: query head
   *   h reads key head floor(h / (H/Hkv)))
   * @param value (…, S, Ev)
   * @returns output with the query's rank, and what the options asked for
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
   * The gradients of sum(output·gradOutput) for the output of scaledDotProductAttention with the same arguments, dropout's
   * seed included. The weights are recomputed, so that memory stays O(L + S), whatever the options.
   *
   * What is masked has a gradient of exactly 0 and, whatever it holds, does not reach other gradients; so has a query that may
   * attend to nothing. `needWeights`, `needScores`, `needLogSumExp` and `out` are accepted and do nothing, so that the
   * options of the forward call can be handed on as they are. `alibiSlopes` count as constants.
   *
   * Dao et al. 2022.
   *
   * @param gradOutput the shape of the output: (…, L, Ev)
   * @returns gradients for query, key and value, and for `bias`, `relativeKeys`, `relativeValues`, `pastKey` and `pastValue`
   *   where given, each in that tensor's own shape
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
   * Softmax over the last axis with d2l's valid lengths. -Infinity is masked; a row of no valid key is zeros.
   *
   * @param scores (L, S), (B, L, S) or (B, H, L, S)
   * @param validLens (B,) or (B, L)
   * @example
   * attention.maskedSoftmax([[[1, 2, 3]]], [2]); // data: [0.27, 0.73, 0]
   */
  maskedSoftmax(scores: TensorLike, validLens?: ValidLens): Tensor;

  /**
   * Attention whose score of a query and a key is wv·tanh(Wq·q + Wk·k), so that they may differ in width: d2l's
   * AdditiveAttention, without dropout. A query that may attend to nothing gets zeros; masked keys and values never reach
   * the result, so NaN or Infinity in padding does not leak. No (L, S, D) tensor is stored. tanh is exact to 3e-7.
   *
   * Bahdanau et al. 2014; d2l.ai, section "Attention Scoring Functions".
   *
   * @param queries (B, L, Dq)
   * @param keys (B, S, Dk)
   * @param values (B, S, Dv)
   * @param weights Wq (D, Dq), Wk (D, Dk), wv (1, D), D at least 1
   * @param options validLens (B,) or (B, L); default: every key is visible
   * @returns output (B, L, Dv) and weights (B, L, S)
   * @throws TypeError for what is no tensor, no object of weights or no options; RangeError for shapes that do not fit and
   *   lengths that are negative or not whole
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
   * The gradients of sum(output·gradOutput) for the output of additiveAttention with the same arguments. The weights are
   * recomputed: memory is O(L + S). What is masked has a gradient of exactly 0 and, whatever it holds, does not reach other
   * gradients; so has a query that may attend to nothing.
   *
   * Bahdanau et al. 2014.
   *
   * @param gradOutput (B, L, Dv)
   * @returns gradients for queries, keys, values, Wq, Wk and wv, each in that tensor's shape
   * @throws as additiveAttention; RangeError also for a gradOutput of another shape
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
   * P: sin and cos of position·base^(-2j/dim), exact to float32 (half an ulp + 1e-8) at any position up to 2^24. An odd
   * width has one sine more than cosines. Vaswani et al. 2017, section 3.5.
   *
   * @returns (length, dim)
   * @throws RangeError also where an angle would reach 2^31, which takes a base below 1 or a position beyond
   * @example
   * attention.sinusoidalEncoding({ length: 60, dim: 32 }); // the textbook's heat map
   */
  sinusoidalEncoding(options: SinusoidalOptions): Tensor;

  /**
   * The encoding of image patches, row after row: half the width encodes a patch's row as `sinusoidalEncoding` does, the
   * other half its column. Parmar et al. 2018.
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
   * RoPE: turns pair (a, b) number j of row i by θ = position_i·base^(-2j/rotaryDim) into (a·cos θ - b·sin θ,
   * b·cos θ + a·sin θ). Products of rotated queries and keys depend on the distance of their positions only. The table is
   * exact to float32 (half an ulp + 1e-8) at any position up to 2^24.
   *
   * Su et al. 2021; ONNX's RotaryEmbedding, opset 23.
   *
   * @param x (…, n, d); with positions (B, n) the first axis of three or more is B
   * @returns the shape of x
   * @throws RangeError also for an odd rotary width, one beyond d, and tables too short for the positions
   * @example
   * const rotated = attention.rotaryEmbedding(queries, { offset: past, interleaved: true });
   */
  rotaryEmbedding(x: TensorLike, options?: RotaryOptions): Tensor;

  /**
   * The gradient at x of sum(rotaryEmbedding(x, options)·gradOutput): every pair turned back (and multiplied by yarn's
   * attentionFactor, as in the forward pass).
   *
   * @param gradOutput the shape of x
   * @returns the shape of x
   */
  rotaryEmbeddingBackward(gradOutput: TensorLike, options?: RotaryOptions): Tensor;

  /**
   * ALiBi's slopes: 2^(-8h/H) for heads h = 1 … H; where H is no power of two, those of the largest one P below it, then
   * every other of 2P's. They go into attention's option `alibiSlopes`, which never builds a bias. Press et al. 2022.
   *
   * @returns (numHeads,)
   * @example
   * attention.alibiSlopes(8); // 1/2, 1/4 … 1/256
   */
  alibiSlopes(numHeads: number): Tensor;

  /**
   * ALiBi's bias, -slope·(i + offset - j): what attention's option `alibiSlopes` adds, as a tensor. Press et al. 2022.
   *
   * @returns (H, L, S)
   * @example
   * attention.alibiBias({ numHeads: 8, queryLength: 60 });
   */
  alibiBias(options: AlibiBiasOptions): Tensor;

  /**
   * T5's bucket of each distance j - (i + offset): small distances have one each, larger ones share them logarithmically,
   * with the float32 logarithm that checkpoints were trained with. Raffel et al. 2020.
   *
   * @returns (L, S), within 0 … numBuckets-1
   * @example
   * attention.t5RelativeBuckets({ queryLength: 60 });
   */
  t5RelativeBuckets(options: T5RelativeBucketsOptions): Tensor<Int32Array>;

  /**
   * A learned bias for each head and bucket, looked up: attention's option `bias`. Raffel et al. 2020.
   *
   * @param table (numBuckets, H)
   * @returns (H, L, S)
   * @example
   * const bias = attention.t5RelativeBias(table, { queryLength: 60 });
   */
  t5RelativeBias(table: TensorLike, options: T5RelativeBiasOptions): Tensor;

  /**
   * The gradient at the table of sum(t5RelativeBias(table, options)·gradBias): the gradients of each bucket's entries,
   * summed.
   *
   * @param gradBias (H, L, S)
   * @param options as of t5RelativeBias, and numBuckets (default 32)
   * @returns (numBuckets, H)
   */
  t5RelativeBiasBackward(gradBias: TensorLike, options: T5RelativeBucketsOptions): Tensor;

  /**
   * The "skewing" of Music Transformer: from q_i·e_r for each relative position to scores for each key. Entry (i, j) is
   * entry (i, L-1 + j-i) of the input, so column L-1 is distance 0. From L columns, keys ahead of a query get 0; from 2L-1
   * they are there as well. Huang et al. 2018.
   *
   * @param scores (…, L, L) or (…, L, 2L-1)
   * @returns (…, L, L)
   * @example
   * const bias = attention.relativeShift(queriesTimesTable);
   */
  relativeShift(scores: TensorLike): Tensor;

  /**
   * The gradient at the input of sum(relativeShift(scores)·gradScores).
   *
   * @param gradScores (…, L, L)
   * @returns (…, L, columns)
   */
  relativeShiftBackward(gradScores: TensorLike, options?: RelativeShiftBackwardOptions): Tensor;

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
   * What one layer costs that maps n tokens of width d to n tokens of width d, and its asymptotic class. No wasm is used.
   *
   * multiplyAdds counts what `conv1d`, `rnn` and `scaledDotProductAttention` (one head) do for one sequence, biases and
   * the pointwise functions left out: 'cnn' k·n·d² (padding counted, d channels in and out), 'rnn' 2·n·d² (d² for the
   * token, d² for the state), 'self-attention' 2·n²·d (n²·d for QKᵀ, n²·d for the weights times V, no projections;
   * MultiHeadAttention's four projections add 4·n·d²).
   *
   * maximumPathLength is the number of layers (cnn, self-attention) or steps (rnn) until something has seen both the first
   * and the last token: ceil((n-1)/(k-1)) for a cnn, so two layers of k = 3 join x1 and x5; Infinity for k = 1 and n > 1.
   *
   * Vaswani et al. 2017, table 1; d2l.ai, section "Self-Attention and Positional Encoding".
   *
   * @param size n tokens, d wide; k (default 3) is a cnn's kernel
   * @example
   * attention.complexity('self-attention', { n: 512, d: 64 }).order.computation; // 'O(n²·d)'
   */
  complexity(architecture: Architecture, size: ComplexitySize): Complexity;

  /**
   * The mean of -log softmax(logits)[target] over the rows whose target is not `ignoreIndex`, and its gradient:
   * torch.nn.functional.cross_entropy.
   *
   * @param logits (N, C)
   * @param targets (N,), whole numbers from 0 to C-1, or `ignoreIndex`
   * @returns loss, NaN where no row counts; gradLogits (N, C)
   * @throws RangeError for a target that is no class
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
    scaledDotProductAttentionBackward: scaledDotProductAttentionBackward.bind(undefined, wasm),
    maskedSoftmax: maskedSoftmax.bind(undefined, unshared),
    additiveAttention: additiveAttention.bind(undefined, wasm),
    additiveAttentionBackward: additiveAttentionBackward.bind(undefined, wasm),
    sinusoidalEncoding: sinusoidalEncoding.bind(undefined, unshared),
    sinusoidalEncoding2d: sinusoidalEncoding2d.bind(undefined, unshared),
    encodingRotation: encodingRotation.bind(undefined, unshared),
    rotaryEmbedding: rotaryEmbedding.bind(undefined, unshared),
    rotaryEmbeddingBackward: rotaryEmbeddingBackward.bind(undefined, unshared),
    alibiSlopes,
    alibiBias,
    t5RelativeBuckets,
    t5RelativeBias,
    t5RelativeBiasBackward,
    relativeShift,
    relativeShiftBackward,
    conv1d: conv1d.bind(undefined, wasm),
    rnn: rnn.bind(undefined, wasm),
    complexity,
    softmaxCrossEntropy: softmaxCrossEntropy.bind(undefined, unshared),
  };
}
