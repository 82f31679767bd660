import { describe, expect, test } from '@jest/globals';
import { attention } from '../../support/library.js';

describe('distances between a query and 140 million keys', () => {
  const sizes = { queryLength: 1, keyLength: 1.4e8 };
  // In an array of numbers they would not fit into an engine's largest heap.
  test.each<[string, () => ArrayLike<number>, first: number, last: number]>([
    ['alibiBias', () => attention.alibiBias({ ...sizes, numHeads: 1 }).data, 0, Math.fround((1.4e8 - 1) / 256)],
    ['t5RelativeBuckets', () => attention.t5RelativeBuckets(sizes).data, 0, 31],
    [
      't5RelativeBias',
      () =>
        attention.t5RelativeBias({ data: Float32Array.from({ length: 32 }, (_, i) => i), shape: [32, 1] }, sizes).data,
      0,
      31,
    ],
  ])('fit into memory: %s', (_operation, call, first, last) => {
    const data = call();
    expect([data.length, data[0], data[data.length - 1]]).toEqual([1.4e8, first, last]);
  });
});
