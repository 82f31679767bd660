import { describe, expect, test } from '@jest/globals';
import { EPS, expectClose } from '../support/close.js';
import { scaledDotProductAttention } from '../support/library.js';
import { Random } from '../support/random.js';
import { SIZES } from '../support/sizes.js';

describe('scaledDotProductAttention', () => {
  const column = (...values: number[]) => ({ data: Float32Array.from(values), shape: [values.length, 1] });

  test('gives the largest of logits of ±1e4 the whole weight', () => {
    const { output, weights } = scaledDotProductAttention(column(100, -100), column(100, -100, 50), column(1, 2, 3), {
      scale: 1,
      needWeights: true,
    });
    expect([...weights!.data]).toEqual([1, 0, 0, 0, 1, 0]);
    expect([...output.data]).toEqual([1, 2]);
  });

  test('scales the query first, so that products beyond float32 do not overflow', () => {
    const result = scaledDotProductAttention(column(2 ** 120), column(2 ** 20, -(2 ** 20)), column(1, -1), {
      scale: 2 ** -140,
      needWeights: true,
    });
    const expected = [1 / (1 + Math.exp(-2)), 1 / (1 + Math.exp(2))];
    expectClose(result.weights, { data: expected, shape: [1, 2] }, { rtol: 8 * EPS });
  });

  test('gives weights of one and zero for logits of ±FLT_MAX', () => {
    const max = 3.4028234663852886e38;
    const { weights } = scaledDotProductAttention(column(max), column(1, -1, 0), column(5, 6, 7), {
      scale: 1,
      needWeights: true,
    });
    expect([...weights!.data]).toEqual([1, 0, 0]);
  });

  test('gives equal keys exactly equal weights', () => {
    for (const S of SIZES) {
      const key = { data: new Float32Array(S * 3).fill(0.7), shape: [S, 3] };
      const value = new Random(S).tensor([S, 2]);
      const query = new Random(S + 1).tensor([2, 3]);
      const { weights } = scaledDotProductAttention(query, key, value, { needWeights: true });
      expect(weights!.data).toEqual(new Float32Array(2 * S).fill(1 / S));
    }
  });

  test('returns the value of a single key to the bit, whatever the query', () => {
    const value = { data: Float32Array.of(0.1, -1e-30, 3e38, 7), shape: [1, 4] };
    const result = scaledDotProductAttention(column(1e4, -3, 0), column(2), value, { needWeights: true });
    expect([...result.weights!.data]).toEqual([1, 1, 1]);
    expect(result.output.data).toEqual(Float32Array.of(...value.data, ...value.data, ...value.data));
  });

  test('returns NaN in the row of a query with a NaN, and nowhere else', () => {
    const random = new Random(12);
    const [query, key, value] = [random.tensor([3, 4]), random.tensor([9, 4]), random.tensor([9, 2])];
    const clean = scaledDotProductAttention(query, key, value).output.data;
    query.data[5] = NaN;
    const { data } = scaledDotProductAttention(query, key, value).output;
    expect([...data.subarray(2, 4)]).toEqual([NaN, NaN]);
    expect([...data.subarray(0, 2), ...data.subarray(4)]).toEqual([...clean.subarray(0, 2), ...clean.subarray(4)]);
  });

  test.each([
    ['no queries', [2, 0, 3], [2, 5, 3], [2, 5, 4]],
    ['no keys', [2, 3, 3], [2, 0, 3], [2, 0, 4]],
    ['neither queries nor keys', [2, 0, 3], [2, 0, 3], [2, 0, 4]],
    ['no sequences', [0, 2, 3], [0, 5, 3], [0, 5, 4]],
    ['no value width', [2, 3, 3], [2, 5, 3], [2, 5, 0]],
  ])('returns zeros of the right shape for %s', (_what, queryShape, keyShape, valueShape) => {
    const random = new Random(9);
    for (const options of [{}, { isCausal: true }, { validLens: new Int32Array(queryShape[0]!).fill(2) }]) {
      const { output, weights } = scaledDotProductAttention(
        random.tensor(queryShape),
        random.tensor(keyShape),
        random.tensor(valueShape),
        { ...options, needWeights: true },
      );
      expect(output.shape).toEqual([queryShape[0], queryShape[1], valueShape[2]]);
      expect(output.data).toEqual(new Float32Array(queryShape[0]! * queryShape[1]! * valueShape[2]!));
      expect(weights!.shape).toEqual([queryShape[0], queryShape[1], keyShape[1]]);
      expect(weights!.data).toHaveLength(queryShape[0]! * queryShape[1]! * keyShape[1]!);
    }
  });

  test('returns zeros for a query that may attend to nothing, by any mask', () => {
    const random = new Random(10);
    const [query, key, value] = [random.tensor([1, 3, 4]), random.tensor([1, 5, 4]), random.tensor([1, 5, 6])];
    for (const options of [
      { validLens: [0] },
      { validLens: [[0, 0, 0]] },
      { mask: [[false]] },
      { mask: { data: new Uint8Array(15), shape: [1, 3, 5] } },
      { bias: [[-Infinity]] },
      { mask: [[true, true, false, false, false]], bias: [[-Infinity, -Infinity, 0, 0, 0]] },
    ]) {
      const result = scaledDotProductAttention(query, key, value, { ...options, needWeights: true });
      expect(result.output.data).toEqual(new Float32Array(18));
      expect(result.weights!.data).toEqual(new Float32Array(15));
    }
  });
});
