import { checkOptions, type Known } from '../check/options.js';
import type { Wasm } from '../runtime/wasm.js';
import type { TensorLike } from '../types.js';
import { constantSpec } from './base/specs.js';
import type { ForwardOptions, Layer, LayerResult } from './base/types.js';
import { checkNorm, NormLayer, type NormKernels } from './norm/normLayer.js';

/** The options of `RMSNorm`. */
export interface RMSNormOptions {
  /** The sizes of the last axes of the input, which are normalised together; a number stands for one axis. */
  normalizedShape: number | readonly number[];
  /** Added to the mean square. Default 1e-6. */
  eps?: number;
}

/**
 * x / sqrt(mean(x²) + eps)·weight over the last axes: torch.nn.RMSNorm, and the norm of Llama and its successors. Zhang
 * and Sennrich 2019. State: `weight`, of normalizedShape, initially 1.
 */
export interface RMSNorm extends Layer {
  /**
   * @param x (…, normalizedShape)
   * @returns output, the shape of x
   * @example
   * const { output } = new attention.RMSNorm({ normalizedShape: 64 }).forward(x);
   */
  forward(x: TensorLike, options?: ForwardOptions): LayerResult;
}

const OPERATION = 'RMSNorm';
const OPTIONS: Known<RMSNormOptions> = { normalizedShape: 1, eps: 1 };

const KERNELS: NormKernels = {
  forward: (raw, x, weight, _bias, out, rows, width, eps) => raw.rmsNorm(x, weight, out, rows, width, eps),
  backward: (raw, gradient, x, weight, gradWeight, _gradBias, scratch, rows, width, eps) =>
    raw.rmsNormBackward(gradient, x, weight, gradient, gradWeight, scratch, rows, width, eps),
  scratch: (raw, rows, width) => raw.rmsNormBackwardScratch(rows, width),
};

/** The class for a loaded module. */
export function rmsNormClass(wasm: Wasm): new (options: RMSNormOptions) => RMSNorm {
  return class RMSNorm extends NormLayer {
    constructor(options: RMSNormOptions) {
      const norm = checkNorm(OPERATION, checkOptions(OPERATION, options, OPTIONS), 1e-6);
      super(wasm, { ...norm, specs: [constantSpec('weight', norm.shape, 1)] }, KERNELS);
    }
  };
}
