import { expect } from '@jest/globals';
import { zeros } from '../reference/tensor.js';
import { scaledDotProductAttention } from '../support/library.js';
import { testRejections, type Rejection } from '../support/rejections.js';

// L = 3 and S = 5 of a batch of 1.
const packed =
  (cuSeqlens: unknown, more: object = {}) =>
  () =>
    scaledDotProductAttention(zeros(1, 4, 3, 4), zeros(1, 2, 5, 4), zeros(1, 2, 5, 6), {
      cuSeqlens,
      ...more,
    } as never);
const apart = { query: [0, 1, 3], key: [0, 1, 5] };
const sequences: Rejection[] = [
  ['one list for unequal lengths', 'RangeError', packed([0, 3])],
  ['sequences that begin late', 'RangeError', packed({ ...apart, query: [1, 2, 3] })],
  ['sequences that fall', 'RangeError', packed({ query: [0, 2, 1, 3], key: [0, 1, 2, 5] })],
  ['sequences that end early', 'RangeError', packed({ ...apart, key: [0, 1, 4] })],
  ['sequences that end late', 'RangeError', packed({ ...apart, key: [0, 1, 6] })],
  ['no starts', 'RangeError', packed({ ...apart, key: [] })],
  ['more sequences of keys than of queries', 'RangeError', packed({ ...apart, key: [0, 1, 2, 5] })],
  ['a fractional start', 'RangeError', packed({ ...apart, key: [0, 1.5, 5] })],
  ['a start of NaN', 'RangeError', packed({ ...apart, key: [0, NaN, 5] })],
  ['starts of rank 2', 'RangeError', packed({ ...apart, key: [[0, 1, 5]] })],
  ['an offset for each query', 'RangeError', packed(apart, { causalOffset: [1, 2, 3] })],
  ['packed sequences with lengths', 'RangeError', packed(apart, { validLens: [3] })],
  [
    'packed sequences with a past',
    'RangeError',
    packed(apart, { pastKey: zeros(1, 2, 1, 4), pastValue: zeros(1, 2, 1, 6) }),
  ],
  ['starts of keys alone', 'TypeError', packed({ key: [0, 5] })],
  ['starts that are strings', 'TypeError', packed({ ...apart, key: ['0', '5', '5'] })],
  ['starts of something else', 'TypeError', packed({ ...apart, value: [0, 1, 5] })],
  ['sequences that are a number', 'TypeError', packed(3)],
];

testRejections('scaledDotProductAttention', sequences, () => {
  const { output } = scaledDotProductAttention(
    [[0]],
    [[1], [2]],
    [
      [3, 5],
      [5, 9],
    ],
    { cuSeqlens: { query: [0, 1], key: [0, 2] } },
  );
  expect([...output.data]).toEqual([4, 7]);
});
