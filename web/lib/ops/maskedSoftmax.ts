import { rowLens, toTensorOfRank, toValidLens } from '../check/arrays.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike, ValidLens } from '../types.js';
import { axes } from './attention/inputs.js';

const OPERATION = 'maskedSoftmax';

/** See `WasmAttention.maskedSoftmax`. */
export function maskedSoftmax({ raw, memory }: Wasm, scores: TensorLike, validLens?: ValidLens): Tensor {
  const tensor = toTensorOfRank(OPERATION, 'scores', scores, 2, 3, 4);
  const { data, shape } = tensor;
  const [batch, heads, queries, keys] = axes(tensor);
  const valid =
    validLens == null
      ? null
      : rowLens(OPERATION, toValidLens(OPERATION, validLens, batch, queries, keys), heads, queries);
  if (data.length === 0) return { data: new Float32Array(0), shape };
  return memory.scope(OPERATION, () => {
    const lens = valid && memory.ints(valid);
    const weights = memory.mapRows(data, keys, (piece, row, rows) =>
      raw.maskedSoftmax(piece, lens === null ? 0 : lens + 4 * row, piece, rows, keys),
    );
    return { data: weights, shape };
  });
}
