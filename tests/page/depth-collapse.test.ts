import { describe, expect, test } from '@jest/globals';
import { depthCode } from '../../web/elements/depth-code.js';
import {
  cosinesOf,
  differenceOf,
  LAYERS,
  STACKS,
  statesOf,
  TOKENS,
  WIDTH,
} from '../../web/elements/depth-stack.js';
import { normalDraws } from '../../web/elements/normal-draws.js';
import { runFigureCode } from '../support/figureCode.js';
import { attention } from '../support/library.js';

describe('the difference between tokens', () => {
  test('is zero for equal rows, one for rows that add up to zero, and takes no notice of scale', () => {
    const row = normalDraws(WIDTH, 3);
    const equal = Float32Array.from({ length: TOKENS * WIDTH }, (_, k) => row[k % WIDTH]!);
    // The mean of equal float32 rows is exact but for the rounding of float64 sums.
    expect(differenceOf(equal)).toBeLessThan(1e-14);
    const opposite = equal.map((value, k) => (Math.floor(k / WIDTH) % 2 === 0 ? value : -value));
    expect(differenceOf(opposite)).toBeCloseTo(1, 12);
    const any = normalDraws(TOKENS * WIDTH, 4);
    expect(differenceOf(any.map((value) => value * 4))).toBe(differenceOf(any));
  });
  test('and their cosines agree: all ones where they are equal', () => {
    const row = normalDraws(WIDTH, 3);
    const equal = Float32Array.from({ length: TOKENS * WIDTH }, (_, k) => row[k % WIDTH]!);
    for (const cosine of cosinesOf(equal)) expect(cosine).toBeCloseTo(1, 6);
  });
});

describe.each(['tokens', 'positions'] as const)('stacks over %s', (signal) => {
  const states = statesOf(attention, signal, 1);
  test('attention alone collapses to rounding, residuals slow it down by orders of magnitude', () => {
    const last = (stack: (typeof STACKS)[number]): number => differenceOf(states[stack][LAYERS]!);
    // float32: a mean of equal rows is off by some units in the last place.
    expect(last('attention')).toBeLessThan(16 * 2 ** -24);
    expect(last('residual')).toBeGreaterThan(1e-5);
    expect(last('encoder')).toBeGreaterThan(1e-5);
  });
  test('start from the same tokens, one state a layer, the same for the same seed', () => {
    for (const stack of STACKS) {
      expect(states[stack]).toHaveLength(LAYERS + 1);
      expect(states[stack][0]).toEqual(states.attention[0]);
    }
    expect(statesOf(attention, signal, 1)).toEqual(states);
    expect(statesOf(attention, signal, 2)).not.toEqual(states);
  });
  test('the code runs and shows the same: residuals keep far more', async () => {
    const lines = await runFigureCode(depthCode(signal, 1, 12).javascript);
    const printed = lines.map((line) => Number(line.split(' ').at(-1)));
    expect(printed).toHaveLength(2);
    expect(printed[0]).toBeLessThan(1e-5);
    expect(printed[1]).toBeGreaterThan(100 * printed[0]!);
  });
});
