/** Checks the right answers to the page's questions with the library; predictions.test.ts has those about encodings. */
import { describe, expect, test } from '@jest/globals';
import { draw, TOKENS } from '../../web/elements/attention-dropout/draws.js';
import { differenceOf, LAYERS, STACKS, statesOf } from '../../web/elements/depth-collapse/stack.js';
import { biasOf } from '../../web/elements/relative-biases/bias.js';
import { rotated, sumAt } from '../../web/elements/rotary-pairs/turning.js';
import { attention, complexity } from '../support/library.js';
import { checks, expectRight, predictionOf, shownBy } from '../support/predictions.js';

const [relative, learned, deep] = checks.filter(({ figure }) => figure === undefined);

describe('the library agrees with the right answer', () => {
  test('at fig-dropout: no sum is above 2, and that of row 2 is 2 in the figure’s draw', () => {
    const { rate, seed: shown } = shownBy('fig-dropout');
    const sumsOf = (seed: number): number[] => {
      const { weights } = draw(attention, rate, seed);
      const rows = Array.from({ length: TOKENS }, (_, i) => weights.subarray(i * TOKENS, (i + 1) * TOKENS));
      return rows.map((row) => row.reduce((sum, weight) => sum + weight, 0));
    };
    const all = Array.from({ length: 500 }, (_, seed) => Math.max(...sumsOf(seed + 1)));
    expect(Math.max(...all)).toBeCloseTo(2, 5);
    // The answer names row 2.
    expect(sumsOf(shown ?? 0)[1]).toBeCloseTo(2, 5);
    const check = predictionOf('fig-dropout');
    expectRight(check, check.answers.indexOf('2'));
  });

  test('at fig-race: doubling the width doubles the mixing and quadruples the others', () => {
    const growth = (['cnn', 'rnn', 'self-attention'] as const).map((architecture) => {
      const at = (d: number): number => complexity(architecture, { n: 256, d, k: 3 }).multiplyAdds;
      return at(256) / at(128);
    });
    expect(growth).toEqual([4, 4, 2]);
    expectRight(predictionOf('fig-race'), 2);
  });

  test('at fig-rotary: one of the three has the same sum', () => {
    const both = rotated(attention, 275);
    const { answers, ...check } = predictionOf('fig-rotary');
    const sums = answers.map((answer) => {
      const [query = NaN, key = NaN] = (answer.match(/\d+/g) ?? []).map(Number);
      return sumAt(both, query, key);
    });
    const same = sums.map((sum) => Math.abs(sum - sumAt(both, 12, 6)) < 1e-5);
    expect(same).toEqual([false, false, true]);
    expectRight({ answers, ...check }, same.indexOf(true));
    const { query = NaN, key = NaN } = shownBy('fig-rotary');
    expect(sumAt(both, query, key)).toBe(sums[2]);
  });

  test('at fig-biases: later keys share the bucket of the query’s own position', () => {
    const check = predictionOf('fig-biases');
    expect(check.show).toEqual({ scheme: 't5', bidirectional: 'no', causal: 'no' });
    const settings = { scheme: 't5', bidirectional: false, causal: false, buckets: 8, distance: 16 } as const;
    const bias = biasOf(attention, { ...settings, heads: 8, head: 1, clip: 4 });
    const own = bias[0]!;
    const ahead = bias.subarray(1, 24);
    const behind = Array.from({ length: 23 }, (_, i) => bias[24 * (i + 1)]!);
    const alike = (values: ArrayLike<number>): boolean => Array.from(ahead).every((value, at) => value === values[at]);
    expectRight(check, [alike(ahead.map(() => 0)), alike(ahead.map(() => own)), alike(behind)].indexOf(true));
  });

  test.each([1, 2, 3])('about deep stacks: pre-norm keeps most of the differences, at seed %i', (seed) => {
    const states = statesOf(attention, 'tokens', seed);
    const left = STACKS.map((stack) => differenceOf(states[stack][LAYERS]!));
    expectRight(deep, left.indexOf(Math.max(...left)));
  });

  test('about a learned table', () => {
    const layer = new attention.LearnedPositionalEncoding({ numHiddens: 768, maxLen: 512 });
    const tables = Object.values(layer.stateDict());
    layer.dispose();
    expect(learned?.number).toBe(tables.reduce((sum, { data }) => sum + data.length, 0) / 1e6);
    expect(learned?.within).toBe(0.01);
  });

  test('about a relative table: with as many rows as offsets, all are used', () => {
    const rows = relative?.number ?? NaN;
    const n = 100;
    const one = Array.from({ length: n }, () => [1]);
    const { scores } = attention.scaledDotProductAttention(one, one, one, {
      relativeKeys: Array.from({ length: rows }, (_, row) => [row]),
      needScores: 'masked',
    });
    // The query in the middle scores each key with the row of its offset.
    const scored = scores!.data.subarray(50 * n, 51 * n);
    expect(new Set(scored).size).toBe(2 * 16 + 1);
    expect(scored[50 + 16]).not.toBe(scored[50 + 15]);
    expect(scored[50 + 16]).toBe(scored[50 + 17]);
    expect(relative?.within).toBe(0);
  });
});

test('every answer is different, and there are several', () => {
  for (const { answers, number } of checks) {
    expect(new Set(answers).size).toBe(answers.length);
    if (number === undefined) expect(answers.length).toBeGreaterThanOrEqual(2);
  }
});
