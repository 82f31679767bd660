import { describe, expect, test } from '@jest/globals';
import { dropoutCode } from '../../web/elements/attention-dropout/code.js';
import { draw, expectedError, Run, TOKENS } from '../../web/elements/attention-dropout/draws.js';
import { runModule } from '../support/runModule.js';
import { attention } from '../support/library.js';

test('a draw drops weights and scales up the others, and the same seed drops the same ones', () => {
  const evaluation = draw(attention).weights;
  const { weights } = draw(attention, 0.5, 3);
  const kept = [...weights].filter((weight) => weight !== 0);
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(TOKENS * TOKENS);
  weights.forEach((weight, i) => {
    // Division by one half is exact.
    if (weight !== 0) expect(weight).toBe(2 * (evaluation[i] ?? NaN));
  });
  expect(draw(attention, 0.5, 3)).toEqual(draw(attention, 0.5, 3));
  expect(draw(attention, 0.5, 4).weights).not.toEqual(weights);
});

describe('the mean of many draws', () => {
  test.each([0.1, 0.5, 0.8])('approaches evaluation like 1/√N at rate %d', (rate) => {
    const run = new Run(attention, rate, 1);
    run.advance(1000);
    const expected = expectedError(attention, rate);
    // The error itself is random; over six independent rows it stays well within a factor of two of its expectation.
    for (const n of [100, 400, 1000]) {
      const ratio = ((run.errors[n - 1] ?? NaN) * Math.sqrt(n)) / expected;
      expect(ratio).toBeGreaterThan(0.5);
      expect(ratio).toBeLessThan(2);
    }
  });

  test('equals evaluation from the first draw if nothing is dropped', () => {
    const run = new Run(attention, 0, 1);
    run.advance(3);
    expect(run.errors).toEqual([0, 0, 0]);
    expect(Array.from(run.meanWeights, Math.fround)).toEqual([...draw(attention).weights]);
  });

  test('does not depend on how draws are divided between frames', () => {
    const [whole, sliced] = [new Run(attention, 0.5, 9), new Run(attention, 0.5, 9)];
    whole.advance(50);
    for (const count of [7, 7, 30, 50]) sliced.advance(count);
    expect(sliced.errors).toEqual(whole.errors);
  });
});

test('the code prints the distance that the figure shows', async () => {
  const run = new Run(attention, 0.5, 2);
  run.advance(60);
  const { javascript } = dropoutCode(0.5, 2, 60);
  // No number is longer than a float32 needs: a sign, a zero, a point and nine digits.
  expect(javascript.match(/\d\.\d{10,}/g)).toBeNull();
  const [line] = await runModule(javascript);
  // Both sum the same float64 numbers in the same order, the code with one more rounding per term.
  expect(Math.abs(Number(line) / (run.errors.at(-1) ?? NaN) - 1)).toBeLessThan(1e-12);
});
