/// <reference lib="esnext.disposable" preserve="true" />
import type { FloatArray, Tensor, TensorLike } from '../../types.js';

/** A parameter of a layer. `data` and `grad` read as copies; `set` writes. */
export interface Parameter {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
  /** The sum of the gradients of all backward passes; zeros before the first. */
  readonly grad: Float32Array;
  /** @throws RangeError if the length differs from the parameter's */
  set(data: ArrayLike<number>): void;
}

/** The options of a forward pass. */
export interface ForwardOptions {
  /** Whether to return `backward`, and keep what it needs. Default false. */
  training?: boolean;
  /**
   * Write into this array instead of a fresh one, so that a training loop allocates nothing; it may be the array of x.
   */
  out?: { output?: FloatArray };
}

/** The options of a backward pass. */
export interface BackwardOptions {
  /** As in a forward pass, for the gradient of the input; it may be the array of gradOutput. */
  out?: { input?: FloatArray };
}

/** What a forward pass returns. */
export interface LayerResult {
  output: Tensor;
  /**
   * Present if `training`; can be called once, before the parameters change. Adds the gradients of
   * sum(output · gradOutput) to every parameter's `grad`, and returns the gradient of the input.
   *
   * @param gradOutput the shape of `output`
   * @throws TypeError for a second call and after `dispose()`; RangeError for another shape
   */
  backward?: (gradOutput: TensorLike, options?: BackwardOptions) => { input: Tensor };
}

/**
 * A layer owns its parameters in wasm memory, which is freed on `dispose()`, at the end of a `using` block, or when the
 * layer is garbage-collected. A disposed layer throws on use.
 */
export interface Layer {
  forward(x: TensorLike, options?: ForwardOptions): LayerResult;
  parameters(): Parameter[];
  /** Copies of the parameters, with PyTorch's names and shapes. */
  stateDict(): Record<string, Tensor>;
  /** Checks every name and shape before it changes anything. */
  loadStateDict(state: Record<string, TensorLike>): void;
  dispose(): void;
  [Symbol.dispose](): void;
}
