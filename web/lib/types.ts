/** Row-major data with a shape. */
export interface Tensor<T extends Float32Array | Int32Array | Uint8Array = Float32Array> {
  readonly data: T;
  readonly shape: readonly number[];
}

/** Nested arrays of numbers; all arrays of one level have the same length. */
export type Nested = readonly number[] | readonly Nested[];

/** A tensor, anything with `data` and `shape` (or `dims`), or nested arrays. */
export type TensorLike =
  | Tensor
  | { readonly data: ArrayLike<number>; readonly shape: readonly number[] }
  | { readonly data: ArrayLike<number>; readonly dims: readonly number[] }
  | Nested;

/** As TensorLike; elements are booleans or 0/1, true = may attend. */
export type MaskLike =
  { readonly data: ArrayLike<number | boolean>; readonly shape: readonly number[] } | readonly unknown[];

/** `(B,)`: one length for each sequence; `(B, L)`: one for each query. */
export type ValidLens = ArrayLike<number> | readonly ArrayLike<number>[] | TensorLike;

/** What `scaledDotProductAttention` may be told. */
export interface AttentionOptions {
  /** Keys at or beyond this index are masked (d2l's `valid_lens`). Above S means S. */
  validLens?: ValidLens;
  /**
   * True where a query may attend. Broadcasts against the scores, right-aligned. A last axis of 1 repeats; one between
   * 1 and S is padded with false.
   */
  mask?: MaskLike;
  /** Added to the scores; broadcasts as `mask`. -Infinity masks. A last axis between 1 and S is padded with -Infinity. */
  bias?: TensorLike;
  /** Key j is visible to query i where j <= i + causalOffset. Default false. */
  isCausal?: boolean;
  /**
   * Position of query 0 among the keys: default the length of `pastKey`, or 0. One number, or one for each sequence; may
   * be negative. It is the offset of isCausal, window, alibiSlopes and the relative tables alike.
   */
  causalOffset?: number | ArrayLike<number>;
  /** Sliding window: i + offset - left <= j <= i + offset + right; -1 leaves a side open. A number is [n, n]. */
  window?: number | readonly [left: number, right: number];
  /** Multiplies Q·K. Default 1/sqrt(E). */
  scale?: number;
  /** c > 0: scores become c·tanh(scores/c). */
  softcap?: number;
  /** Key/value cache, (B, Hkv, past, E) and (B, Hkv, past, Ev): put in front of key and value. */
  pastKey?: TensorLike;
  pastValue?: TensorLike;
  /**
   * Shaw et al. 2018: tables (2k+1, E) and (2k+1, Ev), or (H, 2k+1, ·). The first adds scale·q_i·row(clip(j-(i+offset), -k, k))
   * to the scores, the second adds row(…) to the value of key j.
   */
  relativeKeys?: TensorLike;
  relativeValues?: TensorLike;
  /** ALiBi: one slope for each query head; adds -slope·(i + offset - j) without building the (H, L, S) bias. */
  alibiSlopes?: TensorLike | ArrayLike<number>;
  /** Probability of dropping a weight, within [0, 1); the kept ones are divided by 1-p. Default 0. */
  dropout?: number;
  /** Same seed, same dropout. A whole number from 0 to 2^32 - 1, default 0. */
  seed?: number;
  /** Return the attention weights (after dropout). Without it memory stays O(L + S). */
  needWeights?: boolean;
  /** Return the scores at one stage: scaled or softcapped (masked keys too, then), or after bias and masks (-Infinity shows). */
  needScores?: 'scaled' | 'softcapped' | 'masked';
  /** Return logsumexp of the masked scores. */
  needLogSumExp?: boolean;
  /** Write into these arrays (of the right length) in place of fresh ones: no garbage in an animation loop. */
  out?: { output?: Float32Array; weights?: Float32Array };
}

/** What `scaledDotProductAttention` returns. */
export interface AttentionResult {
  /** The query's rank, its last axis Ev. */
  output: Tensor;
  /** (…, L, S), where `needWeights` asked for them. */
  weights?: Tensor;
  /** (…, L, S), where `needScores` asked for them. */
  scores?: Tensor;
  /** (…, L), where `needLogSumExp` asked for it. */
  logSumExp?: Tensor;
  /** Present where `pastKey` was given: the cache to pass next time. */
  presentKey?: Tensor;
  presentValue?: Tensor;
}

/** What `scaledDotProductAttentionBackward` returns: each gradient has its tensor's shape. */
export interface AttentionGradients {
  query: Tensor;
  /** Zeros where a key or value was masked for every query. */
  key: Tensor;
  value: Tensor;
  /** These are there where their options were given. `bias` is summed over the axes it was broadcast along. */
  bias?: Tensor;
  relativeKeys?: Tensor;
  relativeValues?: Tensor;
  pastKey?: Tensor;
  pastValue?: Tensor;
}
