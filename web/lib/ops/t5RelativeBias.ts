import { toTensorOfRank } from '../check/arrays.js';
import { checkOptions, type Known } from '../check/options.js';
import { freshFloats } from '../runtime/memory.js';
import type { Tensor, TensorLike } from '../types.js';
import { checkDistances, DISTANCE_SIZES, fillDiagonals, type DistanceSizes } from './relative/diagonals.js';
import { BUCKET_OPTIONS, checkBuckets, type T5BucketOptions } from './relative/t5Buckets.js';

/** The options of `t5RelativeBias`. The table decides how many buckets there are. */
export interface T5RelativeBiasOptions extends DistanceSizes, T5BucketOptions {}

const OPERATION = 't5RelativeBias';
const OPTIONS: Known<T5RelativeBiasOptions> = { ...DISTANCE_SIZES, ...BUCKET_OPTIONS };

/** See `WasmAttention.t5RelativeBias`. */
export function t5RelativeBias(table: TensorLike, options: T5RelativeBiasOptions): Tensor {
  const given = checkOptions(OPERATION, options, OPTIONS);
  const { data: rows, shape } = toTensorOfRank(OPERATION, 'table', table, 2);
  const [numBuckets, heads] = shape as [number, number];
  const bucketOf = checkBuckets(OPERATION, given, numBuckets);
  const sizes = checkDistances(OPERATION, given);
  const { queries, keys } = sizes;
  const data = freshFloats(OPERATION, heads * queries * keys);
  const buckets = Int32Array.from(sizes.distances(), bucketOf);
  for (let h = 0; h < heads; ++h) {
    fillDiagonals(
      data,
      h,
      Float32Array.from(buckets, (bucket) => rows[bucket * heads + h]!),
      sizes,
    );
  }
  return { data, shape: [heads, queries, keys] };
}
