/// <reference lib="esnext.disposable" preserve="true" />
import { checkOptions, type Known } from '../check/options.js';
import { ROTARY_OPTIONS, type RotaryOptions } from '../ops/rotary/options.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';
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
import { BlockLayer, checkBias, type CrossOptions } from './block/blockLayer.js';
import type { Activation } from './feedForward.js';

/** The options of `TransformerDecoderLayer`. */
export interface TransformerDecoderLayerOptions {
  /** D, a multiple of `numHeads`. */
  numHiddens: number;
  numHeads: number;
  /** The width between the two linear maps. */
  ffnHiddens: number;
  /** As in `TransformerEncoderLayer`, also for the weights and the output of the cross-attention. Default 0. */
  dropout?: number;
  /** Whether the linear maps have biases. Default true; the three norms always have them. */
  bias?: boolean;
  /** Default 'relu'. */
  activation?: Activation;
  /** 'pre' normalises the input of each sublayer, 'post' the sum of its input and its output. Default 'post'. */
  norm?: 'pre' | 'post';
  /** Added to the variance. Default 1e-5. */
  eps?: number;
  /** Of self-attention, as in `MultiHeadAttention`. */
  rotary?: RotaryOptions;
  /** Seed of the initial values and of dropout. By default each layer has a random one. */
  seed?: number;
}

/** The options of a forward pass: those of self-attention, and in `cross` those of the attention to the memory. */
export interface TransformerDecoderLayerForwardOptions extends Omit<LayerForwardOptions, 'pastKey' | 'pastValue'> {
  cross?: CrossOptions;
}

/** The gradients of options of attention that were given. */
export type TransformerDecoderLayerOptionGradients = Pick<
  MultiHeadAttentionGradients,
  'bias' | 'relativeKeys' | 'relativeValues' | 'sinks'
>;

/** What `TransformerDecoderLayer.forward` returns. */
export interface TransformerDecoderLayerResult extends Pick<
  MultiHeadAttentionResult,
  'weights' | 'scores' | 'logSumExp'
> {
  /** (B, L, D) */
  output: Tensor;
  /** (B, H, L, S) and so on, if `cross` requests them. */
  crossWeights?: Tensor;
  crossScores?: Tensor;
  crossLogSumExp?: Tensor;
  /**
   * As in other layers, without a cache; the gradients of attention options are present if the options were given,
   * those of `cross` in an object of that name.
   */
  backward?: (
    gradOutput: TensorLike,
    options?: BackwardOptions,
  ) => {
    input: Tensor;
    memory: Tensor;
    cross?: TransformerDecoderLayerOptionGradients;
  } & TransformerDecoderLayerOptionGradients;
}

/**
 * Self-attention, attention to a memory, such as an encoder's output, and a feed-forward network, each with a residual
 * connection and a layer norm (Vaswani et al. 2017, section 3.1). Nothing is causal unless `isCausal` says so. State:
 * the names of torch.nn.TransformerDecoderLayer, such as `self_attn.in_proj_weight` and `multihead_attn.in_proj_weight`
 * (3·D, D).
 */
export interface TransformerDecoderLayer extends Omit<Layer, 'forward'> {
  /**
   * @param x (B, L, D)
   * @param memory (B, S, D)
   * @throws RangeError also for `pastKey` and `pastValue`
   * @example
   * const layer = new attention.TransformerDecoderLayer({ numHiddens: 64, numHeads: 4, ffnHiddens: 256 });
   * const { output } = layer.forward(x, memory, { isCausal: true, cross: { validLens: [3, 2] } });
   */
  forward(
    x: TensorLike,
    memory: TensorLike,
    options?: TransformerDecoderLayerForwardOptions,
  ): TransformerDecoderLayerResult;
  /**
   * Makes a cache for decoding. Each `forward` with it appends its keys and values and continues from their positions.
   * The first one also keeps the keys and values of `memory`, which all later ones read, until `reset`.
   */
  createCache(options: CacheOptions): KeyValueCache;
}

const OPERATION = 'TransformerDecoderLayer';
const FORWARD = `${OPERATION}.forward`;
const OPTIONS: Known<TransformerDecoderLayerOptions> = {
  numHiddens: 1,
  numHeads: 1,
  ffnHiddens: 1,
  dropout: 1,
  bias: 1,
  activation: 1,
  norm: 1,
  eps: 1,
  rotary: ROTARY_OPTIONS,
  seed: 1,
};
const FORWARD_OPTIONS: Known<TransformerDecoderLayerForwardOptions & LayerForwardOptions> = {
  ...LAYER_FORWARD_OPTIONS,
  cross: 1,
};

export class TransformerDecoderLayerClass extends ParameterOwner implements TransformerDecoderLayer {
  readonly #block: BlockLayer;

  constructor(wasm: Wasm, options: TransformerDecoderLayerOptions) {
    const given = checkOptions(OPERATION, options, OPTIONS);
    checkBias(OPERATION, given.bias);
    const block = new BlockLayer(wasm, OPERATION, given, true);
    super(block.parameters);
    this.#block = block;
  }

  forward(
    x: TensorLike,
    memory: TensorLike,
    options?: TransformerDecoderLayerForwardOptions,
  ): TransformerDecoderLayerResult {
    this.#block.parameters.check(FORWARD);
    const { cross: over, ...given } = checkOptions(FORWARD, options, FORWARD_OPTIONS);
    const { self, cross, backward } = this.#block.forward(x, given, memory, over);
    const result: TransformerDecoderLayerResult = self;
    if (cross?.weights) result.crossWeights = cross.weights;
    if (cross?.scores) result.crossScores = cross.scores;
    if (cross?.logSumExp) result.crossLogSumExp = cross.logSumExp;
    if (backward) {
      result.backward = (gradOutput, options) => {
        const { input, memory, self, cross } = backward(gradOutput, options);
        return { input, memory: memory!, ...self, ...(Object.keys(cross!).length > 0 && { cross: cross! }) };
      };
    }
    return result;
  }

  createCache(options: CacheOptions): KeyValueCache {
    return this.#block.createCache(options);
  }

  override dispose(): void {
    super.dispose();
    this.#block.dispose();
  }
}
