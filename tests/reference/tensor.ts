/** Row-major numbers with a shape, which the oracles take and return. */
export interface Numbers {
  readonly data: ArrayLike<number>;
  readonly shape: readonly number[];
}

/** A result of an oracle, in float64. */
export interface Reference {
  readonly data: Float64Array;
  readonly shape: readonly number[];
}

/** How many elements an array of this shape has. */
export const sizeOf = (shape: readonly number[]): number => shape.reduce((size, axis) => size * axis, 1);

export function zeros(...shape: number[]): Reference {
  return { data: new Float64Array(sizeOf(shape)), shape };
}

/** Offset of an index in row-major data: `offset([2, 3], [1, 2])` is 5. */
export function offset(shape: readonly number[], index: readonly number[]): number {
  let flat = 0;
  for (let axis = 0; axis < shape.length; ++axis) flat = flat * shape[axis]! + index[axis]!;
  return flat;
}
