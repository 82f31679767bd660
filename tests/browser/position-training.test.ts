import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { Training } from '../../web/training/train.js';
import { attention } from '../support/library.js';
import { useBrowser } from './browser.js';

const { open } = useBrowser();

/** The figure of the second exercise, in its answer. */
async function figure(): Promise<{ page: Page; training: Locator }> {
  const page = await open({ figures: [] });
  await page.locator('details:has(position-training) > summary').click();
  const training = page.locator('position-training');
  await training.scrollIntoViewIfNeeded();
  await training.locator('.primary').waitFor();
  return { page, training };
}

const button = (training: Locator, name: string | RegExp): Locator => training.getByRole('button', { name });

/** Numbers of the table below the figure, row by row. */
async function tableOf(training: Locator): Promise<number[][]> {
  await button(training, 'Values as a table').click();
  const rows = await training
    .locator('tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
  return rows.map((cells) => cells.map((cell) => Number(cell.replace('−', '-'))));
}

test('learned positions learn the task in the page, on the curve of the same seed under Node', async () => {
  const { training } = await figure();
  // Computed beforehand, all six.
  expect(await training.locator('path[data-positions]').count()).toBe(6);
  await button(training, 'Train: learned').press('Enter');
  await training.locator('.readout', { hasText: 'done' }).waitFor({ timeout: 60_000 });
  const said = await training.locator('.readout').innerText();
  expect(Number(/([\d.]+)%/.exec(said)?.[1])).toBeGreaterThanOrEqual(99);

  const shown = await tableOf(training);
  const run = new Training(attention, { positions: 'learned', seed: 1 });
  expect(shown).toHaveLength(run.settings.steps);
  for (const [step, loss, accuracy] of shown.slice(0, 60)) {
    const progress = run.step();
    expect(step).toBe(progress.step);
    // The table shows three decimals.
    expect(loss).toBeCloseTo(progress.loss, 3);
    expect(accuracy).toBeCloseTo(progress.accuracy, 3);
  }
  run.dispose();
}, 90_000);

test('pauses, goes on and stops, by keyboard alone', async () => {
  const { training } = await figure();
  await training.getByLabel('none').check();
  const readout = training.locator('.readout');
  await button(training, 'Train: none').press('Enter');
  await readout.getByText(/step \d+ of 400/).waitFor();
  await button(training, 'Pause').press('Space');
  await button(training, 'Go on').waitFor();
  const at = await readout.innerText();
  await training.page().waitForTimeout(300);
  expect(await readout.innerText()).toBe(at);
  await button(training, 'Go on').press('Enter');
  await button(training, 'Pause').waitFor();
  await button(training, 'Stop').press('Enter');
  await readout.getByText(/none: stopped after \d+ steps/).waitFor();
  await button(training, 'Train: none').waitFor();
});

test('another task drops the curves of the one before', async () => {
  const { training } = await figure();
  await button(training, 'Train: learned').click();
  await training.locator('path[data-positions=learned]').waitFor();
  await training.getByLabel('say the sequence backwards').check();
  expect(await training.locator('path[data-positions]').count()).toBe(0);
  await button(training, 'Train: learned').waitFor();
});

test('where workers are off, it says so and goes on showing the model', async () => {
  const { page, training } = await figure();
  await page.evaluate(() => {
    Object.defineProperty(globalThis, 'Worker', { value: undefined });
  });
  await button(training, 'Train: learned').click();
  await training.locator('.readout', { hasText: 'could not run here' }).waitFor();
  expect(await training.locator('heat-map').count()).toBe(5);
});
