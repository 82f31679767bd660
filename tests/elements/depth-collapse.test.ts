import { describe, expect, test } from '@jest/globals';
import { depthCode } from '../../web/elements/depth-collapse/code.js';
import {
  cosinesOf,
  differenceOf,
  LAYERS,
  STACKS,
  statesOf,
  TOKENS,
  WIDTH,
} from '../../web/elements/depth-collapse/stack.js';
import { normalDraws } from '../../web/elements/shared/normal-draws.js';
import { runModule } from '../support/runModule.js';
import { attention } from '../support/library.js';
import { pythonWithTorch, runScripts } from '../support/python.js';

describe('the difference between tokens', () => {
  test('is 0 for equal rows, 1 for rows that add up to zero, and independent of scale', () => {
    const row = normalDraws(WIDTH, 3);
    const equal = Float32Array.from({ length: TOKENS * WIDTH }, (_, k) => row[k % WIDTH]!);
    // The mean of equal float32 rows is exact except for the rounding of float64 sums.
    expect(differenceOf(equal)).toBeLessThan(1e-14);
    const opposite = equal.map((value, k) => (Math.floor(k / WIDTH) % 2 === 0 ? value : -value));
    expect(differenceOf(opposite)).toBeCloseTo(1, 12);
    const any = normalDraws(TOKENS * WIDTH, 4);
    expect(differenceOf(any.map((value) => value * 4))).toBe(differenceOf(any));
  });
  test('and their cosines agree: all are 1 for equal rows', () => {
    const row = normalDraws(WIDTH, 3);
    const equal = Float32Array.from({ length: TOKENS * WIDTH }, (_, k) => row[k % WIDTH]!);
    for (const cosine of cosinesOf(equal)) expect(cosine).toBeCloseTo(1, 6);
  });
});

describe.each(['tokens', 'positions'] as const)('stacks over %s', (signal) => {
  const states = statesOf(attention, signal, 1);
  const left = (stack: (typeof STACKS)[number], layer: number): number => differenceOf(states[stack][layer]!);
  test('attention alone collapses to rounding errors, residuals and norms slow that down by orders of magnitude', () => {
    // float32: a mean of equal rows is off by some units in the last place.
    expect(left('attention', LAYERS)).toBeLessThan(16 * 2 ** -24);
    for (const stack of ['residual', 'postNorm', 'preNorm'] as const) expect(left(stack, LAYERS)).toBeGreaterThan(1e-5);
  });
  test('post-norm stacks collapse all the same, pre-norm ones hardly', () => {
    expect(left('postNorm', LAYERS)).toBeLessThan(left('postNorm', 1) / 50);
    expect(left('preNorm', LAYERS)).toBeGreaterThan(left('preNorm', 1) / 5);
  });
  test('start from the same tokens, with one state per layer, the same for the same seed', () => {
    for (const stack of STACKS) {
      expect(states[stack]).toHaveLength(LAYERS + 1);
      expect(states[stack][0]).toEqual(states.attention[0]);
    }
    expect(statesOf(attention, signal, 1)).toEqual(states);
    expect(statesOf(attention, signal, 2)).not.toEqual(states);
  });
  test('the code prints the rows of the table, to the last bit', async () => {
    const lines = await runModule(depthCode(signal, 1).javascript);
    const rows = Array.from({ length: LAYERS + 1 }, (_, layer) => [
      layer,
      ...STACKS.map((stack) => left(stack, layer)),
    ]);
    expect(lines.map((line) => line.split(' ').map(Number))).toEqual(rows);
  });
  test('the PyTorch code draws other numbers, and computes the same', () => {
    const python = pythonWithTorch();
    // Its syntax is checked with that of all figures (tests/browser/elements/long/code.pytorch.test.ts).
    if (python === undefined) return;
    const [printed = ''] = runScripts(python, [depthCode(signal, 1).pytorch]);
    const rows = printed
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number));
    expect(rows).toHaveLength(LAYERS + 1);
    const [, alone, residual, postNorm, preNorm] = rows.at(-1) as [number, number, number, number, number];
    expect(alone).toBeLessThan(16 * 2 ** -24);
    for (const slower of [residual, postNorm]) expect(slower).toBeGreaterThan(1e-5);
    expect(preNorm).toBeGreaterThan(rows[1]![4]! / 5);
    expect(preNorm).toBeGreaterThan(10 * postNorm);
  });
});
