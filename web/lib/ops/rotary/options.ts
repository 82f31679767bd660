import { toTensor, toTensorOfShape } from '../../check/arrays.js';
import type { Known } from '../../check/options.js';
import { checkBoolean, checkInteger, checkShape, wrongValue } from '../../check/values.js';
import * as R from '../../generated/bindings/rotaryTableArgs.js';
import { clearArgs, doubles, floats, words } from '../../runtime/args.js';
import { fresh } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { TensorLike } from '../../types.js';
import { checkBase, maxAbs, placeFrequencies } from '../sinusoidal/frequencies.js';
import { checkScaling, SCALING_OPTIONS, type RotaryScaling } from './scaling.js';

/** The options of rotary embedding. */
export interface RotaryOptions {
  /** Pair j is rotated by position·base^(-2j/rotaryDim). Default 10000; any finite float32 above 0. */
  base?: number;
  /** Position of the first row, or added to `positions`. Default 0. With `cos` and `sin` it has to be a whole number. */
  offset?: number;
  /** (n,) for all sequences, or (B, n). Default 0, 1, 2, …. With `cos` and `sin` they have to be whole numbers. */
  positions?: ArrayLike<number> | TensorLike;
  /** true: pairs (2j, 2j+1), as in GPT-J; false: (j, j + rotaryDim/2), as in GPT-NeoX and Llama. Default false. */
  interleaved?: boolean;
  /** Only the first `rotaryDim` components are rotated. An even number; default all of them. */
  rotaryDim?: number;
  /**
   * Tables to use instead of base and scaling, both or none. With shape (positions, rotaryDim/2) they are read at the positions;
   * with shape (B, n, rotaryDim/2) they have a row for each token, without positions and offset. ONNX's cos_cache and sin_cache.
   */
  cos?: TensorLike;
  sin?: TensorLike;
  /** For contexts longer than those of the training. */
  scaling?: RotaryScaling;
}

export const ROTARY_OPTIONS: Known<RotaryOptions> = {
  base: 1,
  offset: 1,
  positions: 1,
  interleaved: 1,
  rotaryDim: 1,
  cos: 1,
  sin: 1,
  scaling: SCALING_OPTIONS,
};

/** Either `count` positions first, first + 1, …, or a list of positions. */
export type RotaryPositions = { readonly first: number; readonly count: number } | Float64Array;

/** Checked options: which components are rotated, and the table that a kernel reads. */
export interface RotaryAngles {
  readonly rotaryDim: number;
  readonly interleaved: boolean;
  /** The shape of given tables. */
  readonly tables?: readonly number[];
  /** Throws if the tables lack a position, or an angle would be too large. */
  check(operation: string, positions: RotaryPositions): void;
  /** Places a row of sines and then cosines for each position; within a scope. The positions must have been checked. */
  place(wasm: Wasm, positions: RotaryPositions): number;
}

/** Checks all options except offset and positions, for rows of this width. */
export function checkRotary(operation: string, given: RotaryOptions, width: number): RotaryAngles {
  const { interleaved = false, rotaryDim = width } = given;
  checkBoolean(operation, 'interleaved', interleaved);
  checkInteger(operation, 'rotaryDim', rotaryDim, 2);
  if (rotaryDim % 2 !== 0) wrongValue(operation, 'rotaryDim to be even', rotaryDim);
  if (rotaryDim > width) wrongValue(operation, `rotaryDim up to the width of a row (${width})`, rotaryDim);
  const from = given.cos === undefined && given.sin === undefined ? fromBase : fromTables;
  return { rotaryDim, interleaved, ...from(operation, given, rotaryDim) };
}

type Angles = Pick<RotaryAngles, 'tables' | 'check' | 'place'>;

function fromBase(operation: string, given: RotaryOptions, dim: number): Angles {
  const { base, factors, amplitude } = checkScaling(
    operation,
    given.scaling,
    checkBase(operation, given.base, 0),
    dim,
  );
  const largest = factors ? maxAbs(factors) : 1;
  return {
    check(operation, positions) {
      checkBase(operation, base, largest * maxAbs(isList(positions) ? positions : ends(positions)));
    },
    place(wasm, positions) {
      const { raw, memory } = wasm;
      const rows = lengthOf(positions);
      const frequencies = placeFrequencies(wasm, dim, base);
      if (factors) raw.scaleFrequencies(frequencies, memory.doubles(factors), dim);
      clearArgs();
      words[R.frequencies] = frequencies;
      if (isList(positions)) words[R.positions] = memory.doubles(positions);
      else doubles[R.offset] = positions.first;
      const table = (words[R.out] = memory.reserve(rows * dim));
      words[R.rows] = rows;
      words[R.dim] = dim;
      floats[R.amplitude] = amplitude;
      memory.run(raw.rotaryTable);
      return table;
    },
  };
}

function fromTables(operation: string, given: RotaryOptions, dim: number): Angles {
  for (const name of ['base', 'scaling'] as const) {
    if (given[name] !== undefined) wrongValue(operation, `cos and sin, or ${name}`, 'both');
  }
  if (given.cos === undefined || given.sin === undefined) {
    wrongValue(operation, 'cos and sin together', given.cos === undefined ? 'sin alone' : 'cos alone');
  }
  const half = dim / 2;
  const cos = toTensor(operation, 'cos', given.cos);
  checkShape(operation, 'cos', cos.shape, ['positions', half], ['B', 'n', half]);
  const sin = toTensorOfShape(operation, 'sin', given.sin, cos.shape);
  const available = cos.data.length / half;
  return {
    tables: cos.shape,
    check(operation, positions) {
      if (lengthOf(positions) === 0) return;
      for (const position of isList(positions) ? positions : ends(positions)) {
        if (!Number.isInteger(position) || position < 0 || position >= available) {
          wrongValue(operation, `whole positions below ${available}`, position);
        }
      }
    },
    place({ memory }, positions) {
      const rows = lengthOf(positions);
      const table = fresh(operation, Float32Array, rows * dim);
      for (let i = 0; i < rows; ++i) {
        const from = half * (isList(positions) ? positions[i]! : positions.first + i);
        table.set(sin.data.subarray(from, from + half), i * dim);
        table.set(cos.data.subarray(from, from + half), i * dim + half);
      }
      return memory.floats(table);
    },
  };
}

function isList(positions: RotaryPositions): positions is Float64Array {
  return positions instanceof Float64Array;
}

function lengthOf(positions: RotaryPositions): number {
  return isList(positions) ? positions.length : positions.count;
}

function ends({ first, count }: { first: number; count: number }): readonly number[] {
  return [first, first + Math.max(0, count - 1)];
}
