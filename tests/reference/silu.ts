import type { Numbers, Reference } from './tensor.js';

/** x / (1 + e^-x) of each element. */
export function silu({ data, shape }: Numbers): Reference {
  return { data: Float64Array.from(data, (x) => x / (1 + Math.exp(-x))), shape };
}
