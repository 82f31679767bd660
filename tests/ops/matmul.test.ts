import { describe, expect, test } from '@jest/globals';
import { matmul as reference } from '../reference/matmul.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { matmul } from '../support/library.js';
import { Random } from '../support/random.js';
import { NOT_TENSORS, testRejections, type Rejection } from '../support/rejections.js';
import { BLOCK_SIZES, SIZES } from '../support/sizes.js';

/** Compares a product of random numbers with float64. */
function check(a: readonly number[], b: readonly number[]): void {
  const random = new Random(a.length + b.length + a[0]! + b.at(-1)!);
  const [left, right] = [random.tensor(a), random.tensor(b)];
  const expected = reference(left, right);
  // Roundings of a sum add up at random, as in conv1d.test.ts.
  const atol = (4 + 2.5 * Math.sqrt(a.at(-1)!)) * EPS * Math.max(1, maxAbs(expected.data));
  expectClose(matmul(left, right), expected, { atol });
}

describe('matmul', () => {
  test('multiplies two matrices', () => {
    expect(
      matmul(
        [[1, 2]],
        [
          [3, 4, 5],
          [6, 7, 8],
        ],
      ),
    ).toEqual({ data: Float32Array.of(15, 18, 21), shape: [1, 3] });
  });

  test.each(SIZES)('agrees with float64 if an axis has %i elements', (size) => {
    check([size, 5], [5, 3]);
    check([3, size], [size, 6]);
    check([6, 3], [3, size]);
    check([2, 3, size], [2, size, 5]);
  });

  test.each(BLOCK_SIZES)('agrees with float64 for a depth and for rows of %i', (size) => {
    check([3, size], [size, 5]);
    check([2, size, 3], [3, 5]);
  });

  test.each([
    [
      [2, 3, 4, 5],
      [2, 3, 5, 6],
    ],
    [
      [2, 3, 4, 5],
      [5, 6],
    ],
    [
      [4, 5],
      [2, 3, 5, 6],
    ],
    [
      [3, 4, 5],
      [2, 3, 5, 6],
    ],
    [
      [2, 1, 4, 5],
      [3, 5, 6],
    ],
    [
      [2, 1, 4, 5],
      [1, 3, 5, 6],
    ],
    [
      [1, 3, 4, 5],
      [2, 1, 5, 6],
    ],
    [
      [2, 3, 4, 5],
      [2, 1, 5, 6],
    ],
    [
      [2, 3, 4, 5],
      [1, 3, 5, 6],
    ],
    [
      [2, 3, 4, 5],
      [1, 1, 5, 6],
    ],
    [
      [7, 4, 5],
      [1, 5, 6],
    ],
    [
      [1, 4, 5],
      [7, 5, 6],
    ],
  ])('broadcasts leading axes: %j times %j', (a, b) => check(a, b));

  test('gives zeros for empty sums, and empty results for empty axes', () => {
    expect(matmul({ data: [], shape: [2, 0] }, { data: [], shape: [0, 3] })).toEqual({
      data: new Float32Array(6),
      shape: [2, 3],
    });
    for (const [a, b, shape] of [
      [
        [0, 3],
        [3, 2],
        [0, 2],
      ],
      [
        [0, 2, 3],
        [3, 2],
        [0, 2, 2],
      ],
      [
        [1, 2, 3],
        [0, 3, 2],
        [0, 2, 2],
      ],
    ] as const) {
      const [left, right] = [a, b].map((axes) => new Random(1).tensor(axes));
      expect(matmul(left!, right!)).toEqual({ data: new Float32Array(0), shape: [...shape] });
    }
  });

  test('returns NaN where a row or a column has one, and nowhere else', () => {
    const a = new Random(1).tensor([5, 4]);
    const b = new Random(2).tensor([4, 9]);
    a.data[4] = NaN;
    b.data[2] = NaN;
    const { data } = matmul(a, b);
    expect(Array.from(data, Number.isNaN)).toEqual(
      Array.from({ length: 45 }, (_, i) => Math.floor(i / 9) === 1 || i % 9 === 2),
    );
  });

  const of = (...shape: number[]) => new Random(1).tensor(shape);
  const rows: Rejection[] = [
    ...NOT_TENSORS.flatMap(([what, x]): Rejection[] => [
      [`a: ${what}`, 'TypeError', () => matmul(x as never, of(2, 2))],
      [`b: ${what}`, 'TypeError', () => matmul(of(2, 2), x as never)],
    ]),
    ['a of rank 1', 'RangeError', () => matmul(of(3), of(3, 2))],
    ['b of rank 5', 'RangeError', () => matmul(of(3, 3), of(1, 1, 1, 3, 3))],
    ['another depth', 'RangeError', () => matmul(of(2, 3), of(2, 3))],
    ['other leading axes', 'RangeError', () => matmul(of(2, 3, 3), of(3, 3, 3))],
    ['other first axes', 'RangeError', () => matmul(of(2, 4, 3, 3), of(3, 4, 3, 3))],
  ];
  testRejections('matmul', rows, () => expect(matmul(of(2, 3), of(3, 2)).shape).toEqual([2, 2]));
});
