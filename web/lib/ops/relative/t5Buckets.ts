import { checkBoolean, checkInteger, wrongValue } from '../../check/values.js';

/** Which distances T5 tells apart. */
export interface T5BucketOptions {
  /** Half of the buckets are for keys ahead of a query; false: keys ahead share bucket 0 with distance 0. Default true. */
  bidirectional?: boolean;
  /** Distances from here on share the last bucket. Default 128; above the number of buckets that hold one distance each. */
  maxDistance?: number;
}

/** The bucket of a distance j - i, for `numBuckets` in all. */
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
  // Checkpoints were trained with a float32 logarithm, whose roundings decide at the buckets' edges.
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
