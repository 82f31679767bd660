/** The training example: it learns its tasks, learns nothing without positions, and repeats exactly. */
import { describe, expect, test } from '@jest/globals';
import { POSITIONS, type TrainingSettings } from '../../web/training/settings.js';
import { Training, type Progress } from '../../web/training/train.js';
import { attention, expectNoGrowth } from '../support/library.js';
import { Random } from '../support/random.js';

/** Trains until all steps are done or a step's accuracy reaches `enough`. */
function trained(settings: Partial<TrainingSettings>, enough = Infinity): Training {
  const training = new Training(attention, settings);
  while (!training.finished && training.step().accuracy < enough);
  return training;
}

/** The progress of each step, without its speed. */
function curve(settings: Partial<TrainingSettings>): Omit<Progress, 'stepsPerSecond'>[] {
  const training = new Training(attention, settings);
  const steps: Omit<Progress, 'stepsPerSecond'>[] = [];
  while (!training.finished) {
    const { stepsPerSecond, ...progress } = training.step();
    expect(stepsPerSecond).toBeGreaterThan(0);
    steps.push(progress);
  }
  training.dispose();
  return steps;
}

/** P(X >= hits) for a binomial X, summed term by term. */
function binomialTail(trials: number, probability: number, hits: number): number {
  let logTerm = trials * Math.log1p(-probability);
  let tail = 0;
  for (let k = 0; k <= trials; ++k) {
    if (k >= hits) tail += Math.exp(logTerm);
    logTerm += Math.log(((trials - k) * probability) / ((k + 1) * (1 - probability)));
  }
  return tail;
}

describe('the training example', () => {
  // Few steps of a small model that has every layer and every kind of gradient.
  const small = { numHiddens: 16, ffnHiddens: 32, length: 8, vocabulary: 8, batch: 4, steps: 12 };

  test.each(POSITIONS)(
    'has the same loss curve for the same seed, to the bit, with positions %s',
    (positions) => {
      const settings = { ...small, positions, seed: 5 };
      const first = curve(settings);
      expect(first).toHaveLength(12);
      expect(curve(settings)).toEqual(first);
      expect(curve({ ...settings, seed: 6 })).not.toEqual(first);
    },
  );

  test.each(['copy', 'reverse'] as const)('learns to %s with learned positions', (task) => {
    const training = trained({ task, positions: 'learned', seed: 11 }, 1);
    // These sequences are new to the model: there are 32! of them.
    expect(training.evaluate(256)).toBeGreaterThanOrEqual(0.99);
    training.dispose();
  });

  test.each(['sinusoidal', 'rotary', 'shaw'] as const)('learns to copy with positions %s', (positions) => {
    const training = trained({ task: 'copy', positions, seed: 12 }, 1);
    expect(training.evaluate(64)).toBeGreaterThanOrEqual(0.99);
    training.dispose();
  });

  test.each(['copy', 'reverse'] as const)('does not learn to %s without positions', (task) => {
    const training = trained({ task, positions: 'none', seed: 13, steps: 250 });
    const { length } = training.settings;
    // One answer from each of 4096 sequences. Given the token at that place, each of the other 31 tokens is equally likely to be the
    // right answer, so the number of hits is binomial with a probability of at most 1/31. The test fails if that gives as many hits
    // only once in a million runs.
    const batch = training.heldOut(4096);
    const answers = training.answer(batch);
    const random = new Random(14);
    let hits = 0;
    for (let i = 0; i < batch.count; ++i) {
      const place = i * length + random.integer(training.settings.distance, length - 1);
      if (answers[place] === batch.targets[place]) ++hits;
    }
    expect(training.chance).toBe(1 / 31);
    expect(binomialTail(batch.count, 1 / 31, hits)).toBeGreaterThan(1e-6);
    training.dispose();
  });

  test('shows tables of positions, which change only if they are learned', () => {
    for (const positions of POSITIONS) {
      const training = new Training(attention, { ...small, positions });
      const first = training.step().snapshot!;
      const second = training.step();
      expect(second.snapshot).toBeUndefined();
      const later = training.snapshot();
      expect(first.weights.shape).toEqual([4, 8, 8]);
      const sums = Array.from({ length: 32 }, (_, row) =>
        first.weights.data.slice(8 * row, 8 * row + 8).reduce((sum, weight) => sum + weight, 0),
      );
      for (const sum of sums) expect(sum).toBeCloseTo(1, 5);
      const shape = { none: undefined, rotary: undefined, alibi: [4, 8, 8], shaw: [17, 4] };
      const expected = positions in shape ? shape[positions as keyof typeof shape] : [8, 16];
      expect(first.table?.shape).toEqual(expected);
      if (expected) {
        const learns = positions === 'learned' || positions === 'shaw';
        const same = later.table!.data.every((x, i) => x === first.table!.data[i]);
        expect(same).toBe(!learns);
      }
      training.dispose();
    }
  });

  test('frees its memory, so that the heap does not grow from run to run', () => {
    expectNoGrowth(20, () => {
      for (const positions of POSITIONS) trained({ ...small, positions }).dispose();
    });
  });
});
