import { checkFinite, checkInteger, wrongValue } from '../../check/values.js';
import { checkRotary, type RotaryOptions } from '../../ops/rotary/options.js';
import { checkPositions, type RotaryPositions } from '../../ops/rotary/positions.js';
import { fresh } from '../../runtime/memory.js';
import type { Packed } from '../../ops/attention/packed.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { HeadRotation } from '../../steps/attend.js';
import type { Rotary } from '../../steps/steps.js';
import type { TensorLike } from '../../types.js';
import { ownTensors } from './inputs.js';

export interface RotarySizes {
  readonly batch: number;
  readonly queries: number;
  /** The number of new keys. */
  readonly tokens: number;
  readonly past: number;
  /** Positions count from the first token of each packed sequence. */
  readonly packed: Packed | undefined;
  /** Positions that the caller lists. */
  readonly positions: ArrayLike<number> | TensorLike | null | undefined;
}

/**
 * Checks the positions of a call, after its other options; returns a function that places their tables, within a scope.
 *
 * @param first the rotary position of the first new key, the number of past ones by default
 * @param queryStart the position of query 0 among the keys
 */
export type RotaryPositioning = (
  operation: string,
  first: number | undefined,
  queryStart: number | Int32Array,
  sizes: RotarySizes,
) => ((wasm: Wasm) => HeadRotation) | undefined;

/** For layers without rotation, which reject positions. */
export const withoutRotary: RotaryPositioning = (operation, _first, _standing, { positions }) => {
  if (positions != null) wrongValue(operation, 'a layer with rotary, for positions', 'one without');
  return undefined;
};

/** Checks the forward option `offset`, also in layers without rotation. */
export function checkPosition(operation: string, offset: number | null | undefined): number | undefined {
  return offset == null ? undefined : checkInteger(operation, 'offset', offset, -(2 ** 30), 2 ** 30);
}

/** Checks a layer's option `rotary` for heads of this width. */
export function rotaryPositions(operation: string, given: RotaryOptions, width: number): RotaryPositioning {
  if (given.positions !== undefined) wrongValue(operation, 'rotary without positions', 'some');
  const angles = checkRotary(operation, ownTensors(operation, given, ['cos', 'sin'], 'rotary.'), width);
  if (angles.tables?.length === 3) {
    wrongValue(operation, `rotary tables of shape (positions, ${angles.rotaryDim / 2})`, 'a batch of them');
  }
  const shift = given.offset === undefined ? 0 : checkFinite(operation, 'rotary.offset', given.offset);
  const { rotaryDim, interleaved } = angles;
  const rotaryOf = (table: number, tableBatch: number): Rotary => ({
    table,
    tableBatch,
    rotaryWidth: rotaryDim,
    interleaved,
  });

  return (operation, first, queryStart, { batch, queries, tokens, past, packed, positions: given }) => {
    if (given != null) {
      if (queries !== tokens) {
        wrongValue(operation, `as many queries as new keys (${tokens}), for positions`, queries);
      }
      const sizes = { batch, rows: queries, first: shift + (first ?? 0) };
      const { positions, sequences } = checkPositions(operation, given, angles.axes, sizes);
      const place = angles.check(operation, positions);
      const each = sequences > 1 ? queries * rotaryDim : 0;
      return (wasm) => {
        const both = rotaryOf(place(wasm, positions), each);
        return { query: both, key: both };
      };
    }
    const firstKey = shift + (first ?? past);
    const keyPositions: RotaryPositions = packed
      ? positionsWithin(operation, packed.key, firstKey, 0)
      : { first: firstKey, count: tokens };
    const queryPositions = packed
      ? positionsWithin(operation, packed.query, firstKey, queryStart)
      : positionsOfQueries(operation, queryStart, firstKey - past, batch, queries);
    const place = angles.check(operation, keyPositions, queryPositions);
    const perSequence = queryPositions instanceof Float64Array;
    const shared =
      'first' in queryPositions
        ? queryPositions.first === firstKey && queries === tokens
        : packed?.query === packed?.key && queryStart === 0;
    return (wasm) => {
      const keys = place(wasm, keyPositions);
      return {
        query: rotaryOf(shared ? keys : place(wasm, queryPositions), perSequence ? queries * rotaryDim : 0),
        key: rotaryOf(keys, 0),
      };
    };
  };
}

/** The positions of queries. Query 0 is `queryStart` keys after key 0, whose position is `firstPast`. */
function positionsOfQueries(
  operation: string,
  queryStart: number | Int32Array,
  firstPast: number,
  batch: number,
  queries: number,
): RotaryPositions {
  if (typeof queryStart === 'number') return { first: firstPast + queryStart, count: queries };
  const starts = Array.from({ length: batch + 1 }, (_, b) => b * queries);
  return positionsWithin(operation, starts, firstPast, queryStart);
}

/** Positions that count from `first` in each sequence [starts[n], starts[n + 1]), plus its offset or one for all. */
function positionsWithin(
  operation: string,
  starts: ArrayLike<number>,
  first: number,
  offset: number | Int32Array,
): Float64Array {
  const positions = fresh(operation, Float64Array, starts[starts.length - 1]!);
  for (let n = 0; n + 1 < starts.length; ++n) {
    const from = first - starts[n]! + (typeof offset === 'number' ? offset : offset[n]!);
    for (let i = starts[n]!; i < starts[n + 1]!; ++i) positions[i] = from + i;
  }
  return positions;
}
