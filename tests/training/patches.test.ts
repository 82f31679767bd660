/** The training of the models of `<patch-positions>`; tests/elements/patch-positions.test.ts checks the trained ones. */
import { expect, test } from '@jest/globals';
import { heldOut, trainPatches } from '../../web/training/patches/train.js';
import { attention } from '../support/library.js';

function trained(steps: number, seed: number) {
  const losses: number[] = [];
  const model = trainPatches(attention, { positions: true, steps, seed }, ({ loss }) => losses.push(loss), 1);
  const state = model.state();
  const accuracy = model.evaluate(heldOut(seed, 400));
  model.dispose();
  return { losses, state, accuracy };
}

test('a run repeats for the same seed, and differs for another', () => {
  const [one, same, other] = [trained(5, 1), trained(5, 1), trained(5, 2)];
  expect(same).toEqual(one);
  expect(other.losses).not.toEqual(one.losses);
});
