import { checkOut, toFloat64 } from '../check/arrays.js';
import { checkOptions, type Known } from '../check/options.js';
import { checkFinite, checkInteger, showShape, wrongValue } from '../check/values.js';
import * as SinusoidalArgs from '../generated/bindings/sinusoidalArgs.js';
import { clearArgs, doubles, words } from '../runtime/args.js';
import { fresh, part, rowsAtOnce } from '../runtime/memory.js';
import type { Wasm } from '../runtime/wasm.js';
import type { FloatArray, Tensor } from '../types.js';
import { checkBase, maxAbs, placeFrequencies } from './sinusoidal/frequencies.js';

/** The options of `sinusoidalEncoding`. */
export interface SinusoidalOptions {
  /** Rows; default the number of `positions`. */
  length?: number;
  /** Columns. An odd width ends with a sine. */
  dim: number;
  /** Wavelengths run from 2π to 2π·base. Default 10000; any finite float32 above 0. */
  base?: number;
  /** Position of the first row; default 0. May be a fraction. */
  offset?: number;
  /** A position for each row, to which `offset` is added; may be fractions. Default 0, 1, 2, …. */
  positions?: ArrayLike<number>;
  /** The order of columns: sin w0, cos w0, sin w1, … ('interleaved', default), or all sines and then all cosines. */
  layout?: 'interleaved' | 'concatenated';
  /** Write into this array of length·dim floats instead of a fresh one. */
  out?: FloatArray;
}

const OPERATION = 'sinusoidalEncoding';
const OPTIONS: Known<SinusoidalOptions> = {
  length: 1,
  dim: 1,
  base: 1,
  offset: 1,
  positions: 1,
  layout: 1,
  out: 1,
};

/** See `WasmAttention.sinusoidalEncoding`. */
export function sinusoidalEncoding({ raw, memory }: Wasm, options: SinusoidalOptions): Tensor {
  const given = checkOptions(OPERATION, options, OPTIONS);
  const { layout = 'interleaved', offset = 0 } = given;
  const dim = checkInteger(OPERATION, 'dim', given.dim, 1, 2 ** 24);
  checkFinite(OPERATION, 'offset', offset);
  const positions = given.positions === undefined ? undefined : checkPositions(OPERATION, given.positions, offset);
  const length =
    positions && given.length === undefined ? positions.length : checkInteger(OPERATION, 'length', given.length, 0);
  if (positions && positions.length !== length) {
    wrongValue(OPERATION, `positions of the length (${length})`, positions.length);
  }
  if (layout !== 'interleaved' && layout !== 'concatenated') {
    wrongValue(OPERATION, "layout to be 'interleaved' or 'concatenated'", layout);
  }
  const base = checkBase(OPERATION, given.base, maxAbs(positions ?? [offset, offset + length - 1]));
  const data = checkOut(OPERATION, 'out', given.out, length * dim) ?? fresh(OPERATION, Float32Array, length * dim);

  memory.scope(OPERATION, () => {
    clearArgs();
    words[SinusoidalArgs.frequencies] = placeFrequencies({ raw, memory }, dim, base);
    words[SinusoidalArgs.dim] = dim;
    words[SinusoidalArgs.concatenated] = Number(layout === 'concatenated');
    const pieceRows = rowsAtOnce(length, dim);
    const piece = (words[SinusoidalArgs.out] = memory.reserve(pieceRows * dim));
    const places = positions && memory.doubles(positions);
    for (let row = 0; row < length; row += pieceRows) {
      const rows = Math.min(pieceRows, length - row);
      words[SinusoidalArgs.rows] = rows;
      if (places !== undefined) words[SinusoidalArgs.positions] = places + 8 * row;
      doubles[SinusoidalArgs.offset] = offset + row;
      memory.run(raw.sinusoidalEncoding);
      memory.read(piece, rows * dim, part(data, row * dim, (row + rows) * dim));
    }
  });
  return { data, shape: [length, dim] };
}

function checkPositions(operation: string, positions: ArrayLike<number>, offset: number): Float64Array {
  const { data, shape } = toFloat64(operation, 'positions', positions);
  if (shape.length !== 1) wrongValue(operation, 'positions of one axis', showShape(shape));
  return data.map((position) => position + offset);
}
