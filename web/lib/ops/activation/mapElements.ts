import { toTensor } from '../../check/arrays.js';
import type { Memory } from '../../runtime/memory.js';
import type { Tensor, TensorLike } from '../../types.js';

/** Applies a wasm function that works in place to all elements. */
export function mapElements(
  operation: string,
  memory: Memory,
  x: TensorLike,
  kernel: (from: number, to: number, count: number) => void,
): Tensor {
  const { data, shape } = toTensor(operation, 'x', x);
  const y = memory.scope(operation, () => memory.mapRows(data, 1, (piece, _, count) => kernel(piece, piece, count)));
  return { data: y, shape: [...shape] };
}
