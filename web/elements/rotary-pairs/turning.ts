import type { WasmAttention } from 'wasm-attention';
import { normalDraws } from '../shared/normal-draws.js';

/** The head's width: four pairs. */
export const WIDTH = 8;
export const PAIRS = WIDTH / 2;
/** The last position; the first is 0. */
export const LAST = 40;

/** A query and a key, rotated to every position: (LAST + 1, WIDTH) each. Pair r has the components 2r and 2r + 1. */
export interface Rotated {
  readonly queries: Float32Array;
  readonly keys: Float32Array;
}

/** Rotates a query and a key drawn from `seed`. */
export function rotated(library: WasmAttention, seed: number): Rotated {
  const draws = normalDraws(2 * WIDTH, seed);
  const atAll = (vector: Float32Array): Float32Array => {
    const data = Float32Array.from({ length: (LAST + 1) * WIDTH }, (_, k) => vector[k % WIDTH]!);
    return library.rotaryEmbedding({ data, shape: [LAST + 1, WIDTH] }, { interleaved: true }).data;
  };
  return { queries: atAll(draws.subarray(0, WIDTH)), keys: atAll(draws.subarray(WIDTH)) };
}

/** θ_r, the angle per position in radians. */
export function thetaOf(pair: number): number {
  return 10000 ** ((-2 * pair) / WIDTH);
}

/** The pairs' products for the query at position i and the key at position j. */
export function productsOf({ queries, keys }: Rotated, i: number, j: number): number[] {
  return Array.from({ length: PAIRS }, (_, pair) => {
    const [q, k] = [i * WIDTH + 2 * pair, j * WIDTH + 2 * pair];
    return queries[q]! * keys[k]! + queries[q + 1]! * keys[k + 1]!;
  });
}

export function sumAt(both: Rotated, i: number, j: number): number {
  return productsOf(both, i, j).reduce((sum, product) => sum + product, 0);
}

/** How many pairs of positions have the offset j − i, and the largest difference of their sums. */
export function spreadAt(both: Rotated, offset: number): { count: number; spread: number } {
  const count = LAST + 1 - Math.abs(offset);
  const first = Math.max(0, -offset);
  const sums = Array.from({ length: count }, (_, at) => sumAt(both, first + at, first + at + offset));
  return { count, spread: Math.max(...sums) - Math.min(...sums) };
}

/** The position to which a hand has been dragged from `from`, after turning by `angle` radians in total. */
export function draggedTo(from: number, angle: number, pair: number): number {
  return Math.min(LAST, Math.max(0, Math.round(from + angle / thetaOf(pair))));
}

/** The turn from one angle to another, the shorter way round: from −π to π. */
export function turnBetween(from: number, to: number): number {
  const turn = to - from;
  return turn - 2 * Math.PI * Math.round(turn / (2 * Math.PI));
}
