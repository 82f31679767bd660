import { toTensor } from '../check/arrays.js';
import { checkOptions, type Known } from '../check/options.js';
import { checkInteger, showShape, sizeOf, wrongValue } from '../check/values.js';
import { fresh } from '../runtime/memory.js';
import type { Tensor, TensorLike } from '../types.js';
import { forEachRow } from './relativeShift.js';

/** The options of `relativeShiftBackward`. */
export interface RelativeShiftBackwardOptions {
  /** The size of the last axis of relativeShift's input: L (default) or 2L-1. */
  columns?: number;
}

const OPERATION = 'relativeShiftBackward';
const OPTIONS: Known<RelativeShiftBackwardOptions> = { columns: 1 };

/** See `WasmAttention.relativeShiftBackward`. */
export function relativeShiftBackward(gradScores: TensorLike, options?: RelativeShiftBackwardOptions): Tensor {
  const given = checkOptions(OPERATION, options, OPTIONS);
  const { data, shape } = toTensor(OPERATION, 'gradScores', gradScores);
  const [length = 0, keys = 0] = shape.slice(-2);
  if (shape.length < 2 || length !== keys) {
    wrongValue(OPERATION, 'gradScores of shape (…, L, L)', showShape(shape));
  }
  const columns = checkInteger(OPERATION, 'columns', given.columns ?? length, 0);
  if (columns !== length && columns !== 2 * length - 1) {
    wrongValue(OPERATION, `columns to be ${length} or ${2 * length - 1}`, columns);
  }
  const out = [...shape.slice(0, -1), columns];
  const gradient = fresh(OPERATION, Float32Array, sizeOf(out));
  forEachRow(data.length / length, length, columns, (from, to, count) => {
    gradient.set(data.subarray(to, to + count), from);
  });
  return { data: gradient, shape: out };
}
