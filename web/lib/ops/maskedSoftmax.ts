import { rowLens, toTensorOfRank, toValidLens } from '../check/arrays.js';
import { orOutOfMemory, part, rowsAtOnce } from '../runtime/memory.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike, ValidLens } from '../types.js';
import { axes } from './attention/inputs.js';

const OPERATION = 'maskedSoftmax';

/** See `WasmAttention.maskedSoftmax`. */
export function maskedSoftmax({ raw, memory }: Wasm, scores: TensorLike, validLens?: ValidLens): Tensor {
  const tensor = toTensorOfRank(OPERATION, 'scores', scores, 2, 3, 4);
  const { data, shape } = tensor;
  const [batch, heads, queries, keys] = axes(tensor);
  const rows = batch * heads * queries;
  const valid =
    validLens == null
      ? null
      : rowLens(OPERATION, toValidLens(OPERATION, validLens, batch, queries, keys), heads, queries);
  if (data.length === 0) return { data: new Float32Array(0), shape };
  return memory.scope(OPERATION, () => {
    const lens = valid && memory.ints(valid);
    const pieceRows = rowsAtOnce(rows, keys);
    const piece = memory.reserve(pieceRows * keys);
    // In pieces, because the result may be larger than wasm memory.
    let out: Float32Array | undefined =
      pieceRows < rows ? orOutOfMemory(OPERATION, 4 * data.length, () => new Float32Array(data.length)) : undefined;
    for (let row = 0; row < rows; row += pieceRows) {
      const end = Math.min(row + pieceRows, rows);
      memory.write(piece, part(data, row * keys, end * keys));
      raw.maskedSoftmax(piece, lens === null ? 0 : lens + 4 * row, piece, end - row, keys);
      const read = memory.read(piece, (end - row) * keys, out?.subarray(row * keys, end * keys));
      out ??= read;
    }
    return { data: out!, shape };
  });
}
