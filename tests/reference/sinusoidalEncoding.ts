import { frequency, reducedAngle } from './exactAngle.js';
import { zeros, type Reference } from './tensor.js';

export interface SinusoidalReferenceOptions {
  length: number;
  dim: number;
  base?: number;
  offset?: number;
  positions?: ArrayLike<number>;
  layout?: 'interleaved' | 'concatenated';
}

/**
 * Pair j holds sine and cosine of position·base^(-2j/dim); an odd width ends with a sine. Positions and base must be
 * whole numbers.
 */
export function sinusoidalEncoding(options: SinusoidalReferenceOptions): Reference {
  const { length, dim, base = 10000, offset = 0, positions, layout = 'interleaved' } = options;
  const P = zeros(length, dim);
  const sines = Math.ceil(dim / 2);
  for (let j = 0; j < sines; ++j) {
    const omega = frequency(base, j, dim);
    const sine = layout === 'interleaved' ? 2 * j : j;
    const cosine = layout === 'interleaved' ? 2 * j + 1 : sines + j;
    for (let i = 0; i < length; ++i) {
      const angle = reducedAngle(positions ? positions[i]! : offset + i, omega);
      P.data[i * dim + sine] = Math.sin(angle);
      if (2 * j + 1 < dim) P.data[i * dim + cosine] = Math.cos(angle);
    }
  }
  return P;
}
