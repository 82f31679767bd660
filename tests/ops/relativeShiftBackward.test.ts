import { describe, expect, test } from '@jest/globals';
import { relativeShiftBackward as reference } from '../reference/relativeShiftBackward.js';
import { EPS, expectClose } from '../support/close.js';
import { dot } from '../support/differences.js';
import { relativeShift, relativeShiftBackward } from '../support/library.js';
import { Random } from '../support/random.js';
import { NOT_TENSORS, testRejections, type Rejection } from '../support/rejections.js';
import { SIZES } from '../support/sizes.js';

describe('relativeShiftBackward', () => {
  test.each(SIZES)('moves every gradient back to its score, for length %i', (length) => {
    for (const leading of [[], [3], [2, 3]]) {
      const gradScores = new Random(length).tensor([...leading, length, length]);
      expectClose(relativeShiftBackward(gradScores), reference(gradScores, length), {});
      const columns = 2 * length - 1;
      expectClose(relativeShiftBackward(gradScores, { columns }), reference(gradScores, columns), {});
    }
  });

  test('is the transpose of relativeShift: <Rx, y> = <x, Rᵀy>', () => {
    const random = new Random(1);
    for (const columns of [9, 17]) {
      const [x, y] = [random.tensor([4, 9, columns]), random.tensor([4, 9, 9])];
      const back = dot(x.data, relativeShiftBackward(y, { columns }).data);
      // The same products, summed in float64 in another order.
      expect(Math.abs(dot(relativeShift(x).data, y.data) - back)).toBeLessThan(EPS * 1e-6);
    }
  });

  const call = (bad: unknown, options?: unknown) => () => relativeShiftBackward(bad as never, options as never);
  const square = [
    [1, 2],
    [3, 4],
  ];
  const rows: Rejection[] = [
    ...NOT_TENSORS.map(([what, bad]): Rejection => [what, 'TypeError', call(bad)]),
    ['rank 1', 'RangeError', call([1])],
    ['a matrix that is not square', 'RangeError', call([[1, 2]])],
    ['another number of columns', 'RangeError', call(square, { columns: 4 })],
    ['columns as a string', 'TypeError', call(square, { columns: '2' })],
    ['options that are a number', 'TypeError', call(square, 2)],
  ];
  testRejections('relativeShiftBackward', rows, () =>
    expect([...relativeShiftBackward(square).data]).toEqual([0, 1, 3, 4]),
  );
});
