import type { RandomTensor } from './random.js';

/** Tokens [from, to) of every sequence of a (B, n, D) tensor. */
export function tokens({ data, shape }: RandomTensor, from: number, to: number): RandomTensor {
  const [B, n, D] = shape as [number, number, number];
  const rows = Array.from({ length: B }, (_, b) => [...data.subarray((b * n + from) * D, (b * n + to) * D)]);
  return { data: Float32Array.from(rows.flat()), shape: [B, to - from, D] };
}
