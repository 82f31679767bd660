/** The training example repeats exactly and frees its memory. long/learning.test.ts shows that it learns. */
import { describe, expect, test } from '@jest/globals';
import { POSITIONS, type TrainingSettings } from '../../web/training/settings.js';
import { Training, type Progress } from '../../web/training/train.js';
import { attention, expectNoGrowth } from '../support/library.js';

/** The progress of each step, without its speed. */
function curve(settings: Partial<TrainingSettings>): Omit<Progress, 'stepsPerSecond'>[] {
  const training = new Training(attention, settings);
  const steps: Omit<Progress, 'stepsPerSecond'>[] = [];
  const speeds: number[] = [];
  while (!training.finished) {
    const { stepsPerSecond, ...progress } = training.step();
    speeds.push(stepsPerSecond);
    steps.push(progress);
  }
  expect(Math.min(...speeds)).toBeGreaterThan(0);
  training.dispose();
  return steps;
}

describe('the training example', () => {
  // Few steps of a small model that has every layer and every kind of gradient.
  const small = { numHiddens: 16, ffnHiddens: 32, length: 8, vocabulary: 8, batch: 4, steps: 12 };

  test.each(POSITIONS)('has the same loss curve for the same seed, to the bit, with positions %s', (positions) => {
    const settings = { ...small, positions, seed: 5 };
    const first = curve(settings);
    expect(first).toHaveLength(12);
    expect(curve(settings)).toEqual(first);
    expect(curve({ ...settings, seed: 6 })).not.toEqual(first);
  });

  test('shows where each head looks, in the snapshots that are due', () => {
    for (const positions of POSITIONS) {
      const training = new Training(attention, { ...small, positions });
      const first = training.step().snapshot!;
      expect(training.step().snapshot).toBeUndefined();
      expect(first.weights.shape).toEqual([4, 8, 8]);
      const sums = Array.from({ length: 32 }, (_, row) =>
        first.weights.data.slice(8 * row, 8 * row + 8).reduce((sum, weight) => sum + weight, 0),
      );
      for (const sum of sums) expect(sum).toBeCloseTo(1, 5);
      training.dispose();
    }
  });

  test('frees its memory, so that the heap does not grow from run to run', () => {
    expectNoGrowth(20, () => {
      for (const positions of POSITIONS) curve({ ...small, positions });
    });
  });
});
