import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { encodingRotation as reference } from '../reference/encodingRotation.js';
import { EPS, expectClose } from '../support/close.js';
import { encodingRotation, sinusoidalEncoding } from '../support/library.js';
import { testRejections, type Rejection } from '../support/rejections.js';

describe('encodingRotation', () => {
  test.each([0, 1, 7, -3, 1000, 10_000_000])('by %i agrees with the exact oracle', (delta) => {
    for (const dim of [2, 4, 6, 10, 32, 66]) {
      // Half an ulp below 1 is EPS/4; the float64 angle is off by up to 1e-8.
      expectClose(encodingRotation({ delta, dim }), reference({ delta, dim }), { atol: EPS / 4 + 1e-8 });
      expectClose(encodingRotation({ delta, dim, base: 500 }), reference({ delta, dim, base: 500 }), {
        atol: EPS / 4 + 1e-8,
      });
    }
  });

  test('turns each row of P into the row delta positions later', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -40, max: 40 }),
        fc.integer({ min: 1, max: 33 }),
        fc.constantFrom(100, 10000),
        (delta, pairs, base) => {
          const dim = 2 * pairs;
          const [length, offset] = [5, 40];
          const P = sinusoidalEncoding({ length, dim, base, offset }).data;
          const further = sinusoidalEncoding({ length, dim, base, offset: offset + delta });
          const M = encodingRotation({ delta, dim, base });
          expect(M.shape).toEqual([pairs, 2, 2]);
          const turned = new Float64Array(P.length);
          for (let i = 0; i < length; ++i) {
            for (let j = 0; j < pairs; ++j) {
              const [sine, cosine] = [P[i * dim + 2 * j]!, P[i * dim + 2 * j + 1]!];
              for (const row of [0, 1]) {
                turned[i * dim + 2 * j + row] = M.data[4 * j + 2 * row]! * sine + M.data[4 * j + 2 * row + 1]! * cosine;
              }
            }
          }
          // The four factors and the expected value are each rounded to float32, by up to EPS/4.
          expectClose({ data: turned, shape: [length, dim] }, further, { atol: 2 * EPS });
        },
      ),
      { seed: 1, numRuns: 100 },
    );
  });

  test('by 0 is the identity', () => {
    expect([...encodingRotation({ delta: 0, dim: 4 }).data].map((x) => x + 0)).toEqual([1, 0, 0, 1, 1, 0, 0, 1]);
  });

  const call = (options: unknown) => () => encodingRotation(options as never);
  const rows: Rejection[] = [
    ['no options', 'TypeError', call(undefined)],
    ['no delta', 'TypeError', call({ dim: 4 })],
    ['no dim', 'TypeError', call({ delta: 4 })],
    ['delta NaN', 'RangeError', call({ delta: NaN, dim: 4 })],
    ['delta as a string', 'TypeError', call({ delta: '1', dim: 4 })],
    ['dim -2', 'RangeError', call({ delta: 1, dim: -2 })],
    ['dim 2.5', 'RangeError', call({ delta: 1, dim: 2.5 })],
    ['base 0', 'RangeError', call({ delta: 1, dim: 4, base: 0 })],
    ['base NaN', 'RangeError', call({ delta: 1, dim: 4, base: NaN })],
  ];
  testRejections('encodingRotation', rows, () =>
    expect(encodingRotation({ delta: 0, dim: 2 }).shape).toEqual([1, 2, 2]),
  );
});
