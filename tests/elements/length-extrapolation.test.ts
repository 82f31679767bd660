import { expect, test } from '@jest/globals';
import { COMPARED, extrapolationSettings, TRAINED } from '../../web/elements/length-extrapolation/runs.js';
import { Training } from '../../web/training/train.js';
import { attention } from '../support/library.js';

test('only a learned table ends at its training length', () => {
  for (const positions of COMPARED) {
    const training = new Training(attention, { ...extrapolationSettings(positions, 1), steps: 1 });
    expect(training.evaluateAt(TRAINED, 1)).toBeGreaterThanOrEqual(0);
    const longer = training.evaluateAt(2 * TRAINED, 1);
    if (positions === 'learned') expect(longer).toBeUndefined();
    else expect(longer).toBeGreaterThanOrEqual(0);
    training.dispose();
  }
});
