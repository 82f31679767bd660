import type { Layer, Tensor, TensorLike } from 'wasm-attention';

/** All results of a layer in training: outputs, gradients of inputs and of parameters. */
export function trained(
  layer: Omit<Layer, 'forward'>,
  g: TensorLike,
  forward: () => { output: Tensor; weights?: Tensor; backward?: (g: TensorLike) => object },
): unknown {
  const { output, weights, backward } = forward();
  // The results are copied first: a later step may be given the same arrays.
  const given = structuredClone({ output, weights });
  return { given, input: backward!(g), grads: layer.parameters().map(({ grad }) => grad) };
}
