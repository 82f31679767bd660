/** The forms in which the library accepts a tensor. */
import type { Tensor } from 'wasm-attention';

const nest = (data: ArrayLike<number>, [axis, ...inner]: readonly number[]): unknown[] => {
  const size = data.length / axis!;
  const parts = Array.from({ length: axis! }, (_, i) => Array.from(data).slice(i * size, (i + 1) * size));
  return inner.length === 0 ? Array.from(data) : parts.map((part) => nest(part, inner));
};

/** Each turns a tensor with at least one axis into another accepted form. */
export const SPELLINGS: readonly ((tensor: Tensor) => unknown)[] = [
  (tensor) => tensor,
  ({ data, shape }) => ({ data: Float64Array.from(data), shape }),
  ({ data, shape }) => ({ data: Array.from(data), shape: Int32Array.from(shape) }),
  ({ data, shape }) => ({ data, dims: shape }),
  ({ data, shape }) => Object.freeze(Object.assign(Object.create(null) as object, { data, shape })),
  ({ data, shape }) => nest(data, shape),
];
