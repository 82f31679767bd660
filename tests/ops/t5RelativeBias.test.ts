import { describe, expect, test } from '@jest/globals';
import { t5RelativeBias as reference } from '../reference/t5RelativeBias.js';
import { expectClose } from '../support/close.js';
import { scaledDotProductAttention, t5RelativeBias } from '../support/library.js';
import { Random } from '../support/random.js';
import { BROKEN_TENSORS, NOT_TENSORS, testRejections, type Rejection } from '../support/rejections.js';

describe('t5RelativeBias', () => {
  test('returns the entries of the table to the bit', () => {
    for (const [numBuckets, heads] of [
      [32, 8],
      [4, 1],
      [64, 3],
    ] as const) {
      const table = new Random(numBuckets).tensor([numBuckets, heads]);
      for (const [queryLength, keyLength] of [
        [1, 1],
        [7, 20],
        [20, 7],
        [0, 3],
      ] as const) {
        for (const bidirectional of [true, false]) {
          const options = { queryLength, keyLength, bidirectional, maxDistance: 40, offset: 5 };
          expectClose(t5RelativeBias(table, options), reference(table, options), {});
        }
      }
    }
  });

  test("adds the table's entry for the head and bucket as a bias of attention", () => {
    const random = new Random(2);
    const [q, k, v] = [random.tensor([1, 4, 6, 8]), random.tensor([1, 4, 6, 8]), random.tensor([1, 4, 6, 8])];
    const table = random.tensor([32, 4]);
    const { scores } = scaledDotProductAttention(q, k, v, {
      bias: t5RelativeBias(table, { queryLength: 6 }),
      needScores: 'masked',
    });
    const { scores: plain } = scaledDotProductAttention(q, k, v, { needScores: 'masked' });
    // Query 3 and key 1 of head 2: distance -2, which is in bucket 2.
    const at = (2 * 6 + 3) * 6 + 1;
    expect(scores!.data[at]).toBe(Math.fround(plain!.data[at]! + table.data[2 * 4 + 2]!));
  });

  const table = new Random(3).tensor([32, 2]);
  const call =
    (bad: unknown, options: unknown = { queryLength: 2 }) =>
    () =>
      t5RelativeBias(bad as never, options as never);
  const rows: Rejection[] = [
    ...NOT_TENSORS.map(([what, bad]): Rejection => [what, 'TypeError', call(bad)]),
    ...BROKEN_TENSORS.map(([what, bad]): Rejection => [what, 'RangeError', call(bad)]),
    ['no options', 'TypeError', () => t5RelativeBias(table, undefined as never)],
    ['a table of 3 buckets', 'RangeError', call(new Random(4).tensor([3, 2]))],
    ['a table of no buckets', 'RangeError', call({ data: new Float32Array(0), shape: [0, 2] })],
    ['a negative queryLength', 'RangeError', call(table, { queryLength: -2 })],
    ['maxDistance within the exact buckets', 'RangeError', call(table, { queryLength: 2, maxDistance: 8 })],
  ];
  testRejections('t5RelativeBias', rows, () =>
    expect(t5RelativeBias(table, { queryLength: 1 }).data).toEqual(table.data.slice(0, 2)),
  );
});
