import { toTensorOfRank } from '../check/arrays.js';
import { checkOptions, type Known } from '../check/options.js';
import { sizeOf } from '../check/values.js';
import { fresh } from '../runtime/memory.js';
import type { Tensor, TensorLike } from '../types.js';
import { checkDistances, DISTANCE_SIZES, fillDiagonals, fillLine, type DistanceSizes } from './relative/diagonals.js';
import { BUCKET_OPTIONS, checkBuckets, type T5BucketOptions } from './relative/t5Buckets.js';

/** The options of `t5RelativeBias`. The table decides how many buckets there are. */
export interface T5RelativeBiasOptions extends DistanceSizes, T5BucketOptions {}

const OPERATION = 't5RelativeBias';
const OPTIONS: Known<T5RelativeBiasOptions> = { ...DISTANCE_SIZES, ...BUCKET_OPTIONS };

/** See `WasmAttention.t5RelativeBias`. */
export function t5RelativeBias(table: TensorLike, options: T5RelativeBiasOptions): Tensor {
  const given = checkOptions(OPERATION, options, OPTIONS);
  const { data: rows, shape: tableShape } = toTensorOfRank(OPERATION, 'table', table, 2);
  const [numBuckets, heads] = tableShape as [number, number];
  const bucketOf = checkBuckets(OPERATION, given, numBuckets);
  const sizes = checkDistances(OPERATION, given);
  const { queries, keys } = sizes;
  const shape = [heads, queries, keys];
  const data = fresh(OPERATION, Float32Array, sizeOf(shape));
  // An empty result may have billions of heads or distances to loop over.
  if (data.length === 0) return { data, shape };
  const buckets = fillLine(fresh(OPERATION, Int32Array, sizes.line), sizes, bucketOf);
  const line = fresh(OPERATION, Float32Array, sizes.line);
  for (let h = 0; h < heads; ++h) {
    for (let at = 0; at < line.length; ++at) line[at] = rows[buckets[at]! * heads + h]!;
    fillDiagonals(data, h, line, sizes);
  }
  return { data, shape };
}
