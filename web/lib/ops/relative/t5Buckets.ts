import type { Known } from '../../check/options.js';
import { checkBoolean, checkInteger, wrongValue } from '../../check/values.js';

/** How T5 puts distances into buckets. */
export interface T5BucketOptions {
  /**
   * Whether half of the buckets are for keys ahead of a query. Default true; if false, such keys share bucket 0 with
   * distance 0.
   */
  bidirectional?: boolean;
  /**
   * Distances from this one on share the last bucket. Default 128; must be above the number of buckets with a single
   * distance.
   */
  maxDistance?: number;
}

export const BUCKET_OPTIONS: Known<T5BucketOptions> = { bidirectional: 1, maxDistance: 1 };

/** Checks the options for `numBuckets` buckets; returns a function that maps a distance j - i to its bucket. */
export function checkBuckets(
  operation: string,
  given: T5BucketOptions,
  numBuckets: number,
): (distance: number) => number {
  const bidirectional = checkBoolean(operation, 'bidirectional', given.bidirectional ?? true);
  checkInteger(operation, 'the number of buckets', numBuckets, bidirectional ? 4 : 2, 2 ** 24);
  const buckets = bidirectional ? Math.floor(numBuckets / 2) : numBuckets;
  const exact = Math.floor(buckets / 2);
  const maxDistance = checkInteger(operation, 'maxDistance', given.maxDistance ?? 128, 1);
  if (maxDistance <= exact) wrongValue(operation, `maxDistance above ${exact}`, maxDistance);
  // Checkpoints were trained with a float32 logarithm, and its rounding matters at the edges of buckets.
  const { fround, log } = Math;
  const wide = fround(log(maxDistance / exact));
  const ofLength = (length: number): number => {
    if (length < exact) return length;
    const part = fround(fround(fround(log(fround(length / exact))) / wide) * (buckets - exact));
    return Math.min(exact + Math.trunc(part), buckets - 1);
  };
  if (!bidirectional) return (distance) => ofLength(Math.max(-distance, 0));
  return (distance) => (distance > 0 ? buckets : 0) + ofLength(Math.abs(distance));
}
