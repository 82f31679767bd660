import { sinusoidalEncoding } from './sinusoidalEncoding.js';
import { zeros, type Reference } from './tensor.js';

/** Row y·width + x is for the patch (y, x): the encoding of y, then that of x. */
export function sinusoidalEncoding2d(options: {
  height: number;
  width: number;
  dim: number;
  base?: number;
}): Reference {
  const { height, width, dim, base = 10000 } = options;
  const half = dim / 2;
  const P = zeros(height * width, dim);
  const of = (position: number) => sinusoidalEncoding({ length: 1, dim: half, offset: position, base }).data;
  for (let patch = 0; patch < height * width; ++patch) {
    P.data.set(of(Math.floor(patch / width)), patch * dim);
    P.data.set(of(patch % width), patch * dim + half);
  }
  return P;
}
