export interface T5Reference {
  queryLength: number;
  keyLength?: number;
  offset?: number;
  bidirectional?: boolean;
  numBuckets?: number;
  maxDistance?: number;
}

/**
 * Raffel et al. 2020: the bucket of a distance (key - query). The logarithm is in float32, as the published checkpoints
 * need.
 */
export function bucketOf(distance: number, options: Omit<T5Reference, 'queryLength'> = {}): number {
  const { bidirectional = true, numBuckets = 32, maxDistance = 128 } = options;
  let buckets = numBuckets;
  let first = 0;
  let length = Math.max(0, -distance);
  if (bidirectional) {
    buckets = Math.floor(numBuckets / 2);
    first = distance > 0 ? buckets : 0;
    length = Math.abs(distance);
  }
  const exact = Math.floor(buckets / 2);
  if (length < exact) return first + length;
  const float = new Float32Array(3);
  float[0] = Math.log(Math.fround(length / exact));
  float[1] = float[0] / Math.fround(Math.log(maxDistance / exact));
  float[2] = float[1] * (buckets - exact);
  return first + Math.min(exact + Math.floor(float[2]), buckets - 1);
}

/** The buckets of (L, S), row by row. */
export function t5RelativeBuckets(options: T5Reference): number[] {
  const { queryLength: L, keyLength: S = L, offset = 0 } = options;
  return Array.from({ length: L * S }, (_, at) => bucketOf((at % S) - Math.floor(at / S) - offset, options));
}
