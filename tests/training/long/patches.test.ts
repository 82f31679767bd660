import { expect, test } from '@jest/globals';
import { heldOut, trainPatches } from '../../../web/training/patches/train.js';
import { attention } from '../../support/library.js';

test.each([
  { positions: true, least: 0.9, most: 1 },
  { positions: false, least: 0.35, most: 0.55 },
])('a short run learns to count circles only with positions: $positions', ({ positions, least, most }) => {
  const model = trainPatches(attention, { positions, steps: 1200, seed: 2 });
  const accuracy = model.evaluate(heldOut(2, 1000));
  model.dispose();
  expect(accuracy).toBeGreaterThan(least);
  expect(accuracy).toBeLessThanOrEqual(most);
});
