import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { COMPARED, COMPUTED, LENGTHS } from '../../../../web/elements/length-extrapolation/runs.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { tableOf } from '../../shown.js';

const { open } = useBrowser();

/** The rows of the figure's table, without the lengths; undefined for an empty cell. */
async function numbersOf(extrapolation: Locator): Promise<(number | undefined)[][]> {
  const rows = await tableOf(extrapolation);
  return rows.map(([, ...cells]) => cells.map((text) => (text.trim() === '' ? undefined : Number(text))));
}

const COMPUTED_ROWS = LENGTHS.map((_, k) => COMPARED.map((each) => COMPUTED.get(each)![k]));

test('trains the five models by keyboard, and reset restores the precomputed curves', async () => {
  const { figure: extrapolation } = await openAlone(open, 'length-extrapolation');
  expect(await numbersOf(extrapolation)).toEqual(COMPUTED_ROWS);
  expect(await extrapolation.locator('path[data-positions]').count()).toBe(5);

  await extrapolation.getByRole('button', { name: 'Train all five' }).press('Enter');
  await extrapolation.locator('.readout', { hasText: 'Done' }).waitFor({ timeout: 90_000 });
  const trained = await numbersOf(extrapolation);
  trained.forEach((row, k) =>
    row.forEach((cell, column) => {
      const computed = COMPUTED_ROWS[k]![column];
      if (computed === undefined) expect(cell).toBeUndefined();
      else expect(Math.abs((cell ?? NaN) - computed)).toBeLessThan(0.05);
    }),
  );
  await extrapolation.getByRole('button', { name: 'Reset' }).click();
  expect(await numbersOf(extrapolation)).toEqual(COMPUTED_ROWS);
}, 120_000);
