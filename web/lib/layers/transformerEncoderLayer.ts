/// <reference lib="esnext.disposable" preserve="true" />
import { checkOptions, type Known } from '../check/options.js';
import { ROTARY_OPTIONS, type RotaryOptions } from '../ops/rotary/options.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';
import type { HeadOptions, ProjectionBiases } from './attention/headOptions.js';
import type { KeyValueCache } from '../steps/cache.js';
import type { CacheOptions } from './attention/past.js';
import {
  LAYER_FORWARD_OPTIONS,
  type LayerForwardOptions,
  type MultiHeadAttentionGradients,
  type MultiHeadAttentionResult,
} from './attention/types.js';
import { ParameterOwner } from './base/layer.js';
import type { BackwardOptions, Layer } from './base/types.js';
import { BlockLayer } from './block/blockLayer.js';
import type { Activation } from './feedForward.js';

/** The options of `TransformerEncoderLayer`. */
export interface TransformerEncoderLayerOptions extends HeadOptions {
  /** D, without `headDim` a multiple of `numHeads`. */
  numHiddens: number;
  numHeads: number;
  /** The width between the two linear maps. */
  ffnHiddens: number;
  /**
   * Probability in training of dropping an attention weight, a hidden unit of the feed-forward network after its
   * activation, or an element of a sublayer's output. Default 0.
   */
  dropout?: number;
  /**
   * Whether the linear maps have biases. Default true; layer norms always have them. An object names the projections of
   * attention that have one, query, key and value together; the feed-forward network then has none.
   */
  bias?: boolean | ProjectionBiases;
  /** Default 'relu', and 'silu' if the feed-forward network is gated. */
  activation?: Activation;
  /** 'pre' normalises the input of each sublayer, 'post' the sum of its input and its output. Default 'post'. */
  norm?: 'pre' | 'post';
  /** 'rms' norms as `RMSNorm`, without biases. Default 'layer'. */
  normType?: 'layer' | 'rms';
  /** Added to the variance. Default 1e-5, and 1e-6 for 'rms'. */
  eps?: number;
  /** 'gated' is a network as `GatedFeedForward`. Default 'plain'. */
  feedForward?: 'plain' | 'gated';
  /** As in `MultiHeadAttention`. */
  rotary?: RotaryOptions;
  /** Seed of the initial values and of dropout. By default each layer has a random one. */
  seed?: number;
}

/** The options of a forward pass. */
export type TransformerEncoderLayerForwardOptions = Omit<LayerForwardOptions, 'pastKey' | 'pastValue'>;

/** What `TransformerEncoderLayer.forward` returns. */
export interface TransformerEncoderLayerResult extends Pick<
  MultiHeadAttentionResult,
  'weights' | 'scores' | 'logSumExp'
> {
  /** (B, L, D) */
  output: Tensor;
  /** As in other layers, without a cache; the gradients of attention options are present if the options were given. */
  backward?: (
    gradOutput: TensorLike,
    options?: BackwardOptions,
  ) => { input: Tensor } & Pick<MultiHeadAttentionGradients, 'bias' | 'relativeKeys' | 'relativeValues' | 'sinks'>;
}

/**
 * Self-attention and a feed-forward network, each with a residual connection and a norm (Vaswani et al. 2017, section
 * 3.1; pre-norm: Xiong et al. 2020). With `isCausal` and a cache it is the block of a language model. State: the names
 * of torch.nn.TransformerEncoderLayer, such as `self_attn.in_proj_weight` (H·E + 2·Hkv·E, D) for queries, keys and
 * values. With `qkNorm` also `self_attn.q_norm.weight` and `self_attn.k_norm.weight`; a gated network has
 * `GatedFeedForward`'s names.
 */
export interface TransformerEncoderLayer extends Omit<Layer, 'forward'> {
  /**
   * @param x (B, L, D)
   * @throws RangeError also for `pastKey` and `pastValue`
   * @example
   * const layer = new attention.TransformerEncoderLayer({ numHiddens: 64, numHeads: 4, ffnHiddens: 256 });
   * const { output } = layer.forward(x, { validLens: [3, 2] });
   */
  forward(x: TensorLike, options?: TransformerEncoderLayerForwardOptions): TransformerEncoderLayerResult;
  /**
   * Makes a cache for decoding. Each `forward` with it appends its keys and values and continues from their positions.
   */
  createCache(options: CacheOptions): KeyValueCache;
}

const OPERATION = 'TransformerEncoderLayer';
const FORWARD = `${OPERATION}.forward`;
const OPTIONS: Known<TransformerEncoderLayerOptions> = {
  numHiddens: 1,
  numHeads: 1,
  ffnHiddens: 1,
  dropout: 1,
  bias: 1,
  activation: 1,
  norm: 1,
  normType: 1,
  eps: 1,
  feedForward: 1,
  numKvHeads: 1,
  headDim: 1,
  qkNorm: 1,
  rotary: ROTARY_OPTIONS,
  seed: 1,
};

export class TransformerEncoderLayerClass extends ParameterOwner implements TransformerEncoderLayer {
  readonly #block: BlockLayer;

  constructor(wasm: Wasm, options: TransformerEncoderLayerOptions) {
    const block = new BlockLayer(wasm, OPERATION, checkOptions(OPERATION, options, OPTIONS), false);
    super(block.parameters);
    this.#block = block;
  }

  forward(x: TensorLike, options?: TransformerEncoderLayerForwardOptions): TransformerEncoderLayerResult {
    this.#block.parameters.check(FORWARD);
    const given = checkOptions<LayerForwardOptions>(FORWARD, options, LAYER_FORWARD_OPTIONS);
    const { self, backward } = this.#block.forward(x, given);
    if (!backward) return self;
    return {
      ...self,
      backward(gradOutput, options) {
        const { input, self } = backward(gradOutput, options);
        return { input, ...self };
      },
    };
  }

  createCache(options: CacheOptions): KeyValueCache {
    return this.#block.createCache(options);
  }

  override dispose(): void {
    super.dispose();
    this.#block.dispose();
  }
}
