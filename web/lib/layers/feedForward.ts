import { checkOptions, type Known } from '../check/options.js';
import type { WeightType } from '../check/weightType.js';
import type { Wasm } from '../runtime/wasm.js';
import type { TensorLike } from '../types.js';
import { linearSpecs } from './base/specs.js';
import type { ForwardOptions, Layer, LayerResult } from './base/types.js';
import { checkFeedForward, FeedForwardLayer, type Activation } from './feed/feedForwardLayer.js';

/** The options of `FeedForward`. */
export interface FeedForwardOptions {
  /** D, the width of the input and the output. */
  numHiddens: number;
  /** The width between the two linear maps. */
  ffnHiddens: number;
  /** Default 'relu'. */
  activation?: Activation;
  /** Whether the two linear maps have a bias. Default true. */
  bias?: boolean;
  /**
   * How the matrices are kept in memory: 'float16' takes half of it, 'int8' a quarter. Other types than 'float32', the
   * default, are for forward passes alone.
   */
  weightType?: WeightType;
  /** Seed of the initial values, which are uniform as in `Linear`. By default each layer has a random one. */
  seed?: number;
}

/**
 * dense2(activation(dense1(x))) at each position: d2l's PositionWiseFFN (Vaswani et al. 2017, section 3.3). State:
 * `dense1.weight` (ffnHiddens, numHiddens), `dense1.bias`, `dense2.weight` (numHiddens, ffnHiddens), `dense2.bias`.
 */
export interface FeedForward extends Layer {
  /**
   * @param x (…, numHiddens)
   * @returns output, the shape of x
   * @example
   * const layer = new attention.FeedForward({ numHiddens: 64, ffnHiddens: 256, activation: 'gelu' });
   * const { output } = layer.forward(x);
   */
  forward(x: TensorLike, options?: ForwardOptions): LayerResult;
}

const OPERATION = 'FeedForward';
const OPTIONS: Known<FeedForwardOptions> = {
  numHiddens: 1,
  ffnHiddens: 1,
  activation: 1,
  bias: 1,
  weightType: 1,
  seed: 1,
};

/** The class for a loaded module. */
export function feedForwardClass(wasm: Wasm): new (options: FeedForwardOptions) => FeedForward {
  return class FeedForward extends FeedForwardLayer {
    constructor(options: FeedForwardOptions) {
      const given = checkOptions(OPERATION, options, OPTIONS);
      const checked = checkFeedForward(OPERATION, given, { activation: 'relu', bias: true });
      const { width, hiddenWidth, bias, seed } = checked;
      const specs = [
        ...linearSpecs('dense1', hiddenWidth, width, bias, seed, 0),
        ...linearSpecs('dense2', width, hiddenWidth, bias, seed, 2),
      ];
      super(wasm, {
        ...checked,
        operation: OPERATION,
        gated: false,
        first: 'dense1',
        second: 'dense2',
        specs,
      });
    }
  };
}
