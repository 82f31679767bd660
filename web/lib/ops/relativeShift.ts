import { toTensor } from '../check/arrays.js';
import { showShape, sizeOf, wrongValue } from '../check/values.js';
import { fresh } from '../runtime/memory.js';
import type { Tensor, TensorLike } from '../types.js';

const OPERATION = 'relativeShift';

/** See `WasmAttention.relativeShift`. */
export function relativeShift(scores: TensorLike): Tensor {
  const { data, shape } = toTensor(OPERATION, 'scores', scores);
  const [length = 0, columns = 0] = shape.slice(-2);
  if (shape.length < 2 || (columns !== length && columns !== 2 * length - 1)) {
    wrongValue(OPERATION, 'scores of shape (…, L, L) or (…, L, 2L-1)', showShape(shape));
  }
  const out = [...shape.slice(0, -1), length];
  const shifted = fresh(OPERATION, Float32Array, sizeOf(out));
  forEachRow(data.length / columns, length, columns, (from, to, count) => {
    shifted.set(data.subarray(from, from + count), to);
  });
  return { data: shifted, shape: out };
}

/**
 * Visits row i of each matrix: `count` entries starting at distance -i, at `from` in the input and `to` in the result.
 */
export function forEachRow(
  rows: number,
  length: number,
  columns: number,
  visit: (from: number, to: number, count: number) => void,
): void {
  for (let row = 0; row < rows; ++row) {
    const i = row % length;
    // Column L-1 is distance 0. If it is the last column, keys ahead have no score.
    visit(row * columns + length - 1 - i, row * length, columns === length ? i + 1 : length);
  }
}
