import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { lookupCode } from '../../web/elements/attention-lookup/code.js';
import {
  lookUp,
  nudged,
  pointsOf,
  REACH,
  snapped,
  type Point,
  type Scene,
} from '../../web/elements/attention-lookup/scene.js';
import { LANGUAGES } from '../../web/elements/languages.js';
import { textsOf } from '../support/proseFiles.js';
import { runModule } from '../support/runModule.js';
import { attention } from '../support/library.js';

const keys = pointsOf([1.4, 0.2, -0.4, 1.8, -1, -1.2]);
const values = pointsOf([2.2, -1, -0.2, 2.2, -2.2, -1.2]);
const scene: Scene = { query: [1.2, 0.8], keys, values, valid: 3, temperature: 1 };

/** The lookup in float64, straight from the formula. */
function inFull({ query, keys, values, valid, temperature }: Scene): {
  scores: number[];
  weights: number[];
  mixture: number[];
} {
  const scores = keys.map(([x, y], i) =>
    i < valid ? (query[0] * x + query[1] * y) / (temperature * Math.SQRT2) : -Infinity,
  );
  const most = Math.max(...scores);
  const powers = scores.map((score) => (score === -Infinity ? 0 : Math.exp(score - most)));
  const sum = powers.reduce((a, b) => a + b, 0);
  const weights = powers.map((power) => (sum === 0 ? 0 : power / sum));
  const mixture = [0, 1].map((c) =>
    values.reduce((total, value, i) => total + (weights[i] ?? NaN) * (value[c] ?? NaN), 0),
  );
  return { scores, weights, mixture };
}

describe('lookUp', () => {
  const coordinate = fc.integer({ min: -30, max: 30 }).map((tenths) => tenths / 10);
  const point = fc.tuple(coordinate, coordinate);
  const three = fc.array(point, { minLength: 3, maxLength: 3 });

  test('is softmax attention for any points, temperature and number of valid keys', () => {
    const scenes = fc.record({
      query: point,
      keys: three,
      values: three,
      valid: fc.integer({ min: 0, max: 3 }),
      temperature: fc.integer({ min: 1, max: 40 }).map((tenths) => tenths / 10),
    });
    fc.assert(
      fc.property(scenes, (scene) => {
        const found = lookUp(attention, scene);
        const wanted = inFull(scene);
        // Scores reach 18 / (0.1·√2) ≈ 127 and are off by a few float32 spacings there; so are, relatively, their
        // exponentials.
        const scoreError = 8 * 2 ** -24 * 128;
        found.scores.forEach((score, i) => {
          if (wanted.scores[i] === -Infinity) expect(score).toBe(-Infinity);
          else expect(Math.abs(score - (wanted.scores[i] ?? NaN))).toBeLessThan(scoreError);
        });
        found.weights.forEach((weight, i) =>
          expect(Math.abs(weight - (wanted.weights[i] ?? NaN))).toBeLessThan(4 * scoreError),
        );
        found.mixture.forEach((value, c) =>
          expect(Math.abs(value - (wanted.mixture[c] ?? NaN))).toBeLessThan(12 * REACH * scoreError),
        );
      }),
    );
  });

  test('gives zeros if no key is valid', () => {
    const { weights, mixture } = lookUp(attention, { ...scene, valid: 0 });
    expect(weights).toEqual([0, 0, 0]);
    expect(mixture).toEqual([0, 0]);
  });
});

describe('a point', () => {
  test('moves by a tenth, with Shift by a half, and stays inside', () => {
    expect(nudged([0.2, 0], 'ArrowRight', false)).toEqual([0.3, 0]);
    expect(nudged([0.2, 0], 'ArrowUp', true)).toEqual([0.2, 0.5]);
    expect(nudged([-3, -2.8], 'ArrowDown', true)).toEqual([-3, -3]);
    expect(nudged([-3, 0], 'ArrowLeft', false)).toEqual([-3, 0]);
    expect(nudged([0, 0], 'toString', false)).toBeUndefined();
  });

  test('snaps to tenths, which have one decimal and no negative zero', () => {
    const anywhere = fc.double({ min: -10, max: 10, noNaN: true });
    fc.assert(
      fc.property(anywhere, anywhere, (x, y) => {
        for (const value of snapped([x, y] satisfies Point)) {
          expect(String(value)).toMatch(/^-?[0-3](\.\d)?$/);
          expect(Object.is(value, -0)).toBe(false);
        }
      }),
    );
  });
});

test.each([
  { valid: 3, temperature: 1 },
  { valid: 2, temperature: 0.4 },
  { valid: 0, temperature: 1 },
])('the code prints what the figure shows: $valid keys, temperature $temperature', async (change) => {
  const shown = lookUp(attention, { ...scene, ...change });
  const lines = await runModule(lookupCode({ ...scene, ...change }).javascript);
  expect(lines.map((line) => line.split(' ').map(Number))).toEqual([shown.scores, shown.weights, [...shown.mixture]]);
});

test.each(LANGUAGES)(
  'the text in %s says that T divides the scores and is 1 in the formula, which has none',
  (language) => {
    // The formula divides by the root of the keys' width alone.
    expect(lookUp(attention, scene).scores[0]).toBeCloseTo((1.2 * 1.4 + 0.8 * 0.2) / Math.SQRT2, 6);
    const words = textsOf(language).figures;
    const [first = ''] = words['lookup.remark'].split('. ');
    expect(first).toMatch(/T.*1/);
    expect(first.toLowerCase()).toContain(words['lookup.score']?.toLowerCase().slice(0, 4));
  },
);
