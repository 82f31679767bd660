/** Row-major data with a shape. */
export interface Tensor<T extends Float32Array | Int32Array | Uint8Array = Float32Array> {
  readonly data: T;
  readonly shape: readonly number[];
}

/**
 * An array for a result: a Float32Array, or for rounded results a Float16Array or the bits of float16 in a Uint16Array.
 */
export type FloatArray =
  | Float32Array
  | Uint16Array
  | { readonly [Symbol.toStringTag]: 'Float16Array'; readonly length: number; [index: number]: number };

/** Nested arrays of numbers; arrays of the same level have the same length. */
export type Nested = readonly number[] | readonly Nested[];

/**
 * A tensor, anything with `data` and `shape` (or `dims`), or nested arrays. Numbers are rounded to float32. A
 * Uint16Array holds the bits of float16, as in onnxruntime-web and WebNN.
 */
export type TensorLike =
  | Tensor
  | { readonly data: ArrayLike<number>; readonly shape: readonly number[] }
  | { readonly data: ArrayLike<number>; readonly dims: readonly number[] }
  | Nested;

/**
 * A TensorLike whose elements are booleans or 0 and 1; true means that a query may attend to the key. Arrays of floats
 * are rejected: other libraries add such a mask to the scores, which is a `bias` here.
 */
export type MaskLike =
  { readonly data: ArrayLike<number | boolean>; readonly shape: readonly number[] } | readonly unknown[];

/** `(B,)`: one length for each sequence; `(B, L)`: one for each query. */
export type ValidLens = ArrayLike<number> | readonly ArrayLike<number>[] | TensorLike;

/** The options of `scaledDotProductAttention`. */
export interface AttentionOptions {
  /** Keys at or beyond this index are masked (d2l's `valid_lens`). Lengths above S mean S. */
  validLens?: ValidLens;
  /**
   * True where a query may attend to a key. Broadcasts against the scores, right-aligned. A last axis of size 1 is
   * repeated; a size between 1 and S is padded with false.
   */
  mask?: MaskLike;
  /**
   * Added to the scores; broadcasts like `mask`. -Infinity masks. A last axis between 1 and S is padded with -Infinity.
   */
  bias?: TensorLike;
  /** Query i sees only keys j <= i + causalOffset. Default false. */
  isCausal?: boolean;
  /**
   * Position of query 0 among the keys: one number, or one for each sequence; may be negative. Default: the length of
   * `pastKey`, or 0. This is the offset for isCausal, window, alibiSlopes and the relative tables.
   */
  causalOffset?: number | ArrayLike<number>;
  /** Sliding window: i + offset - left <= j <= i + offset + right; -1 leaves a side open. A number n means [n, n]. */
  window?: number | readonly [left: number, right: number];
  /** Multiplies Q·K. Default 1/sqrt(E). */
  scale?: number;
  /** c > 0: scores become c·tanh(scores/c). */
  softcap?: number;
  /**
   * Keys and values of earlier tokens, (B, Hkv, past, E) and (B, Hkv, past, Ev), prepended to `key` and `value`.
   */
  pastKey?: TensorLike;
  pastValue?: TensorLike;
  /**
   * Shaw et al. 2018: tables (2k+1, E) and (2k+1, Ev), or (H, 2k+1, ·). The first adds scale·q_i·row(clip(j-(i+offset),
   * -k, k)) to the scores, the second adds row(…) to the value of key j.
   */
  relativeKeys?: TensorLike;
  relativeValues?: TensorLike;
  /** ALiBi: one slope for each query head; adds -slope·(i + offset - j) without building the (H, L, S) bias. */
  alibiSlopes?: TensorLike | ArrayLike<number>;
  /**
   * (H,): a learned score for each query head that takes part in the softmax and has no value (gpt-oss). Rows of
   * `weights` then add up to less than 1, and `logSumExp` includes it.
   */
  sinks?: TensorLike | ArrayLike<number>;
  /**
   * Packed sequences, as in torch's varlen_attn: the batch is 1, and sequence n consists of queries and keys [cu[n],
   * cu[n+1]), where cu starts at 0, never falls and ends at L = S. Queries and keys may also have separate ranges.
   * Tokens see only their own sequence, and the work is the sum of the squared lengths. isCausal, window, alibiSlopes
   * and the relative tables count within each sequence, from `causalOffset`: one number, or one for each sequence.
   * Cannot be combined with `validLens`, `pastKey` or caches.
   */
  cuSeqlens?: ArrayLike<number> | { query: ArrayLike<number>; key: ArrayLike<number> };
  /** Probability p of dropping a weight, within [0, 1); the other weights are divided by 1-p. Default 0. */
  dropout?: number;
  /** Seed of dropout, a whole number from 0 to 2^32 - 1, default 0. The same seed drops the same weights. */
  seed?: number;
  /** Return the attention weights, after dropout. Without this, memory stays O(L + S). */
  needWeights?: boolean;
  /**
   * Return the scores after this step; 'masked' scores are -Infinity for masked keys, the others are not masked yet.
   */
  needScores?: 'scaled' | 'softcapped' | 'masked';
  /** Return the logsumexp of the masked scores and the sink. */
  needLogSumExp?: boolean;
  /**
   * Arrays of exactly the right length to write into instead of fresh ones, so that an animation loop makes no garbage.
   * They become the result's `data`.
   */
  out?: { output?: FloatArray; weights?: FloatArray };
}

/** What `scaledDotProductAttention` returns. */
export interface AttentionResult {
  /** (…, L, Ev), with the query's rank. */
  output: Tensor;
  /** (…, L, S), if `needWeights`. */
  weights?: Tensor;
  /** (…, L, S), if `needScores`. */
  scores?: Tensor;
  /** (…, L), if `needLogSumExp`. */
  logSumExp?: Tensor;
  /** The past keys and values to pass next time, if `pastKey` was given. */
  presentKey?: Tensor;
  presentValue?: Tensor;
}

/** What `scaledDotProductAttentionBackward` returns: each gradient has the shape of its tensor. */
export interface AttentionGradients {
  query: Tensor;
  /** Zeros for keys and values that no query may see. */
  key: Tensor;
  value: Tensor;
  /**
   * The following are present if their options were given. `bias` is summed over the axes along which it was broadcast.
   */
  bias?: Tensor;
  relativeKeys?: Tensor;
  relativeValues?: Tensor;
  sinks?: Tensor;
  pastKey?: Tensor;
  pastValue?: Tensor;
}
