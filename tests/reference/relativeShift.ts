import { zeros, type Numbers, type Reference } from './tensor.js';

/**
 * Huang et al. 2018, by definition: entry (i, j) is the score of distance j - i, from column L-1 + j-i, or 0 if there
 * is no such column.
 */
export function relativeShift(scores: Numbers): Reference {
  const [L, columns] = scores.shape.slice(-2) as [number, number];
  const shifted = zeros(...scores.shape.slice(0, -1), L);
  for (let at = 0; at < shifted.data.length; ++at) {
    const [row, j] = [Math.floor(at / L), at % L];
    const column = L - 1 + j - (row % L);
    if (column < columns) shifted.data[at] = scores.data[row * columns + column]!;
  }
  return shifted;
}
