import { expect, test } from '@jest/globals';
import { attention } from '../support/library.js';

// The figure computes the products as scores of attention; its claims about them are checked here in float64.
test.each([
  [60, 32, 10000],
  [17, 9, 100],
  [33, 64, 10],
])('products of %i positions of width %i, base %i, depend on the distance alone', (length, dim, base) => {
  const P = attention.sinusoidalEncoding({ length, dim, base });
  const scale = 2 / dim;
  const { scores } = attention.scaledDotProductAttention(P, P, P, { scale, needScores: 'scaled' });
  const far: { i: number; j: number; from: string; by: number }[] = [];
  for (let i = 0; i < length; ++i) {
    for (let j = 0; j < length; ++j) {
      let exact = 0;
      for (let c = 0; c < dim; ++c) exact += P.data[i * dim + c]! * P.data[j * dim + c]! * scale;
      // dim products of numbers up to 1, rounded and added in float32.
      const tolerance = (dim + 2) * 2 ** -24 * 2;
      const near = (from: string, by: number): void => {
        if (!(Math.abs(by) <= tolerance)) far.push({ i, j, from, by });
      };
      near('the scores', scores!.data[i * length + j]! - exact);
      if (dim % 2 !== 0) {
        // The unpaired sine depends on the position; the figure describes its effect on the diagonal.
        const left = Math.sin(i * base ** (-(dim - 1) / dim));
        if (i === j) near('the diagonal', exact - (dim - 1 + 2 * left ** 2) / dim);
        continue;
      }
      let toeplitz = 0;
      for (let c = 0; c < dim; c += 2) toeplitz += Math.cos((i - j) * base ** (-c / dim)) * scale;
      near('the distance', exact - toeplitz);
    }
  }
  expect(far).toEqual([]);
});
