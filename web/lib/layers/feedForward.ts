import { checkOut, toTensor } from '../check/arrays.js';
import { checkOptions, type Known } from '../check/options.js';
import { checkBoolean, checkInteger, showShape, wrongKind, wrongValue } from '../check/values.js';
import { checkMatrixType, type MatrixType } from '../check/weightType.js';
import { activations } from '../generated/bindings/enums.js';
import * as FeedForwardArgs from '../generated/bindings/feedForwardArgs.js';
import * as FeedForwardGradArgs from '../generated/bindings/feedForwardGradArgs.js';
import { clearArgs, words } from '../runtime/args.js';
import type { Wasm } from '../runtime/wasm.js';
import type { TensorLike } from '../types.js';
import { backwardOnce, checkForward, ParameterOwner } from './base/layer.js';
import { Parameters } from './base/parameters.js';
import { seedOf } from './base/random.js';
import { linearSpecs, type ParameterSpec } from './base/specs.js';
import type { ForwardOptions, Layer, LayerResult } from './base/types.js';

/**
 * 'relu' is max(x, 0), 'gelu' x·Φ(x), 'gelu-tanh' its approximation by a hyperbolic tangent (Hendrycks and Gimpel
 * 2016), 'sigmoid' 1/(1 + e^-x), 'silu' x·sigmoid(x), and 'quick-gelu' x·sigmoid(1.702·x), as CLIP has it.
 */
export type Activation = 'relu' | 'gelu' | 'gelu-tanh' | 'silu' | 'sigmoid' | 'quick-gelu';

/** Its number in C++. */
export function checkActivation(operation: string, activation: unknown, otherwise: Activation = 'relu'): number {
  if (activation === undefined) return activations.indexOf(otherwise);
  const expected = `activation to be one of ${activations.join(', ')}`;
  if (typeof activation !== 'string') wrongKind(operation, expected, activation);
  const index = activations.indexOf(activation as Activation);
  return index < 0 ? wrongValue(operation, expected, activation) : index;
}

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
   * How the matrices are stored: 'float16' takes half the memory, 'int8' and 'int8-fine' a quarter. Only
   * 'float32', the default, can be trained.
   */
  weightType?: MatrixType;
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
   * How the matrices are stored: 'float16' takes half the memory, 'int8' and 'int8-fine' a quarter. Only
   * 'float32', the default, can be trained.
   */
  weightType?: MatrixType;
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

const OPTIONS: Known<FeedForwardOptions> = {
  numHiddens: 1,
  ffnHiddens: 1,
  activation: 1,
  bias: 1,
  weightType: 1,
  seed: 1,
};

/** Checks the options of both layers. */
function checkFeedForward(
  operation: string,
  options: FeedForwardOptions | GatedFeedForwardOptions,
  otherwise: { activation: Activation; bias: boolean },
) {
  const given = checkOptions(operation, options, OPTIONS);
  return {
    operation,
    width: checkInteger(operation, 'numHiddens', given.numHiddens, 1, 2 ** 24),
    hiddenWidth: checkInteger(operation, 'ffnHiddens', given.ffnHiddens, 1, 2 ** 24),
    activation: checkActivation(operation, given.activation, otherwise.activation),
    bias: given.bias === undefined ? otherwise.bias : checkBoolean(operation, 'bias', given.bias),
    weightType: checkMatrixType(operation, 'weightType', given.weightType),
    seed: seedOf(operation, given.seed),
  };
}

/** A layer's names and settings. */
interface FeedForwardSettings {
  readonly operation: string;
  readonly width: number;
  readonly hiddenWidth: number;
  /** Its number in C++. */
  readonly activation: number;
  /** Its number in C++. */
  readonly weightType: number;
  /** Whether the first map computes hiddenWidth gates and then as many values, instead of hidden units. */
  readonly gated: boolean;
  /** The prefixes of the two maps' parameters. */
  readonly first: string;
  readonly second: string;
  readonly specs: readonly ParameterSpec[];
}

