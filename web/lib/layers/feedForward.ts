import { checkOut, toTensor } from '../check/arrays.js';
import { checkOptions, type Known } from '../check/options.js';
import { checkBoolean, checkInteger, showShape, wrongKind, wrongValue } from '../check/values.js';
import { activations } from '../generated/bindings/enums.js';
import * as F from '../generated/bindings/feedForwardArgs.js';
import * as G from '../generated/bindings/feedForwardGradArgs.js';
import { clearArgs, words } from '../runtime/args.js';
import type { Wasm } from '../runtime/wasm.js';
import type { TensorLike } from '../types.js';
import { backwardOnce, checkForward, ParameterOwner } from './base/layer.js';
import { Parameters } from './base/parameters.js';
import { seedOf } from './base/random.js';
import { linearSpecs } from './base/specs.js';
import type { ForwardOptions, Layer, LayerResult } from './base/types.js';

/** 'relu' is max(x, 0), 'gelu' x·Φ(x), 'gelu-tanh' its approximation by a hyperbolic tangent (Hendrycks and Gimpel 2016). */
export type Activation = 'relu' | 'gelu' | 'gelu-tanh';

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
const OPTIONS: Known<FeedForwardOptions> = { numHiddens: 1, ffnHiddens: 1, activation: 1, bias: 1, seed: 1 };
const FORWARD = `${OPERATION}.forward`;

/** The class for a loaded module. */
export function feedForwardClass(wasm: Wasm): new (options: FeedForwardOptions) => FeedForward {
  return class FeedForward extends FeedForwardLayer {
    constructor(options: FeedForwardOptions) {
      super(wasm, options);
    }
  };
}

/** Its number in C++. */
export function checkActivation(operation: string, activation: unknown): number {
  if (activation === undefined) return 0;
  const expected = `activation to be one of ${activations.join(', ')}`;
  if (typeof activation !== 'string') wrongKind(operation, expected, activation);
  const index = activations.indexOf(activation as Activation);
  return index < 0 ? wrongValue(operation, expected, activation) : index;
}

class FeedForwardLayer extends ParameterOwner implements FeedForward {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
  readonly #width: number;
  readonly #hiddenWidth: number;
  readonly #activation: number;

  constructor(wasm: Wasm, options: FeedForwardOptions) {
    const given = checkOptions(OPERATION, options, OPTIONS);
    const width = checkInteger(OPERATION, 'numHiddens', given.numHiddens, 1, 2 ** 24);
    const hiddenWidth = checkInteger(OPERATION, 'ffnHiddens', given.ffnHiddens, 1, 2 ** 24);
    const activation = checkActivation(OPERATION, given.activation);
    const bias = given.bias === undefined || checkBoolean(OPERATION, 'bias', given.bias);
    const seed = seedOf(OPERATION, given.seed);
    const parameters = new Parameters(wasm, OPERATION, [
      ...linearSpecs('dense1', hiddenWidth, width, bias, seed, 0),
      ...linearSpecs('dense2', width, hiddenWidth, bias, seed, 2),
    ]);
    super(parameters);
    this.#wasm = wasm;
    this.#parameters = parameters;
    this.#width = width;
    this.#hiddenWidth = hiddenWidth;
    this.#activation = activation;
  }

  forward(x: TensorLike, options?: ForwardOptions): LayerResult {
    const parameters = this.#parameters;
    const { raw, memory } = this.#wasm;
    const [width, hiddenWidth, activation] = [this.#width, this.#hiddenWidth, this.#activation];
    parameters.check(FORWARD);
    const { training, out: given } = checkForward(FORWARD, options);
    const input = toTensor(FORWARD, 'x', x);
    if (input.shape.at(-1) !== width)
      wrongValue(FORWARD, `x of width ${width}`, `shape ${showShape(input.shape)}`);
    const size = input.data.length;
    const rows = size / width;
    const shape = [...input.shape];
    const into = checkOut(FORWARD, 'out.output', given, size);
    // Again: reading what is the caller's may have run his code.
    parameters.check(FORWARD);
    const kept = training ? input.data.slice() : input.data;
    let keptHidden: Float32Array;
    const data = memory.scope(FORWARD, () => {
      const hidden = training ? memory.reserve(rows * hiddenWidth) : 0;
      const out = memory.reserve(size);
      clearArgs();
      words[F.x] = memory.floats(input.data);
      words[F.packed1] = parameters.packed('dense1.weight');
      words[F.bias1] = parameters.address('dense1.bias');
      words[F.packed2] = parameters.packed('dense2.weight');
      words[F.bias2] = parameters.address('dense2.bias');
      words[F.hidden] = hidden;
      words[F.out] = out;
      words[F.rows] = rows;
      words[F.width] = width;
      words[F.hiddenWidth] = hiddenWidth;
      words[F.activation] = activation;
      memory.run(raw.feedForward);
      if (training) keptHidden = memory.read(hidden, rows * hiddenWidth);
      return memory.read(out, size, into);
    });
    const output = { data, shape };
    if (!training) return { output };
    const backward = backwardOnce(memory, OPERATION, parameters, shape, shape, (gradient, into) => {
      const gradX = memory.reserve(size);
      clearArgs();
      words[G.gradOut] = gradient;
      words[G.x] = memory.floats(kept);
      words[G.hidden] = memory.floats(keptHidden);
      words[G.weight1] = parameters.address('dense1.weight');
      words[G.weight2] = parameters.address('dense2.weight');
      words[G.gradX] = gradX;
      words[G.gradWeight1] = parameters.gradient('dense1.weight');
      words[G.gradBias1] = parameters.gradient('dense1.bias');
      words[G.gradWeight2] = parameters.gradient('dense2.weight');
      words[G.gradBias2] = parameters.gradient('dense2.bias');
      words[G.rows] = rows;
      words[G.width] = width;
      words[G.hiddenWidth] = hiddenWidth;
      words[G.activation] = activation;
      memory.run(raw.feedForwardBackward);
      return memory.read(gradX, size, into);
    });
    return { output, backward };
  }
}
