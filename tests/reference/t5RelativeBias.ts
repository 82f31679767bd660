import { t5RelativeBuckets, type T5Reference } from './t5RelativeBuckets.js';
import { zeros, type Numbers, type Reference } from './tensor.js';

/** The entries of table (numBuckets, H) for every bucket: (H, L, S). */
export function t5RelativeBias(table: Numbers, options: Omit<T5Reference, 'numBuckets'>): Reference {
  const { queryLength: L, keyLength: S = L } = options;
  const [numBuckets, H] = table.shape as [number, number];
  const buckets = t5RelativeBuckets({ ...options, numBuckets });
  const bias = zeros(H, L, S);
  bias.data.forEach((_, at) => {
    bias.data[at] = table.data[buckets[at % (L * S)]! * H + Math.floor(at / (L * S))]!;
  });
  return bias;
}
