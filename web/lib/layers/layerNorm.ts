import { checkOptions, type Known } from '../check/options.js';
import { checkBoolean } from '../check/values.js';
import type { Wasm } from '../runtime/wasm.js';
import type { TensorLike } from '../types.js';
import { constantSpec } from './base/specs.js';
import type { ForwardOptions, Layer, LayerResult } from './base/types.js';
import { checkNorm, NormLayer, type NormKernels } from './norm/normLayer.js';

/** The options of `LayerNorm`. */
export interface LayerNormOptions {
  /** The sizes of the last axes of the input, which are normalised together; a number stands for one axis. */
  normalizedShape: number | readonly number[];
  /** Added to the variance. Default 1e-5. */
  eps?: number;
  /** Whether to multiply by a learned weight, initially 1, and add a learned bias, initially 0. Default true. */
  affine?: boolean;
}

/**
 * (x - mean) / sqrt(variance + eps)·weight + bias over the last axes, with the biased variance: torch.nn.LayerNorm. Ba
 * et al. 2016. State: `weight` and `bias`, both of normalizedShape; empty if `affine` is false.
 */
export interface LayerNorm extends Layer {
  /**
   * @param x (…, normalizedShape)
   * @returns output, the shape of x
   * @example
   * const { output } = new attention.LayerNorm({ normalizedShape: 64 }).forward(x);
   */
  forward(x: TensorLike, options?: ForwardOptions): LayerResult;
}

const OPERATION = 'LayerNorm';
const OPTIONS: Known<LayerNormOptions> = { normalizedShape: 1, eps: 1, affine: 1 };

const KERNELS: NormKernels = {
  forward: (raw, x, weight, bias, out, rows, width, eps) => raw.layerNorm(x, weight, bias, out, rows, width, eps),
  backward: (raw, gradient, x, weight, gradWeight, gradBias, scratch, rows, width, eps) =>
    raw.layerNormBackward(gradient, x, weight, gradient, gradWeight, gradBias, scratch, rows, width, eps),
  scratch: (raw, rows, width) => raw.layerNormBackwardScratch(rows, width),
};

/** The class for a loaded module. */
export function layerNormClass(wasm: Wasm): new (options: LayerNormOptions) => LayerNorm {
  return class LayerNorm extends NormLayer {
    constructor(options: LayerNormOptions) {
      const given = checkOptions(OPERATION, options, OPTIONS);
      const norm = checkNorm(OPERATION, given, 1e-5);
      const affine = given.affine === undefined || checkBoolean(OPERATION, 'affine', given.affine);
      const specs = affine ? [constantSpec('weight', norm.shape, 1), constantSpec('bias', norm.shape, 0)] : [];
      super(wasm, { ...norm, specs }, KERNELS);
    }
  };
}
