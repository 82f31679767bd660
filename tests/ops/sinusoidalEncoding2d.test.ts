import { describe, expect, test } from '@jest/globals';
import { sinusoidalEncoding2d as reference } from '../reference/sinusoidalEncoding2d.js';
import { EPS, expectClose } from '../support/close.js';
import { sinusoidalEncoding, sinusoidalEncoding2d } from '../support/library.js';
import { testRejections, type Rejection } from '../support/rejections.js';

describe('sinusoidalEncoding2d', () => {
  test('agrees with the oracle', () => {
    for (const [height, width] of [
      [1, 1],
      [3, 5],
      [5, 3],
      [1, 9],
      [14, 14],
    ] as const) {
      for (const dim of [4, 8, 20, 36]) {
        for (const base of [100, 10000]) {
          const options = { height, width, dim, base };
          // As for sinusoidalEncoding: half an ulp of float32 below 1, and 1e-8.
          expectClose(sinusoidalEncoding2d(options), reference(options), { atol: EPS / 4 + 1e-8 });
        }
      }
    }
  });

  test('encodes the row in the first half and the column in the second', () => {
    const { data, shape } = sinusoidalEncoding2d({ height: 4, width: 6, dim: 16 });
    expect(shape).toEqual([24, 16]);
    const P = sinusoidalEncoding({ length: 6, dim: 8 }).data;
    const patch = data.subarray((3 * 6 + 5) * 16);
    expect(patch.slice(0, 8)).toEqual(P.slice(24, 32));
    expect(patch.slice(8, 16)).toEqual(P.slice(40, 48));
  });

  test('accepts an image without patches', () => {
    expect(sinusoidalEncoding2d({ height: 0, width: 3, dim: 4 }).shape).toEqual([0, 4]);
  });

  const fine = { height: 1, width: 1, dim: 4 };
  const call = (options: unknown) => () => sinusoidalEncoding2d(options as never);
  const rows: Rejection[] = [
    ['no options', 'TypeError', call(undefined)],
    ['no width', 'TypeError', call({ height: 1, dim: 4 })],
    ['a negative height', 'RangeError', call({ ...fine, height: -1 })],
    ['a fractional width', 'RangeError', call({ ...fine, width: 0.5 })],
    ['dim 0', 'RangeError', call({ ...fine, dim: 0 })],
    ['dim 6', 'RangeError', call({ ...fine, dim: 6 })],
    ['an infinite base', 'RangeError', call({ ...fine, base: Infinity })],
    ['base 0', 'RangeError', call({ ...fine, base: 0 })],
    ['base as a string', 'TypeError', call({ ...fine, base: '10' })],
    ['more patches than fit into memory', 'RangeError', call({ ...fine, height: 2 ** 24, width: 2 ** 24 })],
  ];
  testRejections('sinusoidalEncoding2d', rows, () =>
    expect([...sinusoidalEncoding2d(fine).data]).toEqual([0, 1, 0, 1]),
  );
});
