/// <reference lib="esnext.disposable" preserve="true" />
import type { RotaryOptions } from '../../ops/rotary/options.js';
import type { AttentionOptions, Tensor, TensorLike } from '../../types.js';
import type { Layer } from '../base/types.js';
import type { KeyValueCache } from './keyValueCache.js';

/** d2l's constructor: MultiHeadAttention(num_hiddens, num_heads, dropout, bias=False). */
export interface MultiHeadAttentionOptions {
  /** D, the width of the output and of the heads together. A multiple of `numHeads`. */
  numHiddens: number;
  /** H */
  numHeads: number;
  /** Probability of dropping an attention weight in training. Default 0. */
  dropout?: number;
  /** Whether the four projections have a bias. Default false. */
  bias?: boolean;
  /** Widths of the inputs where they differ from numHiddens. */
  querySize?: number;
  keySize?: number;
  valueSize?: number;
  /** Hkv: fewer key/value heads (grouped-query attention). A divisor of `numHeads`; default `numHeads`. */
  numKvHeads?: number;
  /**
   * Rotary positions of the projected queries and keys, of the width of a head. Positions belong to the call, so there are
   * no `positions` here, tables are of shape (positions, rotaryDim/2), and `offset` is added to all positions.
   */
  rotary?: RotaryOptions;
  /** Seed of the first weights and of dropout; default a fresh one for each layer. */
  seed?: number;
}

/** What a forward pass may be told. */
export interface LayerForwardOptions extends AttentionOptions {
  /** Applies the layer's dropout, and returns `backward`. Default false. */
  training?: boolean;
  /** For decoding: keys and values seen so far; the call appends its own. */
  cache?: KeyValueCache;
  /**
   * Rotary position of the first new key; default the number of keys that `cache` or `pastKey` hold. Query 0 stands at
   * `causalOffset` among the keys, past ones included, as for the other relative positions: by default at the first new key.
   */
  offset?: number;
}

/** What `MultiHeadAttention.forward` returns. */
export interface MultiHeadAttentionResult {
  /** (B, L, D) */
  output: Tensor;
  /** (B, H, L, S), where `needWeights` asked for them. */
  weights?: Tensor;
  /** Scores and logSumExp, where asked for, as of `scaledDotProductAttention`. */
  scores?: Tensor;
  logSumExp?: Tensor;
  /** (B, Hkv, S, D/H), where `pastKey` was given. */
  presentKey?: Tensor;
  presentValue?: Tensor;
  /**
   * Present when `training`, without `cache` and `pastKey`; can be called once, before the parameters change. Adds the
   * gradients of sum(output · gradOutput) to every parameter's `grad` and returns the inputs'; of one that was given as more
   * than one of them the gradient is their sum.
   *
   * @param gradOutput (B, L, D)
   * @throws TypeError at a second call and after `dispose()`; RangeError for another shape
   */
  backward?: (gradOutput: TensorLike) => MultiHeadAttentionGradients;
}

/** What `MultiHeadAttention`'s `backward` returns: each gradient has its tensor's shape. */
export interface MultiHeadAttentionGradients {
  queries: Tensor;
  keys: Tensor;
  values: Tensor;
  /** These are there where their options were given. */
  bias?: Tensor;
  relativeKeys?: Tensor;
  relativeValues?: Tensor;
}

/**
 * Multi-head attention (Vaswani et al. 2017, section 3.2.2) with d2l's names. The layer owns its parameters, in wasm
 * memory. They go with it: on `dispose()`, at the end of a `using` block, or when it is garbage-collected.
 */
export interface MultiHeadAttention extends Omit<Layer, 'forward'> {
  /**
   * Projects, attends and projects back.
   *
   * @param queries (B, L, Dq)
   * @param keys (B, S, Dk)
   * @param values (B, S, Dv)
   * @throws RangeError or TypeError for mistakes, before anything is computed
   * @example
   * const layer = new attention.MultiHeadAttention({ numHiddens: 100, numHeads: 5, dropout: 0.5 });
   * const { output, weights } = layer.forward(X, X, X, { validLens: [3, 2], needWeights: true });
   */
  forward(
    queries: TensorLike,
    keys: TensorLike,
    values: TensorLike,
    options?: LayerForwardOptions,
  ): MultiHeadAttentionResult;
  /** For decoding: pass it to `forward` as `cache`; each call appends its keys and values, and positions go on from `length`. */
  createCache(options: { batch: number; maxLength: number }): KeyValueCache;
  /** W_q.weight, W_k.weight, W_v.weight, W_o.weight, each (out, in); with `bias` also W_q.bias … */
  stateDict(): Record<string, Tensor>;
  /**
   * Takes `stateDict`'s names, or those of torch.nn.MultiheadAttention: in_proj_weight or {q,k,v}_proj_weight,
   * in_proj_bias, out_proj.weight, out_proj.bias. Checks every name and shape before it changes anything.
   */
  loadStateDict(state: Record<string, TensorLike>): void;
}
