import { checkFinite, wrongValue } from '../../check/values.js';
import type { Wasm } from '../../runtime/wasm.js';

/** Sine and cosine are computed for angles below this; float64 holds them to 2^-22 there. */
const MAX_ANGLE = 2 ** 31;

/** The table that the operations on positions take; within a scope. */
export function placeFrequencies(
  { raw, memory }: Pick<Wasm, 'raw' | 'memory'>,
  dim: number,
  base: number,
): number {
  const frequencies = memory.reserve(2 * raw.sinusoidalFrequenciesSize(dim));
  raw.sinusoidalFrequencies(frequencies, dim, base);
  return frequencies;
}

/** The base, 10000 where none was given; with a base below 1 the angles grow beyond the positions. */
export function checkBase(operation: string, value: number | undefined, farthest: number): number {
  const base = value === undefined ? 10000 : checkFinite(operation, 'base', value, true);
  const angle = Math.max(1, farthest) * Math.max(1, 1 / base);
  if (!(angle < MAX_ANGLE)) wrongValue(operation, 'angles (position·base^(-2j/dim)) below 2^31', angle);
  return base;
}
