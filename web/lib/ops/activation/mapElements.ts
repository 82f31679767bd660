import { checkWhole, toTensor } from '../../check/arrays.js';
import { orOutOfMemory, rowsAtOnce, type Memory } from '../../runtime/memory.js';
import type { Tensor, TensorLike } from '../../types.js';

/** Applies a function of wasm, which may work in place, to all elements. */
export function mapElements(
  operation: string,
  memory: Memory,
  x: TensorLike,
  kernel: (from: number, to: number, count: number) => void,
): Tensor {
  const { data, shape } = toTensor(operation, 'x', x);
  checkWhole(operation, 'x', { data, shape });
  const count = data.length;
  // It may be larger than the linear memory, through which it goes in pieces.
  const out = orOutOfMemory(operation, 4 * count, () => new Float32Array(count));
  memory.scope(operation, () => {
    const most = rowsAtOnce(count, 1);
    const piece = memory.reserve(most);
    for (let at = 0; at < count; at += most) {
      const some = data.subarray(at, at + most);
      memory.write(piece, some);
      kernel(piece, piece, some.length);
      memory.read(piece, some.length, out.subarray(at, at + most));
    }
  });
  return { data: out, shape: [...shape] };
}
