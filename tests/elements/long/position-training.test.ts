import { describe, expect, test } from '@jest/globals';
import { trainingCode } from '../../../web/elements/position-training/code.js';
import { computedView } from '../../../web/elements/position-training/computed-maps.js';
import { COMPUTED, STEPS_A_POINT } from '../../../web/elements/position-training/computed-curves.js';
import { DEFAULTS, POSITIONS, TASKS } from '../../../web/training/settings.js';
import { Training } from '../../../web/training/train.js';
import { attention } from '../../support/library.js';
import { runModule } from '../../support/runModule.js';

describe.each(TASKS)('the code for the task %s', (task) => {
  test.each(POSITIONS)('trains with positions %s, from about the loss of guessing', async (positions) => {
    const [line] = await runModule(trainingCode(task, positions, 1, 50).javascript);
    const [step, loss] = line!.split(' ').map(Number);
    expect(step).toBe(50);
    // After fifty steps no model is much worse than guessing among 31 tokens; one may already be better.
    expect(loss).toBeLessThan(1.05 * Math.log(32));
    expect(loss).toBeGreaterThan(0);
  });
});

describe.each(TASKS)('the precomputed curves and maps of the task %s', (task) => {
  const POINTS = DEFAULTS.steps / STEPS_A_POINT;
  /** The first point at which more than half of the answers are right, or one past the last if there is none. */
  const learnedAt = (accuracy: readonly number[]): number => {
    const point = accuracy.findIndex((share) => share > 0.5);
    return point < 0 ? POINTS : point;
  };

  test.each(POSITIONS)('are those of a model trained with positions %s', (positions) => {
    const { accuracy, loss } = COMPUTED[task][positions];
    expect([accuracy.length, loss.length]).toEqual([POINTS, POINTS]);
    const training = new Training(attention, { positions, task });
    const trained = { accuracy: [] as number[], loss: [] as number[] };
    for (let point = 0; point < POINTS; ++point) {
      const steps = Array.from({ length: STEPS_A_POINT }, () => training.step());
      for (const measure of ['accuracy', 'loss'] as const) {
        trained[measure].push(steps.reduce((sum, step) => sum + step[measure] / STEPS_A_POINT, 0));
      }
    }
    const { weights } = training.snapshot();
    training.dispose();
    // Rounding errors grow as a model learns: a kernel that adds in another order gives the same first steps, to the
    // stored digits, and the same end, but may learn a little sooner or later.
    for (let point = 0; point < 4; ++point) {
      expect(Math.abs(trained.loss[point]! - loss[point]!)).toBeLessThan(0.01);
      expect(Math.abs(trained.accuracy[point]! - accuracy[point]!)).toBeLessThan(0.005);
    }
    expect(Math.abs(learnedAt(trained.accuracy) - learnedAt(accuracy))).toBeLessThanOrEqual(3);
    expect(Math.abs(trained.accuracy.at(-1)! - accuracy.at(-1)!)).toBeLessThan(0.03);

    // The digits are rounded, by a quarter of the last one on average; with relaxed SIMD weights are off by 0.42 of it.
    // If one of the four heads attended elsewhere, they would be off by 2 / (4 · 32) = 0.016.
    const { weights: computed, digits = NaN } = computedView(task, positions);
    expect(computed.shape).toEqual(weights.shape);
    const apart = weights.data.reduce((sum, weight, i) => sum + Math.abs(weight - computed.data[i]!), 0);
    expect(apart / weights.data.length).toBeLessThan(10 ** -digits);
  });
});
