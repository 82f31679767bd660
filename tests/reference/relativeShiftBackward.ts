import { zeros, type Numbers, type Reference } from './tensor.js';

/** Every entry of relativeShift's input gets the gradient of the entry that it was moved to, or 0. */
export function relativeShiftBackward(gradScores: Numbers, columns: number): Reference {
  const L = gradScores.shape.at(-1)!;
  const gradient = zeros(...gradScores.shape.slice(0, -1), columns);
  for (let at = 0; at < gradient.data.length; ++at) {
    const [row, column] = [Math.floor(at / columns), at % columns];
    const j = (row % L) + column - (L - 1);
    if (j >= 0 && j < L) gradient.data[at] = gradScores.data[row * L + j]!;
  }
  return gradient;
}
