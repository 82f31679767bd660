/// <reference lib="esnext.disposable" preserve="true" />
import type { Tensor, TensorLike } from '../../types.js';

/** A parameter of a layer. `data` and `grad` read as copies; `set` writes. */
export interface Parameter {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
  /** What the layer's backward passes have added up; zeros before the first. */
  readonly grad: Float32Array;
  /** @throws RangeError where the length is not the parameter's. */
  set(data: ArrayLike<number>): void;
}

/** What a forward pass may be told. */
export interface ForwardOptions {
  /** Keeps what `backward` needs, and returns it. Default false. */
  training?: boolean;
  /** Written into in place of a fresh array, which in a training loop is new memory for every step; may be x's own array. */
  out?: { output?: Float32Array };
}

/** What a backward pass may be told. */
export interface BackwardOptions {
  /** As of a forward pass, `input` for the input's gradient; may be gradOutput's own array. */
  out?: { input?: Float32Array };
}

/** What a forward pass returns. */
export interface LayerResult {
  output: Tensor;
  /**
   * Present when `training`; can be called once, before the parameters change. Adds the gradients of
   * sum(output · gradOutput) to every parameter's `grad` and returns the input's.
   *
   * @param gradOutput the shape of `output`
   * @throws TypeError at a second call and after `dispose()`; RangeError for another shape
   */
  backward?: (gradOutput: TensorLike, options?: BackwardOptions) => { input: Tensor };
}

/**
 * A layer owns its parameters, in wasm memory. They go with the layer: on `dispose()`, at the end of a `using` block, or
 * when it is garbage-collected. A disposed layer throws on use.
 */
export interface Layer {
  forward(x: TensorLike, options?: ForwardOptions): LayerResult;
  parameters(): Parameter[];
  /** Copies of the parameters, by PyTorch's names and in its shapes. */
  stateDict(): Record<string, Tensor>;
  /** Checks every name and shape before it changes anything. */
  loadStateDict(state: Record<string, TensorLike>): void;
  dispose(): void;
  [Symbol.dispose](): void;
}
