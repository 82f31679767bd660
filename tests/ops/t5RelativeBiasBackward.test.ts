import { describe, expect, test } from '@jest/globals';
import { t5RelativeBiasBackward as reference } from '../reference/t5RelativeBiasBackward.js';
import { EPS, expectClose } from '../support/close.js';
import { dot } from '../support/differences.js';
import { t5RelativeBias, t5RelativeBiasBackward } from '../support/library.js';
import { Random } from '../support/random.js';
import { NOT_TENSORS, testRejections, type Rejection } from '../support/rejections.js';

describe('t5RelativeBiasBackward', () => {
  test('sums the gradients of each bucket', () => {
    for (const [numBuckets, heads] of [
      [32, 8],
      [4, 1],
      [64, 3],
    ] as const) {
      for (const [queryLength, keyLength] of [
        [1, 1],
        [7, 20],
        [60, 60],
        [0, 3],
      ] as const) {
        for (const bidirectional of [true, false]) {
          const options = { queryLength, keyLength, bidirectional, numBuckets, maxDistance: 40, offset: 5 };
          const gradBias = new Random(queryLength).tensor([heads, queryLength, keyLength]);
          // The library sums in float64 and rounds once.
          const tolerance = { rtol: EPS / 2, atol: 1e-12 };
          expectClose(t5RelativeBiasBackward(gradBias, options), reference(gradBias, options), tolerance);
        }
      }
    }
  });

  test('is the transpose of t5RelativeBias, <Rx, y> = <x, Rᵀy>', () => {
    const random = new Random(1);
    const [table, y] = [random.tensor([32, 4]), random.tensor([4, 30, 50])];
    const options = { queryLength: 30, keyLength: 50 };
    const forward = dot(t5RelativeBias(table, options).data, y.data);
    const back = dot(table.data, t5RelativeBiasBackward(y, options).data);
    // There are 128 sums below 100, each rounded once by up to 100·EPS/2, times table entries below 4.
    expect(Math.abs(forward - back)).toBeLessThan((128 * 100 * 4 * EPS) / 2);
  });

  const gradBias = new Random(2).tensor([2, 3, 3]);
  const call =
    (bad: unknown, options: unknown = { queryLength: 3 }) =>
    () =>
      t5RelativeBiasBackward(bad as never, options as never);
  const rows: Rejection[] = [
    ...NOT_TENSORS.map(([what, bad]): Rejection => [what, 'TypeError', call(bad)]),
    ['no options', 'TypeError', () => t5RelativeBiasBackward(gradBias, undefined as never)],
    ['a gradient of other lengths', 'RangeError', call(gradBias, { queryLength: 4 })],
    ['a gradient without heads', 'RangeError', call([[1]], { queryLength: 1 })],
    ['a negative bucket count', 'RangeError', call(gradBias, { queryLength: 3, numBuckets: -1 })],
  ];
  testRejections('t5RelativeBiasBackward', rows, () =>
    expect(t5RelativeBiasBackward([[[5]]], { queryLength: 1 }).data[0]).toBe(5),
  );
});
