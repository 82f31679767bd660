import { toTensor } from '../../check/arrays.js';
import { orOutOfMemory, part, rowsAtOnce, type Memory } from '../../runtime/memory.js';
import type { Tensor, TensorLike } from '../../types.js';

/** Applies a wasm function that works in place to all elements. */
export function mapElements(
  operation: string,
  memory: Memory,
  x: TensorLike,
  kernel: (from: number, to: number, count: number) => void,
): Tensor {
  const { data, shape } = toTensor(operation, 'x', x);
  const count = data.length;
  // In pieces, because the result may be larger than wasm memory.
  const out = orOutOfMemory(operation, 4 * count, () => new Float32Array(count));
  memory.scope(operation, () => {
    const pieceSize = rowsAtOnce(count, 1);
    const piece = memory.reserve(pieceSize);
    for (let at = 0; at < count; at += pieceSize) {
      const end = Math.min(at + pieceSize, count);
      memory.write(piece, part(data, at, end));
      kernel(piece, piece, end - at);
      memory.read(piece, end - at, part(out, at, end));
    }
  });
  return { data: out, shape: [...shape] };
}
