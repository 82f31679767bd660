/** The tensors among attention options, checked against the scores. */
import { toTensor } from '../../check/arrays.js';
import { checkShape, showShape, wrongValue } from '../../check/values.js';
import type { Tensor, TensorLike } from '../../types.js';

export interface BroadcastStrides {
  readonly batch: number;
  readonly head: number;
  readonly row: number;
  readonly columns: number;
  readonly step: number;
}

/** Strides that broadcast an operand of this shape over the scores, right-aligned, without copying. */
export function broadcast(
  operation: string,
  name: string,
  shape: readonly number[],
  scoresShape: readonly number[],
): BroadcastStrides {
  const mismatch = (): never =>
    wrongValue(operation, `${name} to broadcast against ${showShape(scoresShape)}`, showShape(shape));
  const rank = shape.length;
  if (rank < 1 || rank > scoresShape.length) mismatch();
  const columns = shape[rank - 1]!;
  const keys = scoresShape.at(-1)!;
  if (columns > keys || (columns === 0 && keys > 0)) mismatch();
  let stride = columns;
  const strides: number[] = [];
  for (let axis = 1; axis < scoresShape.length; ++axis) {
    const size = axis < rank ? shape[rank - 1 - axis]! : 1;
    if (size !== 1 && size !== scoresShape.at(-1 - axis)) mismatch();
    strides.push(size === 1 ? 0 : stride);
    stride *= size;
  }
  const [row, ...outer] = strides;
  // Scores of rank 3 have a batch axis and no axis for heads.
  const [head, batch] = scoresShape.length === 4 ? outer : [0, outer[0]];
  const repeats = columns === 1 && keys > 1;
  return { batch: batch ?? 0, head: head ?? 0, row: row!, columns, step: repeats ? 0 : 1 };
}

export interface RelativeTable extends Tensor {
  readonly head: number;
  readonly clip: number;
}

export function checkRelative(
  operation: string,
  name: string,
  value: TensorLike,
  heads: number,
  width: number,
): RelativeTable {
  const { data, shape } = toTensor(operation, name, value);
  const [rows, columns] = shape.slice(-2);
  const perHead = shape.length === 3;
  const fits = (shape.length === 2 || (perHead && shape[0] === heads)) && rows! % 2 === 1 && columns === width;
  if (!fits) {
    const expected = `${name} of shape (2k+1, ${width}) or (${heads}, 2k+1, ${width})`;
    wrongValue(operation, expected, showShape(shape));
  }
  return { data, shape, head: perHead ? rows! * width : 0, clip: (rows! - 1) / 2 };
}

/** Checks an option with a number for each head. */
export function checkPerHead(
  operation: string,
  name: string,
  value: TensorLike | ArrayLike<number>,
  heads: number,
): Float32Array {
  const { data, shape } = toTensor(operation, name, value as TensorLike);
  checkShape(operation, name, shape, [heads]);
  return data;
}
