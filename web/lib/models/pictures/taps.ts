/** How Pillow resizes: each pixel of a side is a sum of taps. */
import { fresh } from '../../runtime/memory.js';

/** How much a pixel counts by its distance, which has to be below `support`. */
export interface Kernel {
  readonly support: number;
  weight(distance: number): number;
}

/** The share of each pixel from `start` on. */
export interface Shares {
  readonly start: number;
  readonly shares: Float64Array;
}

/** The shares of pixels in pixel i of a side that is resized from `from` to `to` pixels. */
export function sharesOf(i: number, from: number, to: number, kernel: Kernel): Shares {
  const scale = from / to;
  const stretch = Math.max(scale, 1);
  const support = kernel.support * stretch;
  const centre = (i + 0.5) * scale;
  const start = Math.max(Math.trunc(centre - support + 0.5), 0);
  const end = Math.min(Math.trunc(centre + support + 0.5), from);
  const shares = Float64Array.from({ length: end - start }, (_, tap) =>
    kernel.weight(Math.abs((start + tap - centre + 0.5) * (1 / stretch))),
  );
  const sum = shares.reduce((all, share) => all + share, 0);
  return { start, shares: shares.map((share) => share / sum) };
}

/** For a side that keeps its size: each pixel is its own. */
export const COPY: Kernel = { support: 0.5, weight: () => 1 };

/** Pillow's filters, by its numbers. */
export const KERNELS: Readonly<Record<number, Kernel>> = {
  2: { support: 1, weight: (distance) => Math.max(0, 1 - distance) },
  3: {
    support: 2,
    weight: (x) => (x < 1 ? (1.5 * x - 2.5) * x * x + 1 : x < 2 ? (((x - 5) * x + 8) * x - 4) * -0.5 : 0),
  },
};

/** The bits of weights' fractions. */
export const FRACTION_BITS = 22;

/**
 * Pixel i of those that are kept is the sum of the side's pixels `starts[i]` to `ends[i] - 1` with `weights[i * width …]`.
 */
export interface Taps {
  /** How many pixels of the resized side are before the crop; below 0 if the crop begins before the side. */
  readonly cut: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly weights: Int32Array;
  readonly width: number;
}

/**
 * The taps of a side that is resized from `from` to `to` pixels, of which those are kept that are in a crop around its
 * centre. The crop may be larger: then all are.
 */
export function tapsOf(operation: string, from: number, to: number, crop: number, resize: Kernel): Taps {
  const kernel = from === to ? COPY : resize;
  const cut = Math.floor((to - crop) / 2);
  const count = Math.min(to, crop);
  const width = Math.min(2 * Math.ceil(kernel.support * Math.max(from / to, 1)) + 1, from);
  const [starts, ends] = [fresh(operation, Int32Array, count), fresh(operation, Int32Array, count)];
  const weights = fresh(operation, Int32Array, count * width);
  for (let i = 0; i < count; ++i) {
    const { start, shares } = sharesOf(Math.max(cut, 0) + i, from, to, kernel);
    for (const [tap, share] of shares.entries()) {
      const scaled = share * 2 ** FRACTION_BITS;
      // Storing cuts off what is behind the point: halves are rounded away from 0.
      weights[i * width + tap] = scaled + (scaled < 0 ? -0.5 : 0.5);
    }
    starts[i] = start;
    ends[i] = start + shares.length;
  }
  return { cut, starts, ends, weights, width };
}
