/** Comparisons with a tolerance. Their errors name the worst element. */
import type { Numbers } from '../reference/tensor.js';
import { record } from './agreement.js';

/**
 * The distance between 1 and the next float32: 2^-23. A single rounding is off by up to EPS/2. Tolerances are
 * k·EPS·scale.
 */
export const EPS = 2 ** -23;

export type { Numbers };

/** |actual − expected| ≤ atol + rtol·|expected|. */
export interface Tolerance {
  readonly rtol?: number;
  readonly atol?: number;
}

/** `source`: what computed a fixture. Oracles compute in float64. */
type Expected = Numbers & { readonly source?: string };

/**
 * Throws unless the shapes agree and every element is within the tolerance. Infinities must match exactly. NaN is not
 * close to anything, so a test cannot expect NaN here.
 */
export function expectClose(actual: Numbers | undefined, expected: Expected, tolerance: Tolerance): void {
  if (!actual) throw new Error(`expected an array of shape (${expected.shape.join(', ')}), got undefined`);
  if (actual.shape.join() !== expected.shape.join()) {
    throw new Error(`expected shape (${expected.shape.join(', ')}), got (${actual.shape.join(', ')})`);
  }
  if (actual.data.length !== expected.data.length) {
    throw new Error(`expected ${expected.data.length} elements, got ${actual.data.length}`);
  }
  const source = expected.source ?? (expected.data instanceof Float64Array ? 'float64' : undefined);
  // Gradients of oracles are compared, too.
  if (source !== undefined && !(actual.data instanceof Float64Array)) record(actual, expected, source);
  const { rtol = 0, atol = 0 } = tolerance;
  let worst = -1;
  let worstExcess = 0;
  for (let i = 0; i < expected.data.length; ++i) {
    const excess = excessOf(actual.data[i]!, expected.data[i]!, rtol, atol);
    if (!(excess <= worstExcess)) {
      worst = i;
      worstExcess = excess;
      if (Number.isNaN(excess)) break;
    }
  }
  if (worst < 0) return;
  const difference = actual.data[worst]! - expected.data[worst]!;
  throw new Error(
    `element ${indexText(worst, expected.shape)}: expected ${expected.data[worst]!}, got ${actual.data[worst]!} ` +
      `(difference ${difference}, allowed ${atol + rtol * Math.abs(expected.data[worst]!)})`,
  );
}

/** How far the difference exceeds the tolerance; NaN if the comparison makes no sense. */
function excessOf(actual: number, expected: number, rtol: number, atol: number): number {
  if (actual === expected) return 0;
  if (!Number.isFinite(expected)) return NaN;
  return Math.max(0, Math.abs(actual - expected) - atol - rtol * Math.abs(expected)) + (actual - actual);
}

function indexText(flat: number, shape: readonly number[]): string {
  const index: number[] = [];
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    index.unshift(flat % shape[axis]!);
    flat = Math.floor(flat / shape[axis]!);
  }
  return `[${index.join(', ')}]`;
}

/** The largest magnitude; 0 for an empty array. */
export function maxAbs(data: ArrayLike<number>): number {
  let max = 0;
  for (let i = 0; i < data.length; ++i) max = Math.max(max, Math.abs(data[i]!));
  return max;
}
