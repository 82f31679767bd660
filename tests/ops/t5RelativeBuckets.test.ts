import { describe, expect, test } from '@jest/globals';
import { t5RelativeBuckets as reference } from '../reference/t5RelativeBuckets.js';
import { expectClose } from '../support/close.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { t5RelativeBuckets } from '../support/library.js';
import { testRejections, type Rejection } from '../support/rejections.js';

describe('t5RelativeBuckets', () => {
  test.each(loadFixtures('positional', /^t5_bucket/))('agrees with PyTorch on $name', (fixture) => {
    const { bidirectional, num_buckets, max_distance } = fixture.attributes as {
      bidirectional: boolean;
      num_buckets: number;
      max_distance: number;
    };
    const distances = fixture.input('relative_position').data;
    // One query at a position from which the keys have these distances.
    const options = {
      queryLength: 1,
      keyLength: distances.length,
      offset: -distances[0]!,
      bidirectional,
      numBuckets: num_buckets,
      maxDistance: max_distance,
    };
    const { data } = t5RelativeBuckets(options);
    expectFixture({ data, shape: [data.length] }, fixture.output('bucket'));
  });

  test('agrees with the oracle for any lengths, buckets and offsets', () => {
    for (const bidirectional of [true, false]) {
      for (const [numBuckets, maxDistance] of [
        [32, 128],
        [4, 9],
        [7, 20],
        [64, 1000],
        [320, 800],
      ] as const) {
        for (const [queryLength, keyLength] of [
          [1, 1],
          [5, 3],
          [3, 40],
          [300, 7],
        ] as const) {
          for (const offset of [0, 11, -4]) {
            const options = { queryLength, keyLength, offset, bidirectional, numBuckets, maxDistance };
            const expected = { data: Float64Array.from(reference(options)), shape: [queryLength, keyLength] };
            expectClose(t5RelativeBuckets(options), expected, {});
          }
        }
      }
    }
  });

  test('gives neighbours the same or the next bucket, down to the first and up to the last', () => {
    const { data } = t5RelativeBuckets({
      queryLength: 1,
      keyLength: 2000,
      bidirectional: false,
      offset: 1999,
    });
    expect([data[0], data[1999]]).toEqual([31, 0]);
    const steps = Array.from(data.subarray(1), (bucket, j) => data[j]! - bucket);
    expect(new Set(steps)).toEqual(new Set([0, 1]));
  });

  test('does not change if queries and keys are shifted together', () => {
    const whole = t5RelativeBuckets({ queryLength: 50 }).data;
    for (let i = 1; i < 50; ++i) {
      const row = whole.subarray(i * 50 + 1, (i + 1) * 50);
      expect(row).toEqual(whole.subarray((i - 1) * 50, i * 50 - 1));
    }
  });

  const call = (options: unknown) => () => t5RelativeBuckets(options as never);
  const rows: Rejection[] = [
    ['no options', 'TypeError', call(undefined)],
    ['no queryLength', 'TypeError', call({})],
    ['a negative queryLength', 'RangeError', call({ queryLength: -1 })],
    ['a fractional keyLength', 'RangeError', call({ queryLength: 1, keyLength: 1.5 })],
    ['a negative bucket count', 'RangeError', call({ queryLength: 1, numBuckets: -32 })],
    ['no buckets', 'RangeError', call({ queryLength: 1, numBuckets: 0 })],
    ['too few buckets for two directions', 'RangeError', call({ queryLength: 1, numBuckets: 3 })],
    ['one bucket', 'RangeError', call({ queryLength: 1, numBuckets: 1, bidirectional: false })],
    ['a fractional bucket count', 'RangeError', call({ queryLength: 1, numBuckets: 8.5 })],
    ['numBuckets as a string', 'TypeError', call({ queryLength: 1, numBuckets: '32' })],
    ['maxDistance 0', 'RangeError', call({ queryLength: 1, maxDistance: 0 })],
    ['maxDistance within the exact buckets', 'RangeError', call({ queryLength: 1, maxDistance: 8 })],
    ['bidirectional as a number', 'TypeError', call({ queryLength: 1, bidirectional: 1 })],
    ['more entries than fit into memory', 'RangeError', call({ queryLength: 2 ** 28, keyLength: 2 ** 28 })],
  ];
  testRejections('t5RelativeBuckets', rows, () =>
    expect([...t5RelativeBuckets({ queryLength: 2 }).data]).toEqual([0, 17, 1, 0]),
  );
});
