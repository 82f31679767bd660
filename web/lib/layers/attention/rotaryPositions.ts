import { checkFinite, checkInteger, wrongValue } from '../../check/values.js';
import type { Within } from '../../generated/bindings/args.js';
import * as R from '../../generated/bindings/rotation.js';
import { checkRotary, type RotaryOptions, type RotaryPositions } from '../../ops/rotary/options.js';
import { within, words } from '../../runtime/args.js';
import { fresh } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import { ownTensors } from './ownTensors.js';

/** C++'s Rotation. */
export interface Rotation {
  readonly queries: number;
  readonly queryBatch: number;
  readonly keys: number;
  readonly width: number;
  readonly interleaved: boolean;
}

/** Sets the rotation within a larger struct. Without this call, nothing is rotated. */
export function setRotation(at: Within<'Rotation'>, rotation: Rotation): void {
  words[within(at, R.queries)] = rotation.queries;
  words[within(at, R.queryBatch)] = rotation.queryBatch;
  words[within(at, R.keys)] = rotation.keys;
  words[within(at, R.width)] = rotation.width;
  words[within(at, R.interleaved)] = Number(rotation.interleaved);
}

export interface RotarySizes {
  readonly batch: number;
  readonly queries: number;
  /** The number of new keys. */
  readonly tokens: number;
  readonly past: number;
}

/**
 * Checks the positions of a call, after its other options; returns a function that places their tables, within a scope.
 *
 * @param first the rotary position of the first new key, the number of past ones by default
 * @param standing the index among the keys of the one that query 0 stands at
 */
export type RotaryPositioning = (
  operation: string,
  first: number | undefined,
  standing: number | Int32Array,
  sizes: RotarySizes,
) => (wasm: Wasm) => Rotation;

/** Checks the forward option `offset`, also where nothing is rotated. */
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
  const { rotaryDim } = angles;

  return (operation, first, standing, { batch, queries, tokens, past }) => {
    const firstKey = shift + (first ?? past);
    const keyPositions = { first: firstKey, count: tokens };
    const queryPositions = positionsOfQueries(operation, standing, firstKey - past, batch, queries);
    angles.check(operation, keyPositions);
    angles.check(operation, queryPositions);
    const perSequence = queryPositions instanceof Float64Array;
    const shared = !perSequence && queryPositions.first === firstKey && queries === tokens;
    return (wasm) => {
      const keys = angles.place(wasm, keyPositions);
      return {
        queries: shared ? keys : angles.place(wasm, queryPositions),
        queryBatch: perSequence ? queries * rotaryDim : 0,
        keys,
        width: rotaryDim,
        interleaved: angles.interleaved,
      };
    };
  };
}

/** The positions of queries. Query 0 is `standing` keys after key 0, whose position is `firstPast`. */
function positionsOfQueries(
  operation: string,
  standing: number | Int32Array,
  firstPast: number,
  batch: number,
  queries: number,
): RotaryPositions {
  if (typeof standing === 'number') return { first: firstPast + standing, count: queries };
  const positions = fresh(operation, Float64Array, batch * queries);
  for (let at = 0; at < positions.length; ++at) {
    positions[at] = firstPast + standing[Math.floor(at / queries)]! + (at % queries);
  }
  return positions;
}
