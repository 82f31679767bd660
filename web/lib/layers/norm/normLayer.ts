import { checkOut, toTensor } from '../../check/arrays.js';
import { listOf } from '../../check/elements.js';
import { checkInteger, showShape, sizeOf, wrongValue } from '../../check/values.js';
import type { Raw } from '../../runtime/raw.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { TensorLike } from '../../types.js';
import { checkNonNegative } from '../base/checkNonNegative.js';
import { backwardOnce, checkForward, ParameterOwner } from '../base/layer.js';
import { Parameters } from '../base/parameters.js';
import type { ParameterSpec } from '../base/specs.js';
import type { ForwardOptions, LayerResult } from '../base/types.js';

/**
 * A norm's two functions in wasm. Arguments that are addresses come first; a weight or bias is 0 if the layer has none.
 */
export interface NormKernels {
  forward(
    raw: Raw,
    x: number,
    weight: number,
    bias: number,
    out: number,
    rows: number,
    width: number,
    eps: number,
  ): void;
  /** Overwrites `gradient`, the output's, with the input's. */
  backward(
    raw: Raw,
    gradient: number,
    x: number,
    weight: number,
    gradWeight: number,
    gradBias: number,
    scratch: number,
    rows: number,
    width: number,
    eps: number,
  ): void;
  scratch(raw: Raw, rows: number, width: number): number;
}

/** What a norm's options say. */
export interface NormSettings {
  readonly operation: string;
  readonly shape: readonly number[];
  readonly eps: number;
  readonly specs: readonly ParameterSpec[];
}

/** Checks the options that all norms have. */
export function checkNorm(
  operation: string,
  given: { normalizedShape: unknown; eps?: unknown },
  eps: number,
): Omit<NormSettings, 'specs'> {
  const axes = listOf(given.normalizedShape) ?? [given.normalizedShape];
  if (axes.length === 0) wrongValue(operation, 'normalizedShape of at least one axis', 'none');
  return {
    operation,
    shape: axes.map((axis) => checkInteger(operation, 'normalizedShape', axis, 1, 2 ** 24)),
    eps: given.eps === undefined ? eps : checkNonNegative(operation, 'eps', given.eps),
  };
}

/** A layer that normalises the last axes of its input. */
export class NormLayer extends ParameterOwner {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
  readonly #settings: NormSettings;
  readonly #kernels: NormKernels;

  constructor(wasm: Wasm, settings: NormSettings, kernels: NormKernels) {
    const parameters = new Parameters(wasm, settings.operation, settings.specs);
    super(parameters);
    this.#wasm = wasm;
    this.#parameters = parameters;
    this.#settings = settings;
    this.#kernels = kernels;
  }

  forward(x: TensorLike, options?: ForwardOptions): LayerResult {
    const parameters = this.#parameters;
    const { raw, memory } = this.#wasm;
    const { operation, shape: normalised, eps } = this.#settings;
    const kernels = this.#kernels;
    const name = `${operation}.forward`;
    parameters.check(name);
    const { training, out: given } = checkForward(name, options);
    const input = toTensor(name, 'x', x);
    const last = input.shape.slice(-normalised.length);
    if (showShape(last) !== showShape(normalised)) {
      wrongValue(name, `x with last axes ${showShape(normalised)}`, `shape ${showShape(input.shape)}`);
    }
    const size = input.data.length;
    const width = sizeOf(normalised);
    const rows = size / width;
    const shape = [...input.shape];
    const into = checkOut(name, 'out.output', given, size);
    // Again: reading what is the caller's may have run his code.
    parameters.check(name);
    const kept = training ? input.data.slice() : input.data;
    const data = memory.scope(name, () => {
      const placed = memory.floats(input.data);
      const [weight, bias] = [parameters.address('weight'), parameters.address('bias')];
      kernels.forward(raw, placed, weight, bias, placed, rows, width, eps);
      return memory.read(placed, size, into);
    });
    const output = { data, shape };
    if (!training) return { output };
    const backward = backwardOnce(memory, operation, parameters, shape, shape, (gradient, into) => {
      const before = memory.floats(kept);
      const gradWeight = parameters.gradient('weight');
      const gradBias = parameters.gradient('bias');
      const weight = parameters.address('weight');
      const scratch = weight && memory.reserve(kernels.scratch(raw, rows, width));
      kernels.backward(raw, gradient, before, weight, gradWeight, gradBias, scratch, rows, width, eps);
      return memory.read(gradient, size, into);
    });
    return { output, backward };
  }
}
