import { checkOut, toTensor } from '../check/arrays.js';
import { listOf } from '../check/elements.js';
import { checkOptions, type Known } from '../check/options.js';
import { checkBoolean, checkInteger, checkNonNegative, showShape, sizeOf, wrongValue } from '../check/values.js';
import { norms } from '../generated/bindings/enums.js';
import * as NormGradArgs from '../generated/bindings/normGradArgs.js';
import { clearArgs, floats, words } from '../runtime/args.js';
import type { Wasm } from '../runtime/wasm.js';
import { setNorm, type Norm } from '../steps/steps.js';
import type { TensorLike } from '../types.js';
import { backwardOnce, checkForward, ParameterOwner } from './base/layer.js';
import { Parameters } from './base/parameters.js';
import { constantSpec, type ParameterSpec } from './base/specs.js';
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

/** A layer that normalises the last axes of its input. */
class NormLayer extends ParameterOwner {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
  readonly #operation: string;
  readonly #shape: readonly number[];
  readonly #kind: Norm['kind'];
  readonly #eps: number;

  constructor(
    wasm: Wasm,
    operation: string,
    kind: Norm['kind'],
    given: { normalizedShape: unknown; eps?: unknown },
    eps: number,
    specsOf: (shape: readonly number[]) => ParameterSpec[],
  ) {
    const axes = listOf(given.normalizedShape) ?? [given.normalizedShape];
    if (axes.length === 0) wrongValue(operation, 'normalizedShape of at least one axis', 'none');
    const shape = axes.map((axis) => checkInteger(operation, 'normalizedShape', axis, 1, 2 ** 24));
    const checkedEps = given.eps === undefined ? eps : checkNonNegative(operation, 'eps', given.eps);
    const parameters = new Parameters(wasm, operation, specsOf(shape));
    super(parameters);
    this.#wasm = wasm;
    this.#parameters = parameters;
    this.#operation = operation;
    this.#shape = shape;
    this.#kind = kind;
    this.#eps = checkedEps;
  }

  forward(x: TensorLike, options?: ForwardOptions): LayerResult {
    const parameters = this.#parameters;
    const { raw, memory } = this.#wasm;
    const operation = this.#operation;
    const name = `${operation}.forward`;
    parameters.check(name);
    const { training, out: given } = checkForward(name, options);
    const input = toTensor(name, 'x', x);
    const normalised = this.#shape;
    const last = input.shape.slice(-normalised.length);
    if (showShape(last) !== showShape(normalised)) {
      wrongValue(name, `x with last axes ${showShape(normalised)}`, `shape ${showShape(input.shape)}`);
    }
    const size = input.data.length;
    const width = sizeOf(normalised);
    const rows = size / width;
    const shape = [...input.shape];
    const into = checkOut(name, 'out.output', given, size);
    const kept = training ? input.data.slice() : input.data;
    const norm = {
      kind: this.#kind,
      weight: parameters.address('weight'),
      bias: parameters.address('bias'),
      eps: this.#eps,
    };
    const data = memory.scope(name, () => {
      const placed = memory.floats(input.data);
      setNorm(placed, norm, placed, rows, width);
      raw.norm(memory.args());
      return memory.read(placed, size, into);
    });
    const output = { data, shape };
    if (!training) return { output };
    const backward = backwardOnce(memory, operation, parameters, shape, shape, (gradient, into) => {
      setNormBackward(memory.floats(kept), norm, gradient, parameters, '', rows, width);
      memory.run(raw.normBackward);
      return memory.read(gradient, size, into);
    });
    return { output, backward };
  }
}

/** Sets NormGradArgs in ARGS for the norm's parameters, whose names have this prefix. */
export function setNormBackward(
  x: number,
  { kind, weight, eps }: Norm,
  gradient: number,
  parameters: Parameters,
  prefix: string,
  rows: number,
  dim: number,
): void {
  clearArgs();
  words[NormGradArgs.x] = x;
  words[NormGradArgs.weight] = weight;
  words[NormGradArgs.gradient] = gradient;
  words[NormGradArgs.gradWeight] = parameters.gradient(`${prefix}weight`);
  words[NormGradArgs.gradBias] = parameters.gradient(`${prefix}bias`);
  words[NormGradArgs.rows] = rows;
  words[NormGradArgs.dim] = dim;
  words[NormGradArgs.norm] = norms.indexOf(kind);
  floats[NormGradArgs.eps] = eps;
}

const LAYER_OPTIONS: Known<LayerNormOptions> = { normalizedShape: 1, eps: 1, affine: 1 };
const RMS_OPTIONS: Known<RMSNormOptions> = { normalizedShape: 1, eps: 1 };

export class LayerNormLayer extends NormLayer {
  constructor(wasm: Wasm, options: LayerNormOptions) {
    const operation = 'LayerNorm';
    const given = checkOptions(operation, options, LAYER_OPTIONS);
    const affine = given.affine === undefined || checkBoolean(operation, 'affine', given.affine);
    super(wasm, operation, 'layer', given, 1e-5, (shape) =>
      affine ? [constantSpec('weight', shape, 1), constantSpec('bias', shape, 0)] : [],
    );
  }
}

export class RMSNormLayer extends NormLayer {
  constructor(wasm: Wasm, options: RMSNormOptions) {
    const operation = 'RMSNorm';
    const given = checkOptions(operation, options, RMS_OPTIONS);
    super(wasm, operation, 'rms', given, 1e-6, (shape) => [constantSpec('weight', shape, 1)]);
  }
}