/** A layer of two linear maps with an activation between them. */
class FeedForwardLayer extends ParameterOwner {
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
    const kept = training ? input.data.slice() : input.data;
    let keptHidden: Float32Array;
    const data = memory.scope(name, () => {
      const hidden = training ? memory.reserve(rows * innerWidth) : 0;
      const out = memory.reserve(size);
      clearArgs();
      words[FeedForwardArgs.x] = memory.floats(input.data);
      words[FeedForwardArgs.packed1] = parameters.packed(`${first}.weight`);
      words[FeedForwardArgs.bias1] = parameters.address(`${first}.bias`);
      words[FeedForwardArgs.packed2] = parameters.packed(`${second}.weight`);
      words[FeedForwardArgs.bias2] = parameters.address(`${second}.bias`);
      words[FeedForwardArgs.hidden] = hidden;
      words[FeedForwardArgs.out] = out;
      words[FeedForwardArgs.rows] = rows;
      words[FeedForwardArgs.width] = width;
      words[FeedForwardArgs.hiddenWidth] = hiddenWidth;
      words[FeedForwardArgs.gated] = Number(gated);
      words[FeedForwardArgs.weightType] = parameters.weightType;
      words[FeedForwardArgs.activation] = activation;
      memory.run(raw.feedForward);
      if (training) keptHidden = memory.read(hidden, rows * innerWidth);
      return memory.read(out, size, into);
    });
    const output = { data, shape };
    if (!training) return { output };
    const backward = backwardOnce(memory, operation, parameters, shape, shape, (gradient, into) => {
      const gradX = memory.reserve(size);
      clearArgs();
      words[FeedForwardGradArgs.gradOut] = gradient;
      words[FeedForwardGradArgs.x] = memory.floats(kept);
      words[FeedForwardGradArgs.hidden] = memory.floats(keptHidden);
      words[FeedForwardGradArgs.weight1] = parameters.address(`${first}.weight`);
      words[FeedForwardGradArgs.weight2] = parameters.address(`${second}.weight`);
      words[FeedForwardGradArgs.gradX] = gradX;
      words[FeedForwardGradArgs.gradWeight1] = parameters.gradient(`${first}.weight`);
      words[FeedForwardGradArgs.gradBias1] = parameters.gradient(`${first}.bias`);
      words[FeedForwardGradArgs.gradWeight2] = parameters.gradient(`${second}.weight`);
      words[FeedForwardGradArgs.gradBias2] = parameters.gradient(`${second}.bias`);
      words[FeedForwardGradArgs.rows] = rows;
      words[FeedForwardGradArgs.width] = width;
      words[FeedForwardGradArgs.hiddenWidth] = hiddenWidth;
      words[FeedForwardGradArgs.gated] = Number(gated);
      words[FeedForwardGradArgs.activation] = activation;
      memory.run(raw.feedForwardBackward);
      return memory.read(gradX, size, into);
    });
    return { output, backward };
  }
}

export class PlainFeedForward extends FeedForwardLayer {
  constructor(wasm: Wasm, options: FeedForwardOptions) {
    const checked = checkFeedForward('FeedForward', options, { activation: 'relu', bias: true });
    const { width, hiddenWidth, bias, seed } = checked;
    const specs = [
      ...linearSpecs('dense1', hiddenWidth, width, bias, seed, 0),
      ...linearSpecs('dense2', width, hiddenWidth, bias, seed, 2),
    ];
    super(wasm, { ...checked, gated: false, first: 'dense1', second: 'dense2', specs });
  }
}

export class GatedFeedForwardLayer extends FeedForwardLayer {
  constructor(wasm: Wasm, options: GatedFeedForwardOptions) {
    const checked = checkFeedForward('GatedFeedForward', options, { activation: 'silu', bias: false });
    const { width, hiddenWidth, bias, seed } = checked;
    const up = linearSpecs('up_proj', hiddenWidth, width, bias, seed, 2);
    const specs = [
      ...linearSpecs('gate_proj', hiddenWidth, width, bias, seed, 0),
      // One product computes gates and values.
      ...up.map((spec) => ({ ...spec, follows: spec.name.replace('up', 'gate') })),
      ...linearSpecs('down_proj', width, hiddenWidth, bias, seed, 4),
    ];
    super(wasm, { ...checked, gated: true, first: 'gate_proj', second: 'down_proj', specs });
  }
}
