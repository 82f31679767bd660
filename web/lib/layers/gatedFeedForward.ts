import { checkOptions, type Known } from '../check/options.js';
import type { WeightType } from '../check/weightType.js';
import type { Wasm } from '../runtime/wasm.js';
import type { TensorLike } from '../types.js';
import { linearSpecs } from './base/specs.js';
import type { ForwardOptions, Layer, LayerResult } from './base/types.js';
import { checkFeedForward, FeedForwardLayer, type Activation } from './feed/feedForwardLayer.js';

/** The options of `GatedFeedForward`. */
export interface GatedFeedForwardOptions {
  /** D, the width of the input and the output. */
  numHiddens: number;
  /** The number of gates, and of the values that they let through. */
  ffnHiddens: number;
  /** Default 'silu'. */
  activation?: Activation;
  /** Whether the three linear maps have a bias. Default false. */
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
 * down(activation(gate(x))·up(x)) at each position: SwiGLU with 'silu', GEGLU with 'gelu', the gated linear unit with
 * 'sigmoid' (Shazeer 2020). State, with the names of Llama and its successors: `gate_proj.weight` and `up_proj.weight`
 * (ffnHiddens, numHiddens), `down_proj.weight` (numHiddens, ffnHiddens); with `bias` also `gate_proj.bias`,
 * `up_proj.bias` and `down_proj.bias`.
 */
export interface GatedFeedForward extends Layer {
  /**
   * @param x (…, numHiddens)
   * @returns output, the shape of x
   * @example
   * const layer = new attention.GatedFeedForward({ numHiddens: 64, ffnHiddens: 172 });
   * const { output } = layer.forward(x);
   */
  forward(x: TensorLike, options?: ForwardOptions): LayerResult;
}

const OPERATION = 'GatedFeedForward';
const OPTIONS: Known<GatedFeedForwardOptions> = {
  numHiddens: 1,
  ffnHiddens: 1,
  activation: 1,
  bias: 1,
  weightType: 1,
  seed: 1,
};

/** The class for a loaded module. */
export function gatedFeedForwardClass(wasm: Wasm): new (options: GatedFeedForwardOptions) => GatedFeedForward {
  return class GatedFeedForward extends FeedForwardLayer {
    constructor(options: GatedFeedForwardOptions) {
      const given = checkOptions(OPERATION, options, OPTIONS);
      const checked = checkFeedForward(OPERATION, given, { activation: 'silu', bias: false });
      const { width, hiddenWidth, bias, seed } = checked;
      const up = linearSpecs('up_proj', hiddenWidth, width, bias, seed, 2);
      const specs = [
        ...linearSpecs('gate_proj', hiddenWidth, width, bias, seed, 0),
        // Gates and values are one product.
        ...up.map((spec) => ({ ...spec, behind: spec.name.replace('up', 'gate') })),
        ...linearSpecs('down_proj', width, hiddenWidth, bias, seed, 4),
      ];
      super(wasm, {
        ...checked,
        operation: OPERATION,
        gated: true,
        first: 'gate_proj',
        second: 'down_proj',
        specs,
      });
    }
  };
}
