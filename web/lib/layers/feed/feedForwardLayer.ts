import { checkOut, toTensor } from '../../check/arrays.js';
import { checkBoolean, checkInteger, showShape, wrongKind, wrongValue } from '../../check/values.js';
import { checkWeightType } from '../../check/weightType.js';
import { activations } from '../../generated/bindings/enums.js';
import * as F from '../../generated/bindings/feedForwardArgs.js';
import * as G from '../../generated/bindings/feedForwardGradArgs.js';
import { clearArgs, words } from '../../runtime/args.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { TensorLike } from '../../types.js';
import { backwardOnce, checkForward, ParameterOwner } from '../base/layer.js';
import { Parameters } from '../base/parameters.js';
import { seedOf } from '../base/random.js';
import type { ParameterSpec } from '../base/specs.js';
import type { ForwardOptions, LayerResult } from '../base/types.js';

/**
 * 'relu' is max(x, 0), 'gelu' x·Φ(x), 'gelu-tanh' its approximation by a hyperbolic tangent (Hendrycks and Gimpel
 * 2016), 'sigmoid' 1/(1 + e^-x), and 'silu' x·sigmoid(x).
 */
export type Activation = 'relu' | 'gelu' | 'gelu-tanh' | 'silu' | 'sigmoid';

/** Its number in C++. */
export function checkActivation(operation: string, activation: unknown, otherwise: Activation = 'relu'): number {
  if (activation === undefined) return activations.indexOf(otherwise);
  const expected = `activation to be one of ${activations.join(', ')}`;
  if (typeof activation !== 'string') wrongKind(operation, expected, activation);
  const index = activations.indexOf(activation as Activation);
  return index < 0 ? wrongValue(operation, expected, activation) : index;
}

/** Checks the options that both layers have. */
export function checkFeedForward(
  operation: string,
  given: {
    numHiddens: unknown;
    ffnHiddens: unknown;
    activation?: unknown;
    bias?: unknown;
    weightType?: unknown;
    seed?: unknown;
  },
  defaults: { activation: Activation; bias: boolean },
): {
  width: number;
  hiddenWidth: number;
  activation: number;
  bias: boolean;
  weightType: number;
  seed: number;
} {
  return {
    width: checkInteger(operation, 'numHiddens', given.numHiddens, 1, 2 ** 24),
    hiddenWidth: checkInteger(operation, 'ffnHiddens', given.ffnHiddens, 1, 2 ** 24),
    activation: checkActivation(operation, given.activation, defaults.activation),
    bias: given.bias === undefined ? defaults.bias : checkBoolean(operation, 'bias', given.bias),
    weightType: checkWeightType(operation, 'weightType', given.weightType),
    seed: seedOf(operation, given.seed as number | undefined),
  };
}

/** The layer's names and settings. */
export interface FeedForwardSettings {
  readonly operation: string;
  readonly width: number;
  readonly hiddenWidth: number;
  /** Its number in C++. */
  readonly activation: number;
  /** As C++ calls it. */
  readonly weightType: number;
  /** Whether the first map has gates and then values, of hiddenWidth each, in place of hidden units. */
  readonly gated: boolean;
  /** The prefixes of the two maps' parameters. */
  readonly first: string;
  readonly second: string;
  readonly specs: readonly ParameterSpec[];
}

/** A layer of two linear maps with an activation between them. */
export class FeedForwardLayer extends ParameterOwner {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
  readonly #settings: FeedForwardSettings;

  constructor(wasm: Wasm, settings: FeedForwardSettings) {
    const parameters = new Parameters(wasm, settings.operation, settings.specs, settings.weightType);
    super(parameters);
    this.#wasm = wasm;
    this.#parameters = parameters;
    this.#settings = settings;
  }

  forward(x: TensorLike, options?: ForwardOptions): LayerResult {
    const parameters = this.#parameters;
    const { raw, memory } = this.#wasm;
    const { operation, width, hiddenWidth, activation, gated, first, second } = this.#settings;
    const innerWidth = gated ? 2 * hiddenWidth : hiddenWidth;
    const name = `${operation}.forward`;
    parameters.check(name);
    const { training, out: given } = checkForward(name, options);
    parameters.checkTraining(name, training);
    const input = toTensor(name, 'x', x);
    if (input.shape.at(-1) !== width) wrongValue(name, `x of width ${width}`, `shape ${showShape(input.shape)}`);
    const size = input.data.length;
    const rows = size / width;
    const shape = [...input.shape];
    const into = checkOut(name, 'out.output', given, size);
    // Again: reading what is the caller's may have run his code.
    parameters.check(name);
    const kept = training ? input.data.slice() : input.data;
    let keptHidden: Float32Array;
    const data = memory.scope(name, () => {
      const hidden = training ? memory.reserve(rows * innerWidth) : 0;
      const out = memory.reserve(size);
      clearArgs();
      words[F.x] = memory.floats(input.data);
      words[F.packed1] = parameters.packed(`${first}.weight`);
      words[F.bias1] = parameters.address(`${first}.bias`);
      words[F.packed2] = parameters.packed(`${second}.weight`);
      words[F.bias2] = parameters.address(`${second}.bias`);
      words[F.hidden] = hidden;
      words[F.out] = out;
      words[F.rows] = rows;
      words[F.width] = width;
      words[F.hiddenWidth] = hiddenWidth;
      words[F.gated] = Number(gated);
      words[F.weightType] = parameters.weightType;
      words[F.activation] = activation;
      memory.run(raw.feedForward);
      if (training) keptHidden = memory.read(hidden, rows * innerWidth);
      return memory.read(out, size, into);
    });
    const output = { data, shape };
    if (!training) return { output };
    const backward = backwardOnce(memory, operation, parameters, shape, shape, (gradient, into) => {
      const gradX = memory.reserve(size);
      clearArgs();
      words[G.gradOut] = gradient;
      words[G.x] = memory.floats(kept);
      words[G.hidden] = memory.floats(keptHidden);
      words[G.weight1] = parameters.address(`${first}.weight`);
      words[G.weight2] = parameters.address(`${second}.weight`);
      words[G.gradX] = gradX;
      words[G.gradWeight1] = parameters.gradient(`${first}.weight`);
      words[G.gradBias1] = parameters.gradient(`${first}.bias`);
      words[G.gradWeight2] = parameters.gradient(`${second}.weight`);
      words[G.gradBias2] = parameters.gradient(`${second}.bias`);
      words[G.rows] = rows;
      words[G.width] = width;
      words[G.hiddenWidth] = hiddenWidth;
      words[G.gated] = Number(gated);
      words[G.activation] = activation;
      memory.run(raw.feedForwardBackward);
      return memory.read(gradX, size, into);
    });
    return { output, backward };
  }
}
