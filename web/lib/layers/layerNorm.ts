import { checkOut, toTensor } from '../check/arrays.js';
import { listOf } from '../check/elements.js';
import { checkOptions, type Known } from '../check/options.js';
import { checkBoolean, checkInteger, showShape, sizeOf, wrongValue } from '../check/values.js';
import type { Wasm } from '../runtime/wasm.js';
import type { TensorLike } from '../types.js';
import { checkNonNegative } from './base/checkNonNegative.js';
import { backwardOnce, checkForward, ParameterOwner } from './base/layer.js';
import { Parameters } from './base/parameters.js';
import { constantSpec } from './base/specs.js';
import type { ForwardOptions, Layer, LayerResult } from './base/types.js';

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
 * (x - mean) / sqrt(variance + eps)·weight + bias over the last axes, with the biased variance: torch.nn.LayerNorm. Ba et
 * al. 2016. State: `weight` and `bias`, both of normalizedShape; empty if `affine` is false.
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
const FORWARD = `${OPERATION}.forward`;

/** The class for a loaded module. */
export function layerNormClass(wasm: Wasm): new (options: LayerNormOptions) => LayerNorm {
  return class LayerNorm extends LayerNormLayer {
    constructor(options: LayerNormOptions) {
      super(wasm, options);
    }
  };
}

function checkNormalizedShape(shape: unknown): number[] {
  const axes = listOf(shape) ?? [shape];
  if (axes.length === 0) wrongValue(OPERATION, 'normalizedShape of at least one axis', 'none');
  return axes.map((axis) => checkInteger(OPERATION, 'normalizedShape', axis, 1, 2 ** 24));
}

class LayerNormLayer extends ParameterOwner implements LayerNorm {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
  readonly #shape: readonly number[];
  readonly #eps: number;

  constructor(wasm: Wasm, options: LayerNormOptions) {
    const given = checkOptions(OPERATION, options, OPTIONS);
    const shape = checkNormalizedShape(given.normalizedShape);
    const eps = given.eps === undefined ? 1e-5 : checkNonNegative(OPERATION, 'eps', given.eps);
    const affine = given.affine === undefined || checkBoolean(OPERATION, 'affine', given.affine);
    const specs = affine ? [constantSpec('weight', shape, 1), constantSpec('bias', shape, 0)] : [];
    const parameters = new Parameters(wasm, OPERATION, specs);
    super(parameters);
    this.#wasm = wasm;
    this.#parameters = parameters;
    this.#shape = shape;
    this.#eps = eps;
  }

  forward(x: TensorLike, options?: ForwardOptions): LayerResult {
    const parameters = this.#parameters;
    const { raw, memory } = this.#wasm;
    const eps = this.#eps;
    parameters.check(FORWARD);
    const { training, out: given } = checkForward(FORWARD, options);
    const input = toTensor(FORWARD, 'x', x);
    const last = input.shape.slice(-this.#shape.length);
    if (showShape(last) !== showShape(this.#shape)) {
      wrongValue(FORWARD, `x with last axes ${showShape(this.#shape)}`, `shape ${showShape(input.shape)}`);
    }
    const size = input.data.length;
    const width = sizeOf(this.#shape);
    const rows = size / width;
    const shape = [...input.shape];
    const into = checkOut(FORWARD, 'out.output', given, size);
    // Again: reading what is the caller's may have run his code.
    parameters.check(FORWARD);
    const kept = training ? input.data.slice() : input.data;
    const data = memory.scope(FORWARD, () => {
      const placed = memory.floats(input.data);
      const [weight, bias] = [parameters.address('weight'), parameters.address('bias')];
      raw.layerNorm(placed, weight, bias, placed, rows, width, eps);
      return memory.read(placed, size, into);
    });
    const output = { data, shape };
    if (!training) return { output };
    const backward = backwardOnce(memory, OPERATION, parameters, shape, shape, (gradient, into) => {
      const before = memory.floats(kept);
      const gradWeight = parameters.gradient('weight');
      const gradBias = parameters.gradient('bias');
      const weight = parameters.address('weight');
      const scratch = weight && memory.reserve(raw.layerNormBackwardScratch(rows, width));
      raw.layerNormBackward(gradient, before, weight, gradient, gradWeight, gradBias, scratch, rows, width, eps); // prettier-ignore
      return memory.read(gradient, size, into);
    });
    return { output, backward };
  }
}
