import type { Layer, Tensor } from 'wasm-attention';

/** The gradients of a layer's parameters, by name. */
export const gradientsOf = (layer: Pick<Layer, 'parameters'>): Record<string, Tensor> =>
  Object.fromEntries(layer.parameters().map(({ name, grad, shape }) => [name, { data: grad, shape }]));
