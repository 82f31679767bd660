/// <reference lib="esnext.disposable" preserve="true" />
import { checkOut, toTensorOfShape } from '../../check/arrays.js';
import { checkOptions, type Known } from '../../check/options.js';
import { checkBoolean, sizeOf, wrongUse } from '../../check/values.js';
import { disposeSymbol } from '../../runtime/dispose.js';
import { fresh, type Memory } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { FloatArray, Tensor, TensorLike } from '../../types.js';
import type { Parameters } from './parameters.js';
import type { BackwardOptions, ForwardOptions, Parameter } from './types.js';

/** The base of all layers: methods for their parameters. */
export class ParameterOwner {
  readonly #parameters: Parameters;

  constructor(parameters: Parameters) {
    this.#parameters = parameters;
  }

  parameters(): Parameter[] {
    return this.#parameters.list();
  }

  stateDict(): Record<string, Tensor> {
    return this.#parameters.stateDict();
  }

  loadStateDict(state: Record<string, TensorLike>): void {
    this.#parameters.load(state);
  }

  dispose(): void {
    this.#parameters.dispose();
  }

  [disposeSymbol](): void {
    this.dispose();
  }
}

/** Binds a class to a loaded module, the first argument of its constructor. */
export function classOf<Options extends unknown[], T extends object>(
  wasm: Wasm,
  Layer: new (wasm: Wasm, ...options: Options) => T,
): new (...options: Options) => T {
  // Not `T` as the base, because TypeScript would need to know all of its members.
  const Base = Layer as unknown as new (wasm: Wasm, ...options: Options) => object;
  return class extends Base {
    constructor(...options: Options) {
      super(wasm, ...options);
    }
  } as new (...options: Options) => T;
}

const FORWARD_OPTIONS: Known<ForwardOptions> = { training: 1, out: { output: 1 } };
const BACKWARD_OPTIONS: Known<BackwardOptions> = { out: { input: 1 } };

/** Checks the options of a forward pass; `out` is checked once its length is known. */
export function checkForward(
  operation: string,
  options: ForwardOptions | undefined,
): { training: boolean; out: FloatArray | undefined } {
  const { training, out } = checkOptions(operation, options, FORWARD_OPTIONS);
  return { training: checkTraining(operation, training), out: out?.output };
}

/** Checks the option `training`. */
export function checkTraining(operation: string, training: boolean | null | undefined): boolean {
  return training != null && checkBoolean(operation, 'training', training);
}

/** Stack frames of 12 to 25 kB together; the deepest pass needs 8. */
const FRAMES = 200;

/** Overflows a nearly full stack now rather than in the middle of a pass, when some gradients have already changed. */
function probeStack(frames: number): number {
  return frames === 0 ? 0 : 1 + probeStack(frames - 1);
}

/**
 * Makes the backward function of one pass, which can be called once and then releases the pass. `run` gets the checked
 * gradient and returns the result. It must allocate all memory before it changes a gradient, so that a call that runs
 * out of memory changes nothing.
 *
 * @param known the options of the backward function
 */
export function runOnce<T>(
  layer: string,
  owner: { check(operation: string): void },
  outputShape: readonly number[],
  run: (operation: string, gradOutput: Float32Array, options: BackwardOptions) => T,
  known = BACKWARD_OPTIONS,
): (gradOutput: TensorLike, options?: BackwardOptions) => T {
  const operation = `${layer}.backward`;
  let left: typeof run | undefined = run;
  return (gradOutput, options) => {
    owner.check(operation);
    const run = left ?? wrongUse(operation, 'one call for each forward pass', 'a second one');
    const given = checkOptions(operation, options, known);
    const gradient = toTensorOfShape(operation, 'gradOutput', gradOutput, outputShape);
    probeStack(FRAMES);
    const result = run(operation, gradient.data, given);
    left = undefined;
    return result;
  };
}

/**
 * `runOnce` for layers with one input. `run` is called in a scope of the memory with the address of the output's
 * gradient, and fills `into` with the input's gradient and returns it.
 */
export function backwardOnce(
  memory: Memory,
  layer: string,
  owner: { check(operation: string): void },
  outputShape: readonly number[],
  inputShape: readonly number[],
  run: (gradient: number, into: Float32Array) => Float32Array,
): (gradOutput: TensorLike, options?: BackwardOptions) => { input: Tensor } {
  // A copy, since the caller may change the shape of the output.
  const shape = [...inputShape];
  return runOnce(layer, owner, [...outputShape], (operation, gradOutput, options) => {
    const size = sizeOf(shape);
    const into = checkInto(operation, options, size) ?? fresh(operation, Float32Array, size);
    const data = memory.scope(operation, () => run(memory.floats(gradOutput), into));
    return { input: { data, shape: [...shape] } };
  });
}

/** Checks the option `out.input` for an input of `size` numbers. */
export function checkInto(operation: string, { out }: BackwardOptions, size: number): Float32Array | undefined {
  return checkOut(operation, 'out.input', out?.input, size);
}
