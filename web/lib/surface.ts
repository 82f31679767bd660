import {
  multiHeadAttentionClass,
  type MultiHeadAttention,
  type MultiHeadAttentionOptions,
} from './layers/multiHeadAttention.js';
import { maskedSoftmax } from './ops/maskedSoftmax.js';
import { scaledDotProductAttention } from './ops/scaledDotProductAttention.js';
import { tensor } from './ops/tensor.js';
import type { AttentionOptions, AttentionResult, Tensor, TensorLike, ValidLens } from './types.js';
import type { Wasm } from './wasm.js';

/**
 * The loaded module: pure functions, plain data. Inputs are never modified, results are fresh copies, there is nothing to
 * free. B batch, H heads, L queries, S keys, E head width, Ev value width, D model width.
 *
 * A mistake of the caller throws before anything is computed: `TypeError` for a wrong kind, `RangeError` for a wrong value
 * or shape, with a message that reads `operation: expected …, got …`. Where memory runs out it is a `RangeError` with the
 * byte count, and the module stays usable.
 */
export interface WasmAttention {
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
   * Softmax over the last axis with d2l's valid lengths. -Infinity is masked; a row of no valid key is zeros.
   *
   * @param scores (L, S), (B, L, S) or (B, H, L, S)
   * @param validLens (B,) or (B, L)
   * @example
   * attention.maskedSoftmax([[[1, 2, 3]]], [2]); // data: [0.27, 0.73, 0]
   */
  maskedSoftmax(scores: TensorLike, validLens?: ValidLens): Tensor;

  /** Multi-head attention; `new attention.MultiHeadAttention({ numHiddens: 100, numHeads: 5, dropout: 0.5 })`. */
  readonly MultiHeadAttention: new (options: MultiHeadAttentionOptions) => MultiHeadAttention;
}

/** Binds every operation to a loaded module. */
export function surface(wasm: Wasm): WasmAttention {
  return {
    version: __VERSION__,
    features: { simd: 'simd128', threads: 1 },
    tensor,
    scaledDotProductAttention: (query, key, value, options) =>
      scaledDotProductAttention(wasm, query, key, value, options),
    maskedSoftmax: (scores, validLens) => maskedSoftmax(wasm, scores, validLens),
    MultiHeadAttention: multiHeadAttentionClass(wasm),
  };
}
