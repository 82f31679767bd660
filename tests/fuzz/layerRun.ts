/** How a fuzzed layer is made, used, differentiated and disposed. */
import type { Layer, Tensor, TensorLike } from 'wasm-attention';
import { sizeOf, type Reference } from '../reference/tensor.js';
import type { Numbers } from '../support/close.js';
import { gradientsOf } from '../support/gradientsOf.js';

export type State = Readonly<Record<string, Tensor>>;
export type Owner = Pick<Layer, 'parameters' | 'stateDict' | 'dispose'>;

/** A layer's results, from its construction to its disposal. */
export interface LayerRun {
  readonly state: State;
  readonly output: Tensor;
  readonly weights?: Tensor;
  /** The gradients of the inputs and of the parameters, by name. */
  readonly gradients?: State;
}

export interface Pass {
  readonly output: Tensor;
  readonly weights?: Tensor;
  readonly backward?: (gradOutput: TensorLike) => object;
}

/**
 * Makes a layer, calls `forward`, goes back with `gradOutput` if there is one, and disposes the layer even if a step
 * throws.
 */
export function runLayer<T extends Owner>(make: () => T, forward: (layer: T) => Pass, gradOutput?: unknown): LayerRun {
  const layer = make();
  try {
    const state = layer.stateDict();
    const { output, weights, backward } = forward(layer);
    const inputs = backward && gradOutput !== undefined ? backward(gradOutput as TensorLike) : undefined;
    return {
      state,
      output,
      ...(weights && { weights }),
      ...(inputs && { gradients: { ...inputs, ...gradientsOf(layer) } }),
    };
  } finally {
    layer.dispose();
  }
}

export type OneInput = Owner & { forward(x: TensorLike, options?: object): Pass };

/**
 * The same for a layer with one input, of this class, as a function of the layer's options, the input, forward's options and the
 * output's gradient.
 */
export function withOneInput<O extends object>(Layer: new (options: O) => OneInput) {
  return (options: O, x: unknown, forwardOptions: object | undefined, gradOutput: unknown): LayerRun =>
    runLayer(
      () => new Layer(options),
      (layer) => layer.forward(x as TensorLike, forwardOptions),
      gradOutput,
    );
}

export const flat = ({ data, shape }: Numbers): Numbers => ({
  data,
  shape: [sizeOf(shape.slice(0, -1)), shape.at(-1)!],
});
export const shaped = ({ data }: Reference, shape: readonly number[]) => ({ data, shape });
export const TRAINING = { training: true };
