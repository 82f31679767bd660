import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { masksCode } from '../../web/elements/attention-masks/code.js';
import { LENGTH, maskScene, type MaskSettings } from '../../web/elements/attention-masks/scene.js';
import { runModule } from '../support/runModule.js';
import { attention } from '../support/library.js';

const cell = (i: number): [query: number, key: number] => [Math.floor(i / LENGTH), i % LENGTH];
const all = (visible: (query: number, key: number) => boolean): boolean[] =>
  Array.from({ length: LENGTH * LENGTH }, (_, i) => visible(...cell(i)));
const settings = fc.record({
  valid: fc.integer({ min: 0, max: LENGTH }),
  causal: fc.boolean(),
  window: fc.boolean(),
  left: fc.integer({ min: 0, max: LENGTH - 1 }),
  right: fc.integer({ min: 0, max: LENGTH - 1 }),
  seed: fc.integer({ min: 1, max: 9999 }),
});

describe('the masks', () => {
  test('agree with their definitions, and combine by AND', () => {
    fc.assert(
      fc.property(settings, (given) => {
        const { valid, causal, window, left, right } = given;
        const scene = maskScene(attention, given);
        const padding = all((_, key) => key < valid);
        const past = all((query, key) => !causal || key <= query);
        const near = all((query, key) => !window || (query - left <= key && key <= query + right));
        expect(scene.padding).toEqual(padding);
        expect(scene.causal).toEqual(past);
        expect(scene.window).toEqual(near);
        expect(scene.mask).toEqual(padding.map((visible, i) => visible && past[i] && near[i]));
      }),
    );
  });

  test('give zeros in a row that sees nothing, and rows that sum to 1 otherwise', () => {
    fc.assert(
      fc.property(settings, (given) => {
        const { mask, weights, empty } = maskScene(attention, given);
        for (let row = 0; row < LENGTH; ++row) {
          const values = weights.subarray(row * LENGTH, (row + 1) * LENGTH);
          const sum = values.reduce((a, b) => a + b, 0);
          if (empty.includes(row)) expect(Array.from(values)).toEqual(new Array(LENGTH).fill(0));
          // Eight weights, each rounded at 2^-24.
          else expect(Math.abs(sum - 1)).toBeLessThan(16 * 2 ** -24);
          const hidden = [...values].filter((_, key) => !mask[row * LENGTH + key]);
          expect(hidden).toEqual(hidden.map(() => 0));
        }
      }),
    );
  });
});

test.each<MaskSettings>([
  { valid: 5, causal: true, window: true, left: 2, right: 0, seed: 1 },
  { valid: 8, causal: false, window: false, left: 2, right: 0, seed: 12 },
])('the JavaScript prints the figure’s weights: window $window', async (given) => {
  const lines = await runModule(masksCode(given).javascript);
  const { weights } = maskScene(attention, given);
  expect(lines.flatMap((line) => line.split(' ').map(Number))).toEqual(Array.from(weights));
});
