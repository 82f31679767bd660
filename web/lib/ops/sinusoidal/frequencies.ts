import { checkFinite, wrongValue } from '../../check/values.js';
import type { Wasm } from '../../runtime/wasm.js';

/** The kernels' sines and cosines need angles below this, where float64 is exact to 2^-23. */
const MAX_ANGLE = 2 ** 30;

/** Places the table of frequencies that positional operations read, within a scope. */
export function placeFrequencies({ raw, memory }: Pick<Wasm, 'raw' | 'memory'>, dim: number, base: number): number {
  const frequencies = memory.reserve(2 * raw.sinusoidalFrequenciesSize(dim));
  raw.sinusoidalFrequencies(frequencies, dim, base);
  return frequencies;
}

/** The largest absolute value. */
export function maxAbs(numbers: ArrayLike<number>): number {
  let max = 0;
  for (let i = 0; i < numbers.length; ++i) max = Math.max(max, Math.abs(numbers[i]!));
  return max;
}

/** Checks the base, whose default is 10000, and that angles up to the position `farthest` are small enough. */
export function checkBase(operation: string, value: number | undefined, farthest: number): number {
  const base = value === undefined ? 10000 : checkFinite(operation, 'base', value, true);
  checkAngles(operation, { base }, farthest);
  return base;
}

/** With a base below 1, or factors above 1, angles are larger than positions. */
export function checkAngles(
  operation: string,
  { base, factors }: { readonly base: number; readonly factors?: ArrayLike<number> | undefined },
  farthest: number,
): void {
  const angle = Math.max(1, farthest) * Math.max(1, 1 / base) * (factors ? maxAbs(factors) : 1);
  if (!(angle < MAX_ANGLE)) wrongValue(operation, 'angles below 2^30', angle);
}
