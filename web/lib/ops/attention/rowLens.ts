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
  for (let row = 0; row < rows.length; ++row) {
    const batch = Math.floor(row / (heads * queries));
    rows[row] = data[perQuery ? batch * queries + (row % queries) : batch]!;
  }
  return rows;
}
