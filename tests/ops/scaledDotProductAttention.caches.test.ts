import { describe, expect, test } from '@jest/globals';
import { scaledDotProductAttention as reference } from '../reference/scaledDotProductAttention.js';
import { expectAttention } from '../support/attentionTolerance.js';
import { scaledDotProductAttention } from '../support/library.js';
import { Random } from '../support/random.js';

describe('scaledDotProductAttention', () => {
  test('gives the same with fewer key heads as with repeated keys and values', () => {
    const random = new Random(31);
    const query = random.tensor([2, 6, 3, 5]);
    for (const Hkv of [1, 2, 3, 6]) {
      const [key, value] = [random.tensor([2, Hkv, 4, 5]), random.tensor([2, Hkv, 4, 7])];
      const repeated = ({ data, shape }: typeof key) => {
        const size = shape[2]! * shape[3]!;
        const heads = Array.from({ length: 12 }, (_, h) => Math.floor(h / (6 / Hkv)) * size);
        return {
          data: Float32Array.from(heads.flatMap((start) => [...data.subarray(start, start + size)])),
          shape: [2, 6, ...shape.slice(2)],
        };
      };
      const options = { isCausal: true, needWeights: true };
      expectAttention(
        scaledDotProductAttention(query, key, value, options),
        scaledDotProductAttention(query, repeated(key), repeated(value), options),
        value,
      );
    }
  });

  test('gives the same token by token with past keys as in one causal call', () => {
    const random = new Random(32);
    const n = 9;
    const [query, key, value] = [random.tensor([2, 4, n, 6]), random.tensor([2, 2, n, 6]), random.tensor([2, 2, n, 3])];
    const full = scaledDotProductAttention(query, key, value, { isCausal: true }).output;
    const step = ({ data, shape }: typeof query, i: number) => {
      const [B, H, , d] = shape as [number, number, number, number];
      const rows = Array.from({ length: B * H }, (_, head) => [
        ...data.subarray((head * n + i) * d, (head * n + i + 1) * d),
      ]);
      return { data: Float32Array.from(rows.flat()), shape: [B, H, 1, d] };
    };
    let pastKey: { data: Float32Array; shape: readonly number[] } = {
      data: new Float32Array(0),
      shape: [2, 2, 0, 6],
    };
    let pastValue: typeof pastKey = { data: new Float32Array(0), shape: [2, 2, 0, 3] };
    for (let i = 0; i < n; ++i) {
      const result = scaledDotProductAttention(step(query, i), step(key, i), step(value, i), {
        isCausal: true,
        pastKey,
        pastValue,
      });
      expectAttention({ output: result.output }, { output: step(full, i) }, value);
      pastKey = result.presentKey!;
      pastValue = result.presentValue!;
    }
    expect(pastKey).toEqual(key);
    expect(pastValue).toEqual(value);
  });

  test('returns copies of past and new keys and values as the present ones, and only with a past', () => {
    const random = new Random(33);
    const [query, key, value] = [random.tensor([2, 1, 2, 3]), random.tensor([2, 1, 2, 3]), random.tensor([2, 1, 2, 4])];
    const [pastKey, pastValue] = [random.tensor([2, 1, 3, 3]), random.tensor([2, 1, 3, 4])];
    const { presentKey, presentValue } = scaledDotProductAttention(query, key, value, { pastKey, pastValue });
    const expected = reference(query, key, value, { pastKey, pastValue });
    expect([...presentKey!.data]).toEqual([...expected.presentKey.data]);
    expect(presentKey!.shape).toEqual([2, 1, 5, 3]);
    expect([...presentValue!.data]).toEqual([...expected.presentValue.data]);
    expect(presentValue!.shape).toEqual([2, 1, 5, 4]);
    const without = scaledDotProductAttention(query, key, value);
    expect(without.presentKey).toBeUndefined();
    expect(without.presentValue).toBeUndefined();
  });
});
