import { toTensor, toTensorOfShape } from '../../check/arrays.js';
import { listOf } from '../../check/elements.js';
import type { Known } from '../../check/options.js';
import { checkBoolean, checkInteger, checkShape, wrongKind, wrongValue } from '../../check/values.js';
import * as RotaryTableArgs from '../../generated/bindings/rotaryTableArgs.js';
import { clearArgs, doubles, words } from '../../runtime/args.js';
import { fresh } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { TensorLike } from '../../types.js';
import { checkAngles, checkBase, maxAbs, placeFrequencies } from '../sinusoidal/frequencies.js';
import { isByAxis, isList, lengthOf, valuesOf, type ByAxis, type RotaryPositions } from './positions.js';
import { checkScaling, SCALING_OPTIONS, type RotaryScaling } from './scaling.js';

/** The options of rotary embedding. */
export interface RotaryOptions {
  /** Pair j is rotated by position·base^(-2j/rotaryDim). Default 10000; any finite float32 above 0. */
  base?: number;
  /**
   * Position of the first row, or added to `positions`. Default 0. With `cos` and `sin` it has to be a whole number.
   */
  offset?: number;
  /**
   * (n,) for all sequences, or (B, n), and with `sections` an axis before these. Default 0, 1, 2, …. With `cos` and
   * `sin` they have to be whole numbers.
   */
  positions?: ArrayLike<number> | TensorLike;
  /** true: pairs (2j, 2j+1), as in GPT-J; false: (j, j + rotaryDim/2), as in GPT-NeoX and Llama. Default false. */
  interleaved?: boolean;
  /** Only the first `rotaryDim` components are rotated. An even number; default all of them. */
  rotaryDim?: number;
  /**
   * Tables to use instead of base and scaling, both or none. With shape (positions, rotaryDim/2) they are read at the
   * positions; with shape (B, n, rotaryDim/2) they have a row for each token, without positions and offset. ONNX's
   * cos_cache and sin_cache.
   */
  cos?: TensorLike;
  sin?: TensorLike;
  /** For contexts longer than in training. */
  scaling?: RotaryScaling;
  /**
   * For positions with several axes, such as time, row and column: the number of pairs that each axis rotates, in order
   * of frequency (Qwen2-VL's mrope_section). They add up to rotaryDim/2. `positions` is then (axes, n) or (axes, B, n);
   * without it, all axes have the same positions.
   */
  sections?: readonly number[];
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
  sections: 1,
};

/** Places a row for each position, sines and then cosines, within a scope. */
export type PlaceTable = (wasm: Wasm, positions: RotaryPositions) => number;

/** Checked options: which components are rotated, and the table that a kernel reads. */
export interface RotaryAngles {
  readonly rotaryDim: number;
  readonly interleaved: boolean;
  /** The number of axes that positions have, if there are sections. */
  readonly axes: number | undefined;
  /** The shape of given tables. */
  readonly tables?: readonly number[];
  /** Checks all positions of a call; throws if the tables lack one, or an angle would be too large. */
  check(operation: string, ...positions: readonly RotaryPositions[]): PlaceTable;
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

type Angles = Pick<RotaryAngles, 'axes' | 'tables' | 'check'>;

/** The axis of each pair; undefined without sections. */
function checkSections(operation: string, sections: unknown, pairs: number): Int32Array | undefined {
  if (sections === undefined) return undefined;
  const list = listOf(sections) ?? wrongKind(operation, 'sections to be an array', sections);
  const axes = list.flatMap((count, axis) =>
    Array<number>(checkInteger(operation, `sections[${axis}]`, count, 1, pairs)).fill(axis),
  );
  if (axes.length !== pairs) wrongValue(operation, `sections that add up to ${pairs} pairs`, axes.length);
  return Int32Array.from(axes);
}

function fromBase(operation: string, given: RotaryOptions, dim: number): Angles {
  const scaling = checkScaling(operation, given.scaling, checkBase(operation, given.base, 0), dim);
  const pairs = checkSections(operation, given.sections, dim / 2);
  const axes = pairs && pairs.at(-1)! + 1;
  return {
    axes,
    check(operation, ...all) {
      const lists = all.map(valuesOf);
      const { base, factors, amplitude } = scaling(operation, 1 + Math.max(...lists.map(largest)));
      const farthest = lists.reduce((max, list) => Math.max(max, maxAbs(list)), 0);
      checkAngles(operation, { base, factors }, farthest);
      return (wasm, positions) => {
        const { raw, memory } = wasm;
        const rows = isByAxis(positions) ? positions.byAxis.length / axes! : lengthOf(positions);
        const frequencies = placeFrequencies(wasm, dim, base);
        if (factors) raw.scaleFrequencies(frequencies, memory.doubles(factors), dim);
        clearArgs();
        words[RotaryTableArgs.frequencies] = frequencies;
        if (isByAxis(positions)) {
          words[RotaryTableArgs.positions] = memory.doubles(positions.byAxis);
          words[RotaryTableArgs.axes] = memory.ints(pairs!);
        } else if (isList(positions)) words[RotaryTableArgs.positions] = memory.doubles(positions);
        else doubles[RotaryTableArgs.offset] = positions.first;
        const table = (words[RotaryTableArgs.out] = memory.reserve(rows * dim));
        words[RotaryTableArgs.rows] = rows;
        words[RotaryTableArgs.dim] = dim;
        doubles[RotaryTableArgs.amplitude] = amplitude;
        memory.run(raw.rotaryTable);
        return table;
      };
    },
  };
}

function fromTables(operation: string, given: RotaryOptions, dim: number): Angles {
  for (const name of ['base', 'scaling', 'sections'] as const) {
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
    axes: undefined,
    tables: cos.shape,
    check(operation, ...all) {
      for (const position of all.flatMap((positions) => Array.from(valuesOf(positions)))) {
        if (!Number.isInteger(position) || position < 0 || position >= available) {
          wrongValue(operation, `whole positions below ${available}`, position);
        }
      }
      return ({ memory }, given) => {
        const positions = given as Exclude<RotaryPositions, ByAxis>;
        const rows = lengthOf(positions);
        const table = fresh(operation, Float32Array, rows * dim);
        for (let i = 0; i < rows; ++i) {
          const from = half * (isList(positions) ? positions[i]! : positions.first + i);
          table.set(sin.data.subarray(from, from + half), i * dim);
          table.set(cos.data.subarray(from, from + half), i * dim + half);
        }
        return memory.floats(table);
      };
    },
  };
}

function largest(numbers: ArrayLike<number>): number {
  let max = -Infinity;
  for (let i = 0; i < numbers.length; ++i) max = Math.max(max, numbers[i]!);
  return max;
}
