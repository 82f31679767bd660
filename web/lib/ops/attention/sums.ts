import { sizeOf } from '../../check/values.js';
import type { Memory } from '../../runtime/memory.js';
import type { AttentionSizes, CheckedAttentionOptions } from './options.js';

/** As in cpp/simd/long_sum.h: sums of more terms are added with compensation. */
const RUN = 128;

/** Where a gradient is summed up, and what its sums have lost, in `lost`; 0 for none. */
interface PlacedSum {
  readonly sum: number;
  readonly lost: number;
}

/** Places zeros for the gradients of attention's options, which sum over the axes of their broadcast. */
export function placeSums(
  memory: Memory,
  { bias, relativeKeys, relativeValues }: CheckedAttentionOptions['differentiable'],
  { batch, heads, queries, keys }: Pick<AttentionSizes, 'batch' | 'heads' | 'queries' | 'keys'>,
): Record<'bias' | 'relativeKeys' | 'relativeValues', PlacedSum> {
  const place = (shape: readonly number[] | undefined, terms: number): PlacedSum => {
    if (!shape) return { sum: 0, lost: 0 };
    const size = sizeOf(shape);
    const compensated = terms > RUN * size;
    const count = compensated ? 2 * size : size;
    const sum = memory.reserve(count);
    memory.clear(sum, count);
    return { sum, lost: compensated ? sum + 4 * size : 0 };
  };
  // A head adds one number to each element of its table.
  const tables = (shape: readonly number[] | undefined) => place(shape, batch * heads * sizeOf(shape ?? []));
  return {
    bias: place(bias, batch * heads * queries * keys),
    relativeKeys: tables(relativeKeys),
    relativeValues: tables(relativeValues),
  };
}
