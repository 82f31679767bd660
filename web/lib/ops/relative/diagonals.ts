/**
 * Matrices (L, S) whose entries depend only on the distance j - i. A line has one entry for each distance from -(L-1)
 * to S-1, and every row of the matrix is a part of that line.
 */
import type { Known } from '../../check/options.js';
import { checkInteger } from '../../check/values.js';

/** The sizes of such a matrix. */
export interface DistanceSizes {
  /** L */
  queryLength: number;
  /** S; default L. */
  keyLength?: number;
  /** Position of query 0 among the keys; default 0. A whole number. */
  offset?: number;
}

export const DISTANCE_SIZES: Known<DistanceSizes> = { queryLength: 1, keyLength: 1, offset: 1 };

export interface CheckedDistances {
  readonly queries: number;
  readonly keys: number;
  /** The number of entries of a line; 0 for an empty matrix. */
  readonly line: number;
  /** The distance j - (i + offset) of entry `at` of a line. */
  distance(at: number): number;
}

const MAX_POSITION = 2 ** 30;

export function checkDistances(operation: string, given: DistanceSizes): CheckedDistances {
  const queries = checkInteger(operation, 'queryLength', given.queryLength, 0, MAX_POSITION);
  const keys = checkInteger(operation, 'keyLength', given.keyLength ?? queries, 0, MAX_POSITION);
  const offset = checkInteger(operation, 'offset', given.offset ?? 0, -MAX_POSITION, MAX_POSITION);
  const line = queries === 0 || keys === 0 ? 0 : queries + keys - 1;
  const first = 1 - queries - offset;
  return { queries, keys, line, distance: (at) => first + at };
}

/** Fills a line with the value for each distance. A loop, because `from` with a function takes ten times as long. */
export function fillLine<T extends Float32Array | Int32Array>(
  line: T,
  sizes: CheckedDistances,
  value: (distance: number) => number,
): T {
  for (let at = 0; at < line.length; ++at) line[at] = value(sizes.distance(at));
  return line;
}

/** Writes matrix number `at` of `out`. */
export function fillDiagonals<T extends Float32Array | Int32Array>(
  out: T,
  at: number,
  line: T,
  { queries, keys }: CheckedDistances,
): void {
  let to = at * queries * keys;
  // Without keys there may be a billion rows to loop over.
  for (let i = 0; i < queries && keys > 0; ++i, to += keys) {
    out.set(line.subarray(queries - 1 - i, queries - 1 - i + keys), to);
  }
}
