import { t5RelativeBuckets, type T5Reference } from './t5RelativeBuckets.js';
import { zeros, type Numbers, type Reference } from './tensor.js';

/** The sums of gradBias (H, L, S) over the entries of each bucket: (numBuckets, H). */
export function t5RelativeBiasBackward(gradBias: Numbers, options: T5Reference): Reference {
  const { queryLength: L, keyLength: S = L, numBuckets = 32 } = options;
  const H = gradBias.shape[0]!;
  const buckets = t5RelativeBuckets(options);
  const table = zeros(numBuckets, H);
  for (let at = 0; at < H * L * S; ++at) {
    table.data[buckets[at % (L * S)]! * H + Math.floor(at / (L * S))]! += gradBias.data[at]!;
  }
  return table;
}
