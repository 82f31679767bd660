import { describe, expect, test } from '@jest/globals';
import { extrapolationCode } from '../../../web/elements/length-extrapolation/code.js';
import { COMPARED, COMPUTED, extrapolationSettings, LENGTHS } from '../../../web/elements/length-extrapolation/runs.js';
import { EVALUATED_AT_LENGTHS } from '../../../web/training/serve.js';
import { Training } from '../../../web/training/train.js';
import { runModule } from '../../support/runModule.js';
import { attention } from '../../support/library.js';

describe('the precomputed curves', () => {
  test.each(COMPARED)('are those of a model trained with positions %s', (positions) => {
    const training = new Training(attention, extrapolationSettings(positions, 1));
    while (!training.finished) training.step();
    const accuracies = LENGTHS.map((length) => training.evaluateAt(length, EVALUATED_AT_LENGTHS));
    training.dispose();
    const computed = COMPUTED.get(positions)!;
    expect(computed).toHaveLength(LENGTHS.length);
    accuracies.forEach((accuracy, k) => {
      if (accuracy === undefined) expect(computed[k]).toBeUndefined();
      // Two seeds differ by more than this; a kernel that adds in another order by less.
      else expect(Math.abs(accuracy - computed[k]!)).toBeLessThan(0.05);
    });
  });
});

test('the code trains a model with ALiBi and prints an accuracy for each length', async () => {
  const lines = await runModule(extrapolationCode(1).javascript);
  const printed = lines.map((line) => line.split(' ').map(Number));
  expect(printed.map(([length]) => length)).toEqual([...LENGTHS]);
  const computed = COMPUTED.get('alibi')!;
  // Other initial values and other sequences: the curve is similar to the figure's, not the same.
  printed.forEach(([, accuracy], k) => expect(Math.abs(accuracy! - computed[k]!)).toBeLessThan(0.2));
});
