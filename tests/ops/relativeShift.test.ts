import { describe, expect, test } from '@jest/globals';
import { relativeShift as reference } from '../reference/relativeShift.js';
import { expectClose } from '../support/close.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { relativeShift } from '../support/library.js';
import { Random } from '../support/random.js';
import { NOT_TENSORS, testRejections, type Rejection } from '../support/rejections.js';
import { SIZES } from '../support/sizes.js';

describe('relativeShift', () => {
  test.each(loadFixtures('positional', /^huang/))("agrees with PyTorch's skewing on $name", (fixture) => {
    const { data, shape } = fixture.output('QEr');
    const shifted = relativeShift({ data: Float32Array.from(data), shape });
    expectFixture(shifted, fixture.output('S_rel_lower'));
  });

  test.each(SIZES)('moves every score to its key, for length %i', (length) => {
    for (const columns of [length, 2 * length - 1]) {
      for (const leading of [[], [3], [2, 3]]) {
        const scores = new Random(length).tensor([...leading, length, columns]);
        const before = [...scores.data];
        expectClose(relativeShift(scores), reference(scores), {});
        expect([...scores.data]).toEqual(before);
      }
    }
  });

  test('puts distance 0 on the diagonal', () => {
    const masked = relativeShift([
      [1, 2],
      [3, 4],
    ]);
    expect([...masked.data]).toEqual([2, 0, 3, 4]);
    const unmasked = relativeShift([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect([...unmasked.data]).toEqual([2, 3, 4, 5]);
  });

  test('makes the diagonals constant if all rows are equal', () => {
    const row = new Random(1).tensor([13]).data;
    const rows = { data: Float32Array.from({ length: 7 * 13 }, (_, at) => row[at % 13]!), shape: [7, 13] };
    const { data } = relativeShift(rows);
    for (let i = 1; i < 7; ++i) {
      for (let j = 1; j < 7; ++j) expect(data[i * 7 + j]).toBe(data[(i - 1) * 7 + j - 1]);
    }
  });

  test('accepts empty arrays', () => {
    expect(relativeShift({ data: new Float32Array(0), shape: [2, 0, 0] }).shape).toEqual([2, 0, 0]);
    expect(relativeShift({ data: new Float32Array(0), shape: [0, 3, 5] }).shape).toEqual([0, 3, 3]);
  });

  const rows: Rejection[] = [
    ...NOT_TENSORS.map(([what, bad]): Rejection => [what, 'TypeError', () => relativeShift(bad as never)]),
    ['rank 1', 'RangeError', () => relativeShift([1, 2])],
    ['too few columns', 'RangeError', () => relativeShift([[1], [2]])],
    [
      'too many columns',
      'RangeError',
      () =>
        relativeShift([
          [1, 2, 3, 4],
          [1, 2, 3, 4],
        ]),
    ],
    ['a number of columns between L and 2·L - 1', 'RangeError', () => relativeShift(new Random(1).tensor([3, 4]))],
  ];
  testRejections('relativeShift', rows, () => expect([...relativeShift([[7]]).data]).toEqual([7]));
});
