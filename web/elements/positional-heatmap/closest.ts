import type { Tensor } from 'wasm-attention';

/** How alike rows of P are. */
export interface Closest {
  /** The distance of two rows that are neighbours. */
  readonly near: number;
  /** The least distance of two rows that are not, and how far apart their positions are. */
  readonly far: number;
  readonly distance: number;
}

/** The most similar rows. The distance of two rows depends only on that of their positions, so row 0 stands for all. */
export function closest({ data, shape: [length = 0, width = 0] }: Tensor): Closest {
  const to = (row: number): number =>
    Math.hypot(...Array.from({ length: width }, (_, i) => data[row * width + i]! - data[i]!));
  const near = to(1);
  let [far, distance] = [Infinity, 2];
  for (let row = 2; row < length; ++row) {
    const next = to(row);
    if (next < far) [far, distance] = [next, row];
  }
  return { near, far, distance };
}
