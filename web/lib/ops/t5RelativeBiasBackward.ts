import { toTensorOfShape } from '../check/arrays.js';
import { checkOptions } from '../check/options.js';
import { checkInteger } from '../check/values.js';
import { fresh } from '../runtime/memory.js';
import type { Tensor, TensorLike } from '../types.js';
import { checkDistances } from './relative/diagonals.js';
import { checkBuckets } from './relative/t5Buckets.js';
import { T5_OPTIONS, type T5RelativeBucketsOptions } from './t5RelativeBuckets.js';

const OPERATION = 't5RelativeBiasBackward';

/** See `WasmAttention.t5RelativeBiasBackward`. */
export function t5RelativeBiasBackward(gradBias: TensorLike, options: T5RelativeBucketsOptions): Tensor {
  const given = checkOptions(OPERATION, options, T5_OPTIONS);
  const numBuckets = checkInteger(OPERATION, 'numBuckets', given.numBuckets ?? 32, 0);
  const bucketOf = checkBuckets(OPERATION, given, numBuckets);
  const sizes = checkDistances(OPERATION, given);
  const { queries, keys } = sizes;
  const { data, shape } = toTensorOfShape(OPERATION, 'gradBias', gradBias, ['H', queries, keys]);
  const heads = shape[0]!;
  const gradTable = fresh(OPERATION, Float64Array, numBuckets * heads);
  // An empty gradient may have billions of heads, rows or distances to loop over.
  const sums = fresh(OPERATION, Float64Array, data.length === 0 ? 0 : sizes.line);
  let at = 0;
  for (let h = 0; h < heads && data.length > 0; ++h) {
    sums.fill(0);
    for (let i = 0; i < queries; ++i) {
      const first = queries - 1 - i;
      for (let j = 0; j < keys; ++j) sums[first + j]! += data[at++]!;
    }
    sums.forEach((sum, r) => {
      gradTable[bucketOf(sizes.distance(r)) * heads + h]! += sum;
    });
  }
  return { data: Float32Array.from(gradTable), shape: [numBuckets, heads] };
}
