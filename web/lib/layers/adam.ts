/// <reference lib="esnext.disposable" preserve="true" />
import { listOf } from '../check/elements.js';
import { checkOptions, type Known } from '../check/options.js';
import { checkFinite, checkNonNegative, wrongKind, wrongUse, wrongValue } from '../check/values.js';
import { disposeSymbol } from '../runtime/dispose.js';
import type { Memory } from '../runtime/memory.js';
import type { Wasm } from '../runtime/wasm.js';
import { checkParameters, type StoredParameter } from './base/storedParameters.js';
import type { Parameter } from './base/types.js';

/** The options of `Adam`. */
export interface AdamOptions {
  /** Learning rate. Default 1e-3. */
  lr?: number;
  /** Decay rates of the averages of the gradient and of its square, each within [0, 1). Default [0.9, 0.999]. */
  betas?: readonly [number, number];
  /** Added to the root of the average square. Default 1e-8. */
  eps?: number;
  /**
   * Adds this times the parameter to its gradient: the L2 penalty of torch.optim.Adam, not AdamW's decay. Default 0.
   */
  weightDecay?: number;
  /**
   * Before each step, scales all gradients down to at most this joint Euclidean norm, as
   * torch.nn.utils.clip_grad_norm_ does. By default there is no limit.
   */
  maxGradNorm?: number;
}

/**
 * torch.optim.Adam (Kingma and Ba 2015). Its two averages for each parameter are in wasm memory, which is freed on
 * `dispose()`, at the end of a `using` block, or when the optimizer is garbage-collected.
 */
export interface Adam {
  /** The learning rate of the next step; may be set. */
  lr: number;
  /**
   * Updates every parameter from its gradient. A parameter that no backward pass has reached yet stays unchanged.
   *
   * @throws TypeError if the layer of a parameter was disposed; then nothing is changed
   */
  step(): void;
  /** Sets every gradient to zero. */
  zeroGrad(): void;
  dispose(): void;
  [Symbol.dispose](): void;
}

const OPERATION = 'Adam';
const OPTIONS: Known<AdamOptions> = { lr: 1, betas: 1, eps: 1, weightDecay: 1, maxGradNorm: 1 };

// Frees the memory of an optimizer that was garbage-collected without dispose().
const registry = new FinalizationRegistry<() => void>((release) => release());

/** A parameter's averages, of the gradient and then of its square, and the number of steps so far. */
interface State {
  address: number;
  steps: number;
}

export class AdamOptimizer implements Adam {
  readonly #parameters: readonly StoredParameter[];
  readonly #states = new Map<StoredParameter, State>();
  /** The memory of all states. */
  readonly #blocks: { readonly memory: Memory; readonly address: number }[] = [];
  readonly #betas: readonly [number, number];
  readonly #eps: number;
  readonly #weightDecay: number;
  readonly #maxGradNorm: number | undefined;
  readonly #release: () => void;
  #lr: number;
  #disposed = false;

  constructor(wasm: Wasm, parameters: Iterable<Parameter>, options?: AdamOptions) {
    const { lr = 1e-3, betas, eps = 1e-8, weightDecay = 0, maxGradNorm } = checkOptions(OPERATION, options, OPTIONS);
    this.#parameters = checkParameters(OPERATION, wasm, parameters);
    this.#lr = checkNonNegative(OPERATION, 'lr', lr);
    this.#betas = checkBetas(betas);
    this.#eps = checkNonNegative(OPERATION, 'eps', eps);
    this.#weightDecay = checkNonNegative(OPERATION, 'weightDecay', weightDecay);
    this.#maxGradNorm =
      maxGradNorm === undefined ? undefined : checkFinite(OPERATION, 'maxGradNorm', maxGradNorm, true);
    const blocks = this.#blocks;
    // A closure that refers to `this` or to parameters would keep the optimizer or their layers from being collected.
    this.#release = () => {
      for (let block = blocks.at(-1); block; block = blocks.at(-1)) {
        block.memory.release(block.address);
        blocks.length -= 1;
      }
    };
    registry.register(this, this.#release, this);
  }

  get lr(): number {
    return this.#lr;
  }

  set lr(value: number) {
    this.#lr = checkNonNegative(OPERATION, 'lr', value);
  }

  step(): void {
    const operation = `${OPERATION}.step`;
    this.#check(operation);
    const reached = this.#parameters.filter((parameter) => parameter.gradient() !== 0);
    const states = reached.map((parameter) => this.#state(operation, parameter));
    this.#clip(reached);
    const [beta1, beta2] = this.#betas;
    reached.forEach((parameter, i) => {
      const state = states[i]!;
      const { size } = parameter;
      const steps = ++state.steps;
      const stepSize = this.#lr / (1 - beta1 ** steps);
      const rootCorrection = Math.sqrt(1 - beta2 ** steps);
      const [mean, square] = [state.address, state.address + 4 * size];
      const { memory, raw } = parameter.wasm;
      memory.scope(operation, () =>
        raw.adam(
          parameter.address(),
          parameter.gradient(),
          mean,
          square,
          size,
          beta1,
          beta2,
          stepSize,
          rootCorrection,
          this.#eps,
          this.#weightDecay,
        ),
      );
      parameter.changed();
    });
  }

  zeroGrad(): void {
    this.#check(`${OPERATION}.zeroGrad`);
    for (const parameter of this.#parameters) {
      if (parameter.gradient() !== 0) parameter.wasm.memory.clear(parameter.gradient(), parameter.size);
    }
  }

  dispose(): void {
    this.#disposed = true;
    this.#release();
    registry.unregister(this);
  }

  [disposeSymbol](): void {
    this.dispose();
  }

  #check(operation: string): void {
    if (this.#disposed) wrongUse(operation, 'an optimizer in use', 'a disposed one');
    for (const parameter of this.#parameters) parameter.check(operation);
  }

  #state(operation: string, parameter: StoredParameter): State {
    let state = this.#states.get(parameter);
    if (!state) {
      const { memory } = parameter.wasm;
      state = { address: memory.allocate(operation, 2 * parameter.size), steps: 0 };
      this.#states.set(parameter, state);
      this.#blocks.push({ memory, address: state.address });
    }
    return state;
  }

  #clip(parameters: readonly StoredParameter[]): void {
    if (this.#maxGradNorm === undefined) return;
    const squares = parameters.map((parameter) =>
      parameter.wasm.raw.sumOfSquares(parameter.gradient(), parameter.size),
    );
    const norm = Math.sqrt(squares.reduce((sum, square) => sum + square, 0));
    // PyTorch's guard against a division by zero.
    const factor = this.#maxGradNorm / (norm + 1e-6);
    if (factor >= 1) return;
    for (const parameter of parameters) {
      parameter.wasm.raw.scaleInPlace(parameter.gradient(), parameter.size, factor);
    }
  }
}

function checkBetas(betas: unknown): readonly [number, number] {
  if (betas === undefined) return [0.9, 0.999];
  const pair = listOf(betas) ?? wrongKind(OPERATION, 'betas to be two numbers', betas);
  if (pair.length !== 2) wrongValue(OPERATION, 'betas to be two numbers', pair.length);
  return pair.map((beta) => {
    const decay = checkNonNegative(OPERATION, 'betas', beta);
    return decay < 1 ? decay : wrongValue(OPERATION, 'betas below 1', decay);
  }) as [number, number];
}
