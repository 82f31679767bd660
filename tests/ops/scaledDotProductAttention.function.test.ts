import { describe, expect, test } from '@jest/globals';
import { scaledDotProductAttention } from '../support/library.js';
import { Random } from '../support/random.js';

describe('scaledDotProductAttention', () => {
  const random = new Random(11);
  const [query, key, value] = [random.tensor([2, 3, 4]), random.tensor([2, 5, 4]), random.tensor([2, 5, 6])];

  test('does not change its inputs, and returns new arrays', () => {
    const options = {
      mask: random.mask([3, 5]),
      bias: random.tensor([2, 3, 5]),
      validLens: Int32Array.of(2, 5),
      needWeights: true,
    };
    const inputs = [query.data, key.data, value.data, options.bias.data, options.validLens, options.mask.data];
    const before = inputs.map((data) => [...data]);
    const first = scaledDotProductAttention(query, key, value, options);
    expect(inputs.map((data) => [...data])).toEqual(before);
    const kept = [...first.output.data];
    const second = scaledDotProductAttention(query, key, value, options);
    expect(second).toEqual(first);
    second.output.data.fill(0);
    second.weights!.data.fill(0);
    expect([...first.output.data]).toEqual(kept);
    expect(first.output.data.byteOffset).toBe(0);
    expect(first.output.data.buffer.byteLength).toBe(4 * 2 * 3 * 6);
  });

  test('accepts nested arrays, `dims`, other typed arrays and views at an offset', () => {
    const expected = scaledDotProductAttention(query, key, value);
    const nested = (data: Float32Array, [B, n, d]: readonly number[]) =>
      Array.from({ length: B! }, (_b, b) =>
        Array.from({ length: n! }, (_i, i) => [...data.subarray((b * n! + i) * d!, (b * n! + i + 1) * d!)]),
      );
    const shifted = new Float32Array(value.data.length + 3);
    shifted.set(value.data, 3);
    const result = scaledDotProductAttention(
      nested(query.data, query.shape),
      { data: Float64Array.from(key.data), dims: key.shape },
      { data: shifted.subarray(3), shape: value.shape },
    );
    expect(result).toEqual(expected);
  });

  test('gives the same to the bit for a sequence alone and in a batch, and in rank 2 and 3', () => {
    const batch = scaledDotProductAttention(query, key, value).output;
    const half = ({ data, shape }: typeof query) => ({
      data: data.subarray(data.length / 2),
      shape: shape.slice(1),
    });
    const alone = scaledDotProductAttention(half(query), half(key), half(value)).output;
    expect(alone.shape).toEqual([3, 6]);
    expect(alone.data).toEqual(batch.data.slice(batch.data.length / 2));
  });
});
