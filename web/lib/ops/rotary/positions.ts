import { toFloat64 } from '../../check/arrays.js';
import { checkShape } from '../../check/values.js';
import type { TensorLike } from '../../types.js';

/** Positions first, first + 1, …. */
interface Range {
  readonly first: number;
  readonly count: number;
}

/** With sections: a list for each axis, one after the other. */
export interface ByAxis {
  readonly byAxis: Float64Array;
}

export type RotaryPositions = Range | Float64Array | ByAxis;

/** Checks positions that a caller lists for `rows` tokens of `batch` sequences, and adds `first` to each. */
export function checkPositions(
  operation: string,
  given: ArrayLike<number> | TensorLike,
  axes: number | undefined,
  { batch, rows, first }: { batch: number; rows: number; first: number },
): { positions: RotaryPositions; sequences: number } {
  const list = toFloat64(operation, 'positions', given);
  const before = axes === undefined ? [] : [axes];
  const shapes = [[rows], [batch, rows], [1, rows]].map((shape) => [...before, ...shape]);
  checkShape(operation, 'positions', list.shape, ...shapes);
  const moved = list.data.map((position) => position + first);
  return {
    positions: axes === undefined ? moved : { byAxis: moved },
    sequences: list.shape.length > before.length + 1 ? list.shape.at(-2)! : 1,
  };
}

export function isList(positions: RotaryPositions): positions is Float64Array {
  return positions instanceof Float64Array;
}

export function isByAxis(positions: RotaryPositions): positions is ByAxis {
  return 'byAxis' in positions;
}

export function lengthOf(positions: Exclude<RotaryPositions, ByAxis>): number {
  return isList(positions) ? positions.length : positions.count;
}

/** All positions, or the two ends of a range. */
export function valuesOf(positions: RotaryPositions): ArrayLike<number> {
  if (isByAxis(positions)) return positions.byAxis;
  if (isList(positions)) return positions;
  const { first, count } = positions;
  return count === 0 ? [] : [first, first + count - 1];
}
