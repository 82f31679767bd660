import { frequency, reducedAngle } from './exactAngle.js';
import { zeros, type Reference } from './tensor.js';

/**
 * M_j = [[cos, sin], [-sin, cos]] of the angle delta·base^(-2j/dim): it turns (sin a, cos a) into (sin(a + δω), cos(a +
 * δω)).
 */
export function encodingRotation({
  delta,
  dim,
  base = 10000,
}: {
  delta: number;
  dim: number;
  base?: number;
}): Reference {
  const pairs = Math.floor(dim / 2);
  const M = zeros(pairs, 2, 2);
  for (let j = 0; j < pairs; ++j) {
    const angle = reducedAngle(delta, frequency(base, j, dim));
    M.data.set([Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle)], 4 * j);
  }
  return M;
}
