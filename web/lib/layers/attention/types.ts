/// <reference lib="esnext.disposable" preserve="true" />
import type { MatrixType } from '../../check/weightType.js';
import type { Known } from '../../check/options.js';
import { ATTENTION_OPTIONS } from '../../ops/attention/options.js';
import type { RotaryOptions } from '../../ops/rotary/options.js';
import type { AttentionOptions, Tensor, TensorLike } from '../../types.js';
import type { Layer } from '../base/types.js';
import type { HeadOptions, ProjectionBiases } from './headOptions.js';
import type { KeyValueCache } from '../../steps/cache.js';
import type { CacheOptions } from './past.js';

/** d2l's constructor: MultiHeadAttention(num_hiddens, num_heads, dropout, bias=False). */
export interface MultiHeadAttentionOptions extends HeadOptions {
  /**
   * D, the width of the output. Without `headDim` it is also the width of all heads together, a multiple of `numHeads`.
   */
  numHiddens: number;
  /** H */
  numHeads: number;
  /** Probability of dropping an attention weight in training. Default 0. */
  dropout?: number;
  /** Whether the four projections have a bias, or which of them have one. Default false. */
  bias?: boolean | ProjectionBiases;
  /** Widths of the inputs; default numHiddens. */
  querySize?: number;
  keySize?: number;
  valueSize?: number;
  /**
   * Rotary embedding of the projected queries and keys, head by head. Each call has its own positions: `positions` is
   * an option of `forward`, not allowed here, tables are of shape (positions, rotaryDim/2), and `offset` is added to
   * all positions.
   */
  rotary?: RotaryOptions;
  /**
   * How the four projections' matrices are stored: 'float16' takes half the memory, 'int8' and
   * 'int8-fine' a quarter. Only 'float32', the default, can be trained.
   */
  weightType?: MatrixType;
  /** Seed of the initial values and of dropout. By default each layer has a random one. */
  seed?: number;
}

/** The options of a forward pass. */
export interface LayerForwardOptions extends AttentionOptions {
  /** Applies the layer's dropout, and returns `backward`. Default false. */
  training?: boolean;
  /** For decoding: the keys and values so far. The call appends its own. */
  cache?: KeyValueCache;
  /**
   * Rotary position of the first new key; default the number of keys in `cache` or `pastKey`. Query 0 has the position
   * of key number `causalOffset`, counted from the first past key; by default this is the first new key. With
   * `cuSeqlens`, each sequence begins with this position. With `positions`, it is added to them, and its default is 0.
   */
  offset?: number;
  /**
   * Rotary positions of the new tokens, if there are as many queries as new keys: (L,) or (B, L), and (axes, L) or
   * (axes, B, L) if the layer's `rotary` has `sections`.
   */
  positions?: ArrayLike<number> | TensorLike;
}

export const LAYER_FORWARD_OPTIONS: Known<LayerForwardOptions> = {
  ...ATTENTION_OPTIONS,
  training: 1,
  cache: 1,
  offset: 1,
  positions: 1,
};

/** Attention's options that are used without conversion, so that a backward pass needs copies. */
export const OPTION_TENSORS = ['bias', 'relativeKeys', 'relativeValues', 'alibiSlopes', 'sinks'] as const;

/** What `MultiHeadAttention.forward` returns. */
export interface MultiHeadAttentionResult {
  /** (B, L, D) */
  output: Tensor;
  /** (B, H, L, S), if `needWeights`. */
  weights?: Tensor;
  /** If `needScores` and `needLogSumExp`, as in `scaledDotProductAttention`. */
  scores?: Tensor;
  logSumExp?: Tensor;
  /** (B, Hkv, S, E), if `pastKey` was given; keys are normed and rotated. */
  presentKey?: Tensor;
  presentValue?: Tensor;
  /**
   * Present if `training`, without `cache` and `pastKey`; can be called once, before the parameters change. Adds the
   * gradients of sum(output · gradOutput) to every parameter's `grad`, and returns the gradients of the inputs. If you
   * passed a tensor for several inputs, its gradient is the sum of their gradients.
   *
   * @param gradOutput (B, L, D)
   * @throws TypeError for a second call and after `dispose()`; RangeError for another shape
   */
  backward?: (gradOutput: TensorLike) => MultiHeadAttentionGradients;
}

/** What the `backward` of `MultiHeadAttention` returns: each gradient has the shape of its tensor. */
export interface MultiHeadAttentionGradients {
  queries: Tensor;
  keys: Tensor;
  values: Tensor;
  /** The following are present if their options were given. */
  bias?: Tensor;
  relativeKeys?: Tensor;
  relativeValues?: Tensor;
  sinks?: Tensor;
}

/**
 * Multi-head attention (Vaswani et al. 2017, section 3.2.2) with d2l's names. The layer owns its parameters in wasm
 * memory, which is freed on `dispose()`, at the end of a `using` block, or when the layer is garbage-collected.
 */
export interface MultiHeadAttention extends Omit<Layer, 'forward'> {
  /**
   * Projects the inputs, computes attention in each head, and projects the heads' outputs.
   *
   * @param queries (B, L, Dq)
   * @param keys (B, S, Dk)
   * @param values (B, S, Dv)
   * @throws RangeError or TypeError for wrong arguments, before anything is computed
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
  /**
   * Makes a cache for decoding. Each `forward` with it appends its keys and values and continues from their positions.
   */
  createCache(options: CacheOptions): KeyValueCache;
  /**
   * W_q.weight, W_k.weight, W_v.weight, W_o.weight, each (out, in); with `bias` also W_q.bias and so on, and with
   * `qkNorm` q_norm.weight and k_norm.weight.
   */
  stateDict(): Record<string, Tensor>;
  /**
   * Accepts `stateDict`'s names, or those of torch.nn.MultiheadAttention: in_proj_weight or {q,k,v}_proj_weight,
   * in_proj_bias, out_proj.weight, out_proj.bias. Checks every name and shape before it changes anything.
   */
  loadStateDict(state: Record<string, TensorLike>): void;
}
