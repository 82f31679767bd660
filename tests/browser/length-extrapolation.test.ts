import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { COMPARED, COMPUTED, LENGTHS } from '../../web/elements/length-extrapolation/runs.js';
import { useBrowser } from './browser.js';

const { open } = useBrowser();

async function figure(): Promise<Locator> {
  const page = await open({ figures: ['length-extrapolation'] });
  return page.locator('length-extrapolation');
}

/** The rows of the table below the figure, without the lengths; nothing where a cell is empty. */
async function tableOf(extrapolation: Locator): Promise<(number | undefined)[][]> {
  const rows = extrapolation.locator('tbody tr');
  const texts = await rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent.trim())),
  );
  return texts.map((cells) => cells.map((text) => (text === '' ? undefined : Number(text))));
}

const COMPUTED_ROWS = LENGTHS.map((_, k) => COMPARED.map((each) => COMPUTED.get(each)![k]));

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
      const computed = COMPUTED_ROWS[k]![column];
      if (computed === undefined) expect(cell).toBeUndefined();
      else expect(Math.abs((cell ?? NaN) - computed)).toBeLessThan(0.05);
    }),
  );
  await extrapolation.getByRole('button', { name: 'Reset' }).click();
  expect(await tableOf(extrapolation)).toEqual(COMPUTED_ROWS);
}, 120_000);

test('says what its task is, and up to which length the models learned', async () => {
  const extrapolation = await figure();
  const said = await extrapolation.locator('.readout').allInnerTexts();
  expect(said.join(' ')).toContain(
    'Task: name the token just before, seeing none that come later; 200 steps of training on sequences of 32 tokens.',
  );
  expect(await extrapolation.locator('svg .lesson-label').textContent()).toBe('← trained on 32 tokens');
});

test('stops when told, and is never empty: curves of another seed stay, faintly, until there are others', async () => {
  const extrapolation = await figure();
  await extrapolation.getByRole('button', { name: 'Train the five' }).press('Enter');
  await extrapolation.getByRole('button', { name: 'Stop' }).press('Enter');
  await extrapolation.locator('.readout', { hasText: 'Stopped' }).waitFor();
  const faint = extrapolation.locator('path.faint[data-positions]');
  expect(await faint.count()).toBe(COMPARED.length);
  await extrapolation.getByLabel('Seed').press('ArrowRight');
  await extrapolation.locator('.readout', { hasText: 'Faint: the curves of seed 1.' }).waitFor();
  expect(await faint.count()).toBe(COMPARED.length);
  expect(await extrapolation.locator('path[data-positions]').count()).toBe(COMPARED.length);
});

test('a link with another seed begins with faint curves, and the table says whose they are', async () => {
  const page = await open({
    path: '/en/?fig-extrapolation=seed%3D7',
    figures: ['length-extrapolation'],
  });
  const extrapolation = page.locator('length-extrapolation');
  await extrapolation.locator('.readout', { hasText: 'Faint: the curves of seed 1.' }).waitFor();
  expect(await extrapolation.locator('path.faint[data-positions]').count()).toBe(COMPARED.length);
  await extrapolation.getByRole('button', { name: 'Values as a table' }).click();
  expect(await extrapolation.locator('thead th').allInnerTexts()).toContain('rotary (Seed 1)');
  expect(await tableOf(extrapolation)).toEqual(COMPUTED_ROWS);
});
