import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { COMPARED, COMPUTED, LENGTHS } from '../../web/elements/extrapolation-runs.js';
import { useBrowser } from './browser.js';

const { open } = useBrowser();

async function figure(): Promise<Locator> {
  const page = await open({ figures: ['length-extrapolation'] });
  return page.locator('length-extrapolation');
}

/** The rows of the table below the figure, without the lengths. */
async function tableOf(extrapolation: Locator): Promise<string[][]> {
  const rows = extrapolation.locator('tbody tr');
  return rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent.trim())),
  );
}

const COMPUTED_ROWS = LENGTHS.map((_, k) => COMPARED.map((each) => String(COMPUTED.get(each)![k] ?? '')));

test('begins with the computed curves, trains the five anew by keyboard, and goes back on reset', async () => {
  const extrapolation = await figure();
  await extrapolation.getByRole('button', { name: 'Values as a table' }).click();
  expect(await tableOf(extrapolation)).toEqual(COMPUTED_ROWS);
  expect(await extrapolation.locator('path[data-positions]').count()).toBe(5);

  await extrapolation.getByRole('button', { name: 'Train the five' }).press('Enter');
  await extrapolation.locator('.readout', { hasText: 'Done' }).waitFor({ timeout: 90_000 });
  const trained = await tableOf(extrapolation);
  trained.forEach((row, k) =>
    row.forEach((cell, column) => {
      const computed = COMPUTED_ROWS[k]![column]!;
      if (computed === '') expect(cell).toBe('');
      else expect(Math.abs(Number(cell) - Number(computed))).toBeLessThan(0.05);
    }),
  );
  await extrapolation.getByRole('button', { name: 'Reset' }).click();
  expect(await tableOf(extrapolation)).toEqual(COMPUTED_ROWS);
}, 120_000);

test('stops when told, and another seed drops the curves', async () => {
  const extrapolation = await figure();
  await extrapolation.getByRole('button', { name: 'Train the five' }).press('Enter');
  await extrapolation.getByRole('button', { name: 'Stop' }).press('Enter');
  await extrapolation.locator('.readout', { hasText: 'Stopped' }).waitFor();
  await extrapolation.getByLabel('Seed').press('ArrowRight');
  expect(await extrapolation.locator('path[data-positions]').count()).toBe(0);
});
