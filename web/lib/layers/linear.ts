import { checkOut, toTensor } from '../check/arrays.js';
import { checkOptions, type Known } from '../check/options.js';
import { checkBoolean, checkInteger, showShape, wrongValue } from '../check/values.js';
import { checkMatrixType, type MatrixType } from '../check/weightType.js';
import * as LinearGradArgs from '../generated/bindings/linearGradArgs.js';
import { clearArgs, words } from '../runtime/args.js';
import type { Wasm } from '../runtime/wasm.js';
import { setLinear } from '../steps/steps.js';
import type { TensorLike } from '../types.js';
import { Activations } from './base/activations.js';
import { backwardOnce, checkForward, ParameterOwner } from './base/layer.js';
import { Parameters } from './base/parameters.js';
import { seedOf } from './base/random.js';
import { linearSpecs } from './base/specs.js';
import type { ForwardOptions, Layer, LayerResult } from './base/types.js';

/** The options of `Linear`. */
export interface LinearOptions {
  inFeatures: number;
  outFeatures: number;
  /** Whether to add a bias. Default true. */
  bias?: boolean;
  /**
   * How the weight is stored: 'float16' takes half the memory, 'int8' and 'int8-fine' a quarter. Only
   * 'float32', the default, can be trained.
   */
  weightType?: MatrixType;
  /**
   * Seed of the initial values, uniform within ±1/sqrt(inFeatures) as in PyTorch. By default each layer has a random
   * one.
   */
  seed?: number;
}

/** x·weightᵀ + bias: torch.nn.Linear. State: `weight` (outFeatures, inFeatures) and `bias` (outFeatures,). */
export interface Linear extends Layer {
  /**
   * @param x (…, inFeatures)
   * @returns output (…, outFeatures)
   * @example
   * const layer = new attention.Linear({ inFeatures: 64, outFeatures: 10 });
   * const { output, backward } = layer.forward(x, { training: true });
   */
  forward(x: TensorLike, options?: ForwardOptions): LayerResult;
}

const OPERATION = 'Linear';
const OPTIONS: Known<LinearOptions> = { inFeatures: 1, outFeatures: 1, bias: 1, weightType: 1, seed: 1 };
const FORWARD = `${OPERATION}.forward`;

export class LinearLayer extends ParameterOwner implements Linear {
  readonly #wasm: Wasm;
  readonly #parameters: Parameters;
  readonly #activations: Activations;
  readonly #inputs: number;
  readonly #outputs: number;

  constructor(wasm: Wasm, options: LinearOptions) {
    const given = checkOptions(OPERATION, options, OPTIONS);
    const inputs = checkInteger(OPERATION, 'inFeatures', given.inFeatures, 1, 2 ** 24);
    const outputs = checkInteger(OPERATION, 'outFeatures', given.outFeatures, 1, 2 ** 24);
    const bias = given.bias === undefined || checkBoolean(OPERATION, 'bias', given.bias);
    const seed = seedOf(OPERATION, given.seed);
    const weightType = checkMatrixType(OPERATION, 'weightType', given.weightType);
    const specs = linearSpecs('', outputs, inputs, bias, seed, 0);
    const parameters = new Parameters(wasm, OPERATION, specs, weightType);
    super(parameters);
    this.#wasm = wasm;
    this.#parameters = parameters;
    this.#activations = new Activations(wasm.memory);
    this.#inputs = inputs;
    this.#outputs = outputs;
  }

  forward(x: TensorLike, options?: ForwardOptions): LayerResult {
    const parameters = this.#parameters;
    const { raw, memory } = this.#wasm;
    const [inputs, outputs] = [this.#inputs, this.#outputs];
    parameters.check(FORWARD);
    const { training, out: given } = checkForward(FORWARD, options);
    parameters.checkTraining(FORWARD, training);
    const input = toTensor(FORWARD, 'x', x);
    if (input.shape.at(-1) !== inputs) wrongValue(FORWARD, `x of width ${inputs}`, `shape ${showShape(input.shape)}`);
    const rows = input.data.length / inputs;
    const shape = [...input.shape.slice(0, -1), outputs];
    const size = input.data.length;
    const into = checkOut(FORWARD, 'out.output', given, rows * outputs);
    const { data, kept } = memory.scope(FORWARD, () => {
      const matrix = parameters.matrix('weight', 'bias');
      const out = memory.output(rows * outputs, into);
      const kept = training ? this.#activations.take(FORWARD, size) : undefined;
      const placed = kept?.place() ?? memory.input(input.data);
      if (kept) memory.write(placed, input.data);
      setLinear(placed, matrix, out, rows);
      memory.run(raw.linear);
      return { data: memory.read(out, rows * outputs, into), kept };
    });
    const output = { data, shape };
    if (!kept) return { output };
    const backward = backwardOnce(memory, OPERATION, parameters, shape, input.shape, (gradient, into) => {
      const gradX = memory.reserve(size);
      const sizes = { gradOut: gradient, x: kept.place(), gradX, rows, inputs, outputs };
      setLinearBackward(parameters, '', sizes);
      memory.run(raw.linearBackward);
      kept.done();
      return memory.read(gradX, size, into);
    });
    return { output, backward };
  }

  override dispose(): void {
    super.dispose();
    this.#activations.dispose();
  }
}

/** Addresses of gradients and inputs, and sizes. */
export interface LinearBackward {
  readonly gradOut: number;
  readonly x: number;
  readonly gradX: number;
  readonly rows: number;
  readonly inputs: number;
  readonly outputs: number;
}

/** Sets C++'s LinearGradArgs for the parameters `${prefix}weight` and `${prefix}bias`. */
export function setLinearBackward(
  parameters: Parameters,
  prefix: string,
  { gradOut, x, gradX, rows, inputs, outputs }: LinearBackward,
): void {
  clearArgs();
  words[LinearGradArgs.gradOut] = gradOut;
  words[LinearGradArgs.x] = x;
  words[LinearGradArgs.weight] = parameters.address(`${prefix}weight`);
  words[LinearGradArgs.gradX] = gradX;
  words[LinearGradArgs.gradWeight] = parameters.gradient(`${prefix}weight`);
  words[LinearGradArgs.gradBias] = parameters.gradient(`${prefix}bias`);
  words[LinearGradArgs.rows] = rows;
  words[LinearGradArgs.inputs] = inputs;
  words[LinearGradArgs.outputs] = outputs;
}
