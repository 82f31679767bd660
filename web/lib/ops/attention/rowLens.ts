import { fresh } from '../../runtime/memory.js';
import type { Tensor } from '../../types.js';

/** One length for each row of (B, H, L), from lengths (B,) or (B, L). */
export function rowLens(
  operation: string,
  { data, shape }: Tensor<Int32Array>,
  heads: number,
  queries: number,
): Int32Array {
  const perQuery = shape.length === 2;
  const rows = fresh(operation, Int32Array, shape[0]! * heads * queries);
  for (let row = 0, b = 0; row < rows.length; ++b) {
    for (let h = 0; h < heads; ++h) {
      for (let q = 0; q < queries; ++q) rows[row++] = data[perQuery ? b * queries + q : b]!;
    }
  }
  return rows;
}
