import { describe, expect, test } from '@jest/globals';
import { scaledDotProductAttention } from '../support/library.js';
import { Random } from '../support/random.js';

describe('scaledDotProductAttention with masks', () => {
  test.each([NaN, Infinity, -Infinity])(
    'does not read %d in rows of the relative tables that only masked keys use',
    (bad) => {
      const random = new Random(24);
      const x = random.tensor([6, 4]);
      const table = (): Float32Array => random.tensor([11, 4]).data;
      const [relativeKeys, relativeValues] = [table(), table()];
      const options = (keys: Float32Array, values: Float32Array) => ({
        isCausal: true,
        relativeKeys: { data: keys, shape: [11, 4] },
        relativeValues: { data: values, shape: [11, 4] },
        needWeights: true,
      });
      // Rows from 6 on are for keys after the query.
      const poisoned = (data: Float32Array) => data.map((entry, at) => (at >= 24 ? bad : entry));
      expect(scaledDotProductAttention(x, x, x, options(poisoned(relativeKeys), poisoned(relativeValues)))).toEqual(
        scaledDotProductAttention(x, x, x, options(relativeKeys, relativeValues)),
      );
    },
  );

  test('does not read a bias beyond the valid keys', () => {
    const random = new Random(25);
    const x = random.tensor([1, 6, 4]);
    const bias = { data: Float32Array.of(0, 1, NaN, NaN, NaN, NaN), shape: [6] };
    const options = { needWeights: true, validLens: [2] };
    expect(scaledDotProductAttention(x, x, x, { ...options, bias })).toEqual(
      scaledDotProductAttention(x, x, x, { ...options, bias: { data: Float32Array.of(0, 1), shape: [2] } }),
    );
  });

  test('gives zeros and a logSumExp of -Infinity for queries without visible keys', () => {
    const random = new Random(26);
    const [query, key, value] = [random.tensor([2, 2, 3, 4]), random.tensor([2, 2, 5, 4]), random.tensor([2, 2, 5, 6])];
    const tables = { relativeKeys: random.tensor([3, 4]), relativeValues: random.tensor([3, 6]) };
    for (const options of [
      { isCausal: true, causalOffset: -3 },
      { isCausal: true, causalOffset: [-9, -3] },
      { window: [0, 0] as const, causalOffset: 5 },
      { window: 1, causalOffset: -9 },
      { validLens: [0, 0], alibiSlopes: [0.5, 0.25], ...tables },
    ]) {
      const result = scaledDotProductAttention(query, key, value, {
        ...options,
        needWeights: true,
        needLogSumExp: true,
        needScores: 'masked',
      });
      expect(result.output.data).toEqual(new Float32Array(72));
      expect(result.weights!.data).toEqual(new Float32Array(60));
      expect(result.scores!.data).toEqual(new Float32Array(60).fill(-Infinity));
      expect(result.logSumExp).toEqual({ data: new Float32Array(12).fill(-Infinity), shape: [2, 2, 3] });
    }
    const none = { data: new Float32Array(0), shape: [2, 2, 0, 4] };
    const { logSumExp } = scaledDotProductAttention(query, none, none, { needLogSumExp: true });
    expect(logSumExp!.data).toEqual(new Float32Array(12).fill(-Infinity));
  });

  test('accepts windows and offsets of any size', () => {
    const random = new Random(27);
    const [query, key, value] = [random.tensor([3, 4]), random.tensor([5, 4]), random.tensor([5, 2])];
    const open = scaledDotProductAttention(query, key, value).output;
    for (const [window, causalOffset] of [
      [[-1, -1], 0],
      [2 ** 30, 0],
      [2 ** 30, 5],
      [[-1, 2 ** 30], 2 ** 29],
      [[-1, 2 ** 30], 2 ** 30],
      [[2 ** 30, -1], -(2 ** 29)],
      [2 ** 31 - 1, 0],
      [2 ** 31 - 1, -(2 ** 30)],
      [[-1, 2 ** 31 - 1], -(2 ** 30)],
      [[2 ** 31 - 1, -1], 2 ** 30],
    ] as const) {
      expect(scaledDotProductAttention(query, key, value, { window, causalOffset }).output).toEqual(open);
    }
    // Key 2 is the last one within the window of a single query, which has a path of its own.
    const single = { data: query.data.subarray(0, 4), shape: [1, 4] };
    const rightmost = { causalOffset: -(2 ** 30), window: [-1, 2 ** 30 + 2] } as const;
    const { weights } = scaledDotProductAttention(single, key, value, { ...rightmost, needWeights: true });
    expect(Array.from(weights!.data, (x) => x > 0)).toEqual([true, true, true, false, false]);
    const causal = scaledDotProductAttention(query, key, value, { isCausal: true, causalOffset: 2 ** 29 });
    expect(causal.output).toEqual(open);
    const nothing = scaledDotProductAttention(query, key, value, {
      isCausal: true,
      causalOffset: -(2 ** 29),
    });
    expect(nothing.output.data).toEqual(new Float32Array(6));
  });
});
