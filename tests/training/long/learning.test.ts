/** The training example learns its tasks, and learns nothing without positions. */
import { describe, expect, test } from '@jest/globals';
import type { TrainingSettings } from '../../../web/training/settings.js';
import { Training } from '../../../web/training/train.js';
import { attention } from '../../support/library.js';
import { Random } from '../../support/random.js';

/** Trains until all steps are done or a step's accuracy reaches `enough`. */
function trained(settings: Partial<TrainingSettings>, enough = Infinity): Training {
  const training = new Training(attention, settings);
  while (!training.finished && training.step().accuracy < enough);
  return training;
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

  test('learns to reverse with sinusoidal positions, but not with those that only know offsets', () => {
    const reached = (positions: TrainingSettings['positions']): number => {
      const training = trained({ task: 'reverse', positions, seed: 11 }, 1);
      const accuracy = training.evaluate(64);
      training.dispose();
      return accuracy;
    };
    expect(reached('sinusoidal')).toBeGreaterThanOrEqual(0.99);
    for (const positions of ['rotary', 'shaw', 'alibi'] as const) expect(reached(positions)).toBeLessThan(0.15);
  });

  test('with ALiBi, names the previous token much better under a causal mask, but not the third one back', () => {
    const reached = (distance: number, causal: boolean): number => {
      const training = trained({ task: 'copy', distance, causal, positions: 'alibi', seed: 1 });
      const accuracy = training.evaluate(64);
      training.dispose();
      return accuracy;
    };
    expect(reached(1, true)).toBeGreaterThan(0.8);
    expect(reached(1, false)).toBeLessThan(0.55);
    for (const causal of [true, false]) expect(reached(3, causal)).toBeLessThan(0.25);
  });

  test.each(['copy', 'reverse'] as const)('does not learn to %s without positions', (task) => {
    const training = trained({ task, positions: 'none', seed: 13, steps: 250 });
    const { length } = training.settings;
    // One answer from each of 4096 sequences. Given the token at that place, each of the other 31 tokens is equally
    // likely to be the right answer, so the number of hits is binomial with a probability of at most 1/31. The test
    // fails if that gives as many hits only once in a million runs.
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
});
