/**
 * Checks the right answers to the questions about encodings and depth with the library; checks.test.ts has the
 * others.
 */
import { describe, expect, test } from '@jest/globals';
import { baseOfHalves, bitsOf, signsOf } from '../../web/elements/binary-positions/signs.js';
import { differenceOf, statesOf, type Signal } from '../../web/elements/depth-collapse/stack.js';
import { COMPUTED, LENGTHS, TRAINED } from '../../web/elements/length-extrapolation/runs.js';
import { learn, TOKENS as TABLE_TOKENS } from '../../web/elements/relative-tables/learning.js';
import { attention } from '../support/library.js';
import { expectRight, predictionOf, shownBy } from '../support/predictions.js';

const EPSILON = 2 ** -23;

/** The encoding's numbers, (length, dim). */
const encoding = (length: number, dim: number, base = 10000): Float32Array =>
  attention.sinusoidalEncoding({ length, dim, base }).data;

describe('the library agrees with the right answer', () => {
  test('at fig-binary: neighbours may have the same signs, and never the same bits', () => {
    const { rows = 0, width: dim = 0 } = shownBy('fig-binary');
    const rowsOf = (all: ArrayLike<number>, columns: number): string[] =>
      Array.from({ length: rows }, (_, i) =>
        Array.from(all)
          .slice(i * columns, (i + 1) * columns)
          .join(),
      );
    const { bits, columns } = bitsOf(rows);
    expect(new Set(rowsOf(bits, columns)).size).toBe(rows);
    const found = signsOf(encoding(rows, dim, baseOfHalves(dim)), rows, dim);
    const [, one, two, three, four] = rowsOf(found.signs, found.columns);
    expect([two, three]).toEqual([one, one]);
    expect(four).not.toBe(one);
    // There are as many sines as bits, and the rows that the answer names are framed.
    expect(found.columns).toBe(columns);
    expect(predictionOf('fig-binary').show.marked).toBe('1 2 3');
    expectRight(predictionOf('fig-binary'), 1);
  });

  test('at fig-similarity: with a larger base, distant rows are more similar, and only the distance matters', () => {
    const { base } = shownBy('fig-similarity');
    const [length, dim] = [60, 32];
    const product = (P: Float32Array, i: number, j: number): number => {
      let sum = 0;
      for (let column = 0; column < dim; ++column) sum += P[i * dim + column]! * P[j * dim + column]!;
      return sum / (dim / 2);
    };
    const distant = (base: number): number => {
      const P = encoding(length, dim, base);
      let [sum, count] = [0, 0];
      for (let i = 0; i < length; ++i) {
        for (let j = 0; j < length; ++j) {
          // An angle of up to 60 is rounded by up to half of 2⁻¹⁸, and so is its sine.
          expect(Math.abs(product(P, i, j) - product(P, Math.abs(i - j), 0))).toBeLessThan(64 * EPSILON);
          if (Math.abs(i - j) >= 20) [sum, count] = [sum + product(P, i, j), count + 1];
        }
      }
      return sum / count;
    };
    expect(distant(base!)).toBeGreaterThan(distant(10000) + 0.05);
    expectRight(predictionOf('fig-similarity'), 0);
  });

  test.each([1, 2, 3])('at fig-collapse: attention alone loses the positions before the tokens, at seed %i', (seed) => {
    const lastsTo = (signal: Signal): number =>
      statesOf(attention, signal, seed).attention.findIndex((state) => differenceOf(state) < 1e-6);
    expect(lastsTo('positions')).toBe(3);
    expect(lastsTo('tokens')).toBeGreaterThan(3);
    const check = predictionOf('fig-collapse');
    expect(check.show).toEqual({ signal: 'positions' });
    expectRight(check, 2);
  });

  test('at fig-tables: attention is uniform over the offsets that share the row', () => {
    const { clip = 0, target = 0 } = shownBy('fig-tables');
    const { weights } = learn(attention, { kind: 'shaw', clip, target, buckets: 16 });
    for (let i = -target; i < TABLE_TOKENS; ++i) {
      const shared = [...weights.subarray(i * TABLE_TOKENS, i * TABLE_TOKENS + i - clip + 1)];
      expect(new Set(shared).size).toBe(1);
      expect(shared.reduce((sum, weight) => sum + weight, 0)).toBeGreaterThan(0.9);
    }
    expectRight(predictionOf('fig-tables'), 2);
  });

  test('at fig-extrapolation: a learned table has no positions beyond the trained ones', () => {
    const layer = new attention.LearnedPositionalEncoding({ numHiddens: 8, maxLen: TRAINED });
    const forward = (length: number): unknown =>
      layer.forward({ data: new Float32Array(length * 8), shape: [1, length, 8] });
    expect(() => forward(TRAINED)).not.toThrow();
    expect(() => forward(LENGTHS[1])).toThrow(RangeError);
    layer.dispose();
    const ends = [...COMPUTED].filter(([, accuracies]) => accuracies.at(-1) === undefined);
    expect(ends.map(([positions]) => positions)).toEqual(['learned']);
    expectRight(predictionOf('fig-extrapolation'), 1);
  });
});
