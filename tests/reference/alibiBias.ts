import { alibiSlopes } from './alibiSlopes.js';
import { offset as indexOf, zeros, type Reference } from './tensor.js';

/** (H, L, S): -slope·(i + offset - j), with `symmetric` the absolute distance; `isCausal` masks keys j > i + offset. */
export function alibiBias(options: {
  numHeads: number;
  queryLength: number;
  keyLength?: number;
  offset?: number;
  symmetric?: boolean;
  isCausal?: boolean;
}): Reference {
  const { numHeads, queryLength: L, keyLength: S = L, offset = 0, symmetric = false, isCausal = false } = options;
  const bias = zeros(numHeads, L, S);
  alibiSlopes(numHeads).forEach((slope, h) => {
    for (let i = 0; i < L; ++i) {
      for (let j = 0; j < S; ++j) {
        const distance = i + offset - j;
        const value = -slope * (symmetric ? Math.abs(distance) : distance);
        bias.data[indexOf(bias.shape, [h, i, j])] = isCausal && distance < 0 ? -Infinity : value;
      }
    }
  });
  return bias;
}
