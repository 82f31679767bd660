import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { attentionCall, poison, type Feature } from '../../support/attentionArbitrary.js';
import { expectAttention } from '../../support/attentionTolerance.js';
import { EPS } from '../../support/close.js';
import { expectPoisonContained } from '../../support/poison.js';
import { scaledDotProductAttention } from '../../support/library.js';
import { Random } from '../../support/random.js';
import { SIZES } from '../../support/sizes.js';

describe('scaledDotProductAttention', () => {
  test('gives weights of exactly a third and a half in the textbook case, all ones with valid_lens [3, 2]', () => {
    const ones = { data: new Float32Array(2 * 5 * 4 * 20).fill(1), shape: [2, 5, 4, 20] };
    const { weights } = scaledDotProductAttention(ones, ones, ones, { validLens: [3, 2], needWeights: true });
    const third = Math.fround(1 / 3);
    const rows = [
      [third, third, third, 0],
      [0.5, 0.5, 0, 0],
    ];
    const expected = rows.flatMap((row) => Array.from({ length: 20 }, () => row).flat());
    expect(weights).toEqual({ data: Float32Array.from(expected), shape: [2, 5, 4, 4] });
  });

  test('has weights whose rows sum to 1 and outputs within the values', () => {
    fc.assert(
      fc.property(attentionCall(['isCausal', 'softcap', 'scale']), ({ query, key, value, options }) => {
        const { output, weights } = scaledDotProductAttention(query, key, value, {
          ...options,
          needWeights: true,
        });
        const S = key.shape.at(-2)!;
        const sums = Array.from({ length: weights!.data.length / S }, (_, row) =>
          weights!.data.subarray(row * S, (row + 1) * S).reduce((total, w) => total + w, 0),
        );
        // The library's sum and this one each have S roundings, which add up at random.
        expect(sums.filter((sum) => !(Math.abs(sum - 1) <= (4 + Math.sqrt(S)) * EPS))).toEqual([]);
        const largest = value.data.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
        // An output exceeds the largest value only by the roundings of the weights' sum and its own: S additions and a
        // few more.
        const most = largest * (1 + (4 + S) * EPS);
        expect(output.data.filter((x) => !(Math.abs(x) <= most))).toHaveLength(0);
      }),
      { seed: 4, numRuns: 60 },
    );
  });

  test('is permutation equivariant as self-attention', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), fc.integer({ min: 1, max: 33 }), (seed, n) => {
        const random = new Random(seed);
        const x = random.tensor([n, 6]);
        const order = Array.from({ length: n }, (_, i) => i).sort(() => random.next() - 0.5);
        const shuffled = (data: Float32Array) =>
          Float32Array.from({ length: n * 6 }, (_, at) => data[order[Math.floor(at / 6)]! * 6 + (at % 6)]!);
        const plain = scaledDotProductAttention(x, x, x).output;
        const y = { data: shuffled(x.data), shape: x.shape };
        const permuted = scaledDotProductAttention(y, y, y).output;
        expectAttention({ output: permuted }, { output: { data: shuffled(plain.data), shape: plain.shape } }, x);
      }),
      { seed: 5, numRuns: 60 },
    );
  });

  test('does not change when the same vector is added to every key', () => {
    const random = new Random(6);
    const query = { data: Float32Array.from({ length: 40 }, () => random.integer(-4, 4)), shape: [5, 8] };
    const key = { data: Float32Array.from({ length: 56 }, () => random.integer(-4, 4)), shape: [7, 8] };
    const shifted = { data: key.data.map((x, at) => x + (at % 8) - 3), shape: [7, 8] };
    const value = random.tensor([7, 3]);
    // Products of small whole numbers times 2^-2 are exact, so all logits of a query change by exactly the same amount.
    const options = { scale: 0.25, needWeights: true };
    expectAttention(
      scaledDotProductAttention(query, shifted, value, options),
      scaledDotProductAttention(query, key, value, options),
      value,
    );
  });

  test('does not depend on later keys with isCausal', () => {
    const random = new Random(7);
    for (const n of SIZES) {
      const [query, key, value] = [1, 2, 3].map(() => random.tensor([n, 5])) as [never, never, never];
      const before = scaledDotProductAttention(query, key, value, { isCausal: true }).output.data;
      const cut = Math.floor(n / 2);
      const replaceTail = ({ data }: { data: Float32Array }) => ({
        data: data.map((x, at) => (at >= cut * 5 ? NaN : x)),
        shape: [n, 5],
      });
      const after = scaledDotProductAttention(query, replaceTail(key), replaceTail(value), {
        isCausal: true,
      });
      expect(after.output.data.subarray(0, cut * 5)).toEqual(before.subarray(0, cut * 5));
    }
  });

  test('lets no masked key or value reach the result', () => {
    const features: Feature[] = ['validLens', 'validLensPerQuery', 'mask', 'bias', 'isCausal', 'softcap'];
    fc.assert(
      fc.property(attentionCall(features), poison, ({ query, key, value, options }, poison) => {
        expectPoisonContained(scaledDotProductAttention, { query, key, value, options }, poison);
      }),
      { seed: 8, numRuns: 100 },
    );
  });
});
