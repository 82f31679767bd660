import { checkOptions, type Known } from '../check/options.js';
import { checkInteger } from '../check/values.js';
import { fresh } from '../runtime/memory.js';
import type { Tensor } from '../types.js';
import { checkDistances, DISTANCE_SIZES, fillDiagonals, fillLine, type DistanceSizes } from './relative/diagonals.js';
import { BUCKET_OPTIONS, checkBuckets, type T5BucketOptions } from './relative/t5Buckets.js';

/** The options of `t5RelativeBuckets`. */
export interface T5RelativeBucketsOptions extends DistanceSizes, T5BucketOptions {
  /** Default 32; at least 4, or at least 2 if `bidirectional` is false. */
  numBuckets?: number;
}

const OPERATION = 't5RelativeBuckets';
export const T5_OPTIONS: Known<T5RelativeBucketsOptions> = {
  ...DISTANCE_SIZES,
  ...BUCKET_OPTIONS,
  numBuckets: 1,
};

/** See `WasmAttention.t5RelativeBuckets`. */
export function t5RelativeBuckets(options: T5RelativeBucketsOptions): Tensor<Int32Array> {
  const given = checkOptions(OPERATION, options, T5_OPTIONS);
  const numBuckets = checkInteger(OPERATION, 'numBuckets', given.numBuckets ?? 32, 0);
  const bucketOf = checkBuckets(OPERATION, given, numBuckets);
  const sizes = checkDistances(OPERATION, given);
  const { queries, keys } = sizes;
  const data = fresh(OPERATION, Int32Array, queries * keys);
  fillDiagonals(data, 0, fillLine(fresh(OPERATION, Int32Array, sizes.line), sizes, bucketOf), sizes);
  return { data, shape: [queries, keys] };
}
