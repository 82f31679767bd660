import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { Training } from '../../web/training/train.js';
import { attention } from '../support/library.js';
import { useBrowser } from './browser.js';
import { numberOf } from './shown.js';

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

/** Numbers of the table below the figure, row by row: the step, and loss and accuracy of the positions with that name. */
async function tableOf(training: Locator, name: string): Promise<number[][]> {
  await button(training, 'Values as a table').click();
  const heads = await training.locator('thead th').allInnerTexts();
  const at = heads.indexOf(`${name}: loss`);
  expect(heads[at + 1]).toBe(`${name}: accuracy`);
  const rows = await training
    .locator('tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
  return rows.map((cells) => [cells[0], cells[at], cells[at + 1]].map((cell) => numberOf(cell ?? '')));
}

test('learned positions learn the task in the page, on the curve of the same seed under Node', async () => {
  const { training } = await figure();
  // Computed beforehand, all six.
  expect(await training.locator('path[data-positions]').count()).toBe(6);
  await button(training, 'Train: learned').press('Enter');
  await training.locator('.readout', { hasText: 'done' }).waitFor({ timeout: 60_000 });
  const said = await training.locator('.readout').innerText();
  expect(Number(/([\d.]+)%/.exec(said)?.[1])).toBeGreaterThanOrEqual(99);

  // The other five stay as they were, for comparison.
  expect(await training.locator('path[data-positions]:not(.faint)').count()).toBe(6);
  const shown = await tableOf(training, 'learned');
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

test('is never empty: the curves of another task stay, faintly, until there are others, and come back with it', async () => {
  const { training } = await figure();
  const [curves, faint] = ['', '.faint'].map((which) => training.locator(`path${which}[data-positions]`)) as [
    Locator,
    Locator,
  ];
  expect(await faint.count()).toBe(0);
  await button(training, 'Train: learned').click();
  await training.locator('.readout', { hasText: /step \d+ of 400/ }).waitFor();
  await training.getByLabel('say the sequence backwards').check();
  await training.locator('.readout', { hasText: 'Faint: the curves of the task “name the token 3 places back”' }).waitFor(); // prettier-ignore
  expect([await curves.count(), await faint.count()]).toEqual([1, 1]);

  await button(training, 'Train: learned').click();
  await training.locator('.readout', { hasText: /step \d+ of 400/ }).waitFor();
  expect([await curves.count(), await faint.count()]).toEqual([1, 0]);
  await training.getByLabel('name the token 3 places back').check();
  // Computed beforehand, but for the one that was begun here.
  expect([await curves.count(), await faint.count()]).toEqual([6, 0]);
});

test('trains what learns before what does not: positions of none are the last of the six', async () => {
  const { training } = await figure();
  await training.getByLabel('none').check();
  await button(training, 'Train all six').click();
  await training.locator('.readout', { hasText: /sinusoidal: step/ }).waitFor();
  await button(training, 'Stop').click();
});

test('shows the untrained model’s attention: even, and not blank', async () => {
  const { training } = await figure();
  const maps = training.locator('.heads heat-map');
  const [least, most, high] = await maps.evaluateAll((all) => {
    const found = all as (HTMLElement & { values: Float32Array; high: number })[];
    const values = found.flatMap(({ values }) => [...values]);
    return [Math.min(...values), Math.max(...values), found[0]!.high] as const;
  });
  // 32 keys, and nothing learned: about 1/32 each.
  expect(least).toBeGreaterThan(0.5 / 32);
  expect(most).toBeLessThan(2 / 32);
  // The ramp ends with the largest weight, and says so.
  expect(high).toBeGreaterThanOrEqual(most);
  expect(high).toBeLessThan(most + 0.01);
  expect(await training.locator('.heads ~ .legend ramp-legend').locator('span').last().innerText()).toBe(String(high)); // prettier-ignore
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
