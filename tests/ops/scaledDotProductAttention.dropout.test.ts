/** Which weights dropout drops is up to the library. These are the properties that every right choice has. */
import { describe, expect, test } from '@jest/globals';
import { scaledDotProductAttention as reference } from '../reference/scaledDotProductAttention.js';
import { WEIGHT_RTOL } from '../support/attentionTolerance.js';
import { expectBinomial } from '../support/chance.js';
import { expectClose, maxAbs } from '../support/close.js';
import { scaledDotProductAttention } from '../support/library.js';
import { Random } from '../support/random.js';

const random = new Random(1);
const query = random.tensor([2, 3, 16, 8]);
const key = random.tensor([2, 3, 20, 8]);
const value = random.tensor([2, 3, 20, 5]);
const expected = reference(query, key, value);
const draw = (dropout: number, seed: number) =>
  scaledDotProductAttention(query, key, value, { dropout, seed, needWeights: true });

/** How many standard deviations a random mean may be off. Seeds are fixed, so no test fails by chance. */
const SIGMAS = 5;

describe('scaledDotProductAttention with dropout', () => {
  test('drops the same weights for the same seed and others for another', () => {
    expect(draw(0.5, 7)).toEqual(draw(0.5, 7));
    expect(draw(0.5, 7).weights!.data).not.toEqual(draw(0.5, 8).weights!.data);
    expect(draw(0.5, 0).weights!.data).not.toEqual(draw(0.5, 2 ** 32 - 1).weights!.data);
  });

  test('of 0 drops nothing', () => {
    expect(draw(0, 3)).toEqual(scaledDotProductAttention(query, key, value, { needWeights: true }));
  });

  test.each([0.1, 0.5, 0.9, 0.99])('of %d divides the weights that it keeps by 1 - p', (p) => {
    const { data } = draw(p, 5).weights!;
    const kept = expected.weights.data.map((w, at) => (data[at] === 0 ? 0 : w / (1 - p)));
    expectClose({ data, shape: [data.length] }, { data: kept, shape: [data.length] }, { rtol: WEIGHT_RTOL });
  });

  test.each([0.1, 0.5, 0.9])('of %d drops this share of the weights', (p) => {
    const draws = 20;
    let dropped = 0;
    for (let seed = 0; seed < draws; ++seed) {
      for (const w of draw(p, seed).weights!.data) if (w === 0) ++dropped;
    }
    const count = draws * expected.weights.data.length;
    expectBinomial(dropped, count, p);
  });

  test('mixes the values with the weights that it returns', () => {
    const { output, weights } = draw(0.4, 11);
    const mixture = new Float64Array(output.data.length);
    for (let row = 0; row < 2 * 3 * 16; ++row) {
      for (let j = 0; j < 20; ++j) {
        for (let e = 0; e < 5; ++e) {
          const at = (Math.floor(row / 16) * 20 + j) * 5 + e;
          mixture[row * 5 + e] = mixture[row * 5 + e]! + weights!.data[row * 20 + j]! * value.data[at]!;
        }
      }
    }
    expectClose(output, { data: mixture, shape: output.shape }, { atol: WEIGHT_RTOL * maxAbs(value.data) });
  });

  test('drops the same weights whether they are returned or not', () => {
    const fused = scaledDotProductAttention(query, key, value, { dropout: 0.4, seed: 11 }).output;
    expectClose(fused, draw(0.4, 11).output, { atol: 2 * WEIGHT_RTOL * maxAbs(value.data) });
  });

  test('gives the result without dropout in the mean over many seeds', () => {
    const draws = 400;
    const p = 0.5;
    const mean = new Float64Array(expected.output.data.length);
    for (let seed = 0; seed < draws; ++seed) {
      scaledDotProductAttention(query, key, value, { dropout: p, seed }).output.data.forEach((x, at) => {
        mean[at] = mean[at]! + x / draws;
      });
    }
    // The variance of Σ w·v·kept/(1-p) is p/(1-p)·Σ w²v², which is at most p/(1-p)·max|v|², because Σ w² ≤ Σ w = 1.
    const sigma = Math.sqrt(p / (1 - p) / draws) * maxAbs(value.data);
    expectClose({ data: mean, shape: expected.output.shape }, expected.output, { atol: SIGMAS * sigma });
    const off = mean.reduce((sum, x, at) => sum + x - expected.output.data[at]!, 0) / mean.length;
    expect(Math.abs(off)).toBeLessThan((SIGMAS * sigma) / Math.sqrt(mean.length / 5));
  });

  test('draws separately for every sequence, head and query', () => {
    const { data } = draw(0.5, 13).weights!;
    const patterns = new Set<string>();
    for (let row = 0; row < 96; ++row) {
      patterns.add(Array.from(data.subarray(row * 20, (row + 1) * 20), (w) => (w === 0 ? '0' : '1')).join(''));
    }
    // Among 96 of 2^20 possible patterns two are equal with a probability of 1/230.
    expect(patterns.size).toBe(96);
  });

  test('leaves masked weights at 0', () => {
    const { weights } = scaledDotProductAttention(query, key, value, {
      isCausal: true,
      dropout: 0.5,
      seed: 3,
      needWeights: true,
    });
    weights!.data.forEach((w, at) => {
      if (at % 20 > Math.floor(at / 20) % 16) expect(w).toBe(0);
    });
  });
});
