import { describe, expect, test } from '@jest/globals';
import { WEIGHT_RTOL } from '../support/attentionTolerance.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { scaledDotProductAttention } from '../support/library.js';
import { Random } from '../support/random.js';

describe('scaledDotProductAttention', () => {
  test('returns scores of masked keys for needScores "scaled" and "softcapped", and -Infinity for "masked"', () => {
    const query = [[2, 0]];
    const key = [
      [1, 0],
      [3, 0],
      [-1, 5],
    ];
    const options = { scale: 1, softcap: 2, mask: [[true, false, true]], bias: [[0.5, 0.5, 0.5]] };
    const scores = (needScores: 'scaled' | 'softcapped' | 'masked') =>
      scaledDotProductAttention(query, key, [[1], [2], [3]], { ...options, needScores }).scores;
    const capped = [2, 6, -2].map((x) => 2 * Math.tanh(x / 2));
    expect(scores('scaled')).toEqual({ data: Float32Array.of(2, 6, -2), shape: [1, 3] });
    expectClose(scores('softcapped'), { data: capped, shape: [1, 3] }, { atol: 4 * EPS });
    expectClose(
      scores('masked'),
      { data: [capped[0]! + 0.5, -Infinity, capped[2]! + 0.5], shape: [1, 3] },
      { atol: 8 * EPS },
    );
  });

  test('writes into the arrays that it is given and returns them', () => {
    const random = new Random(41);
    const [query, key, value] = [random.tensor([2, 3, 4]), random.tensor([2, 5, 4]), random.tensor([2, 5, 6])];
    const fresh = scaledDotProductAttention(query, key, value, { needWeights: true });
    const out = { output: new Float32Array(36).fill(9), weights: new Float32Array(30).fill(9) };
    const result = scaledDotProductAttention(query, key, value, { needWeights: true, out });
    expect(result).toEqual(fresh);
    expect(result.output.data).toBe(out.output);
    expect(result.weights!.data).toBe(out.weights);
  });

  test('returns the weights with which its output mixes the values', () => {
    const random = new Random(42);
    const [query, key, value] = [
      random.tensor([1, 2, 8, 4]),
      random.tensor([1, 2, 33, 4]),
      random.tensor([1, 2, 33, 3]),
    ];
    const options = { softcap: 3, window: [9, 2] as const, causalOffset: 12, alibiSlopes: [0.1, 0.01] };
    const { output, weights } = scaledDotProductAttention(query, key, value, {
      ...options,
      needWeights: true,
    });
    const mixture = new Float64Array(output.data.length);
    for (let row = 0; row < 16; ++row) {
      for (let j = 0; j < 33; ++j) {
        for (let e = 0; e < 3; ++e) {
          const at = (Math.floor(row / 8) * 33 + j) * 3 + e;
          mixture[row * 3 + e] = mixture[row * 3 + e]! + weights!.data[row * 33 + j]! * value.data[at]!;
        }
      }
    }
    expectClose(output, { data: mixture, shape: output.shape }, { atol: WEIGHT_RTOL * maxAbs(value.data) });
  });
});
