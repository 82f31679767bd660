import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { Training } from '../../../../web/training/train.js';
import { attention } from '../../../support/library.js';
import { useBrowser } from '../../browser.js';
import { choose, numberOf } from '../../shown.js';

const { open } = useBrowser();

/** Opens the page and draws the figure. */
async function figure(): Promise<Locator> {
  const page = await open({ path: '/en/further/', figures: [] });
  const training = page.locator('position-training');
  await training.scrollIntoViewIfNeeded();
  await training.locator('.primary').waitFor();
  return training;
}

const button = (training: Locator, name: string | RegExp): Locator => training.getByRole('button', { name });

/** Numbers of the figure's table, row by row: step, and loss and accuracy of the positions of that name. */
async function tableOf(training: Locator, name: string): Promise<number[][]> {
  await choose(training, 'Values as a table');
  const heads = await training.locator('thead th').allInnerTexts();
  const at = heads.indexOf(`${name}: loss`);
  expect(heads[at + 1]).toBe(`${name}: accuracy`);
  const rows = await training
    .locator('tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
  return rows.map((cells) => [cells[0], cells[at], cells[at + 1]].map((cell) => numberOf(cell ?? '')));
}

test('learned positions learn the task in the page, with the same curve as in Node', async () => {
  const training = await figure();
  // All six are precomputed.
  expect(await training.locator('path[data-positions]').count()).toBe(6);
  await button(training, 'Train: learned').press('Enter');
  await training.locator('.readout', { hasText: 'done' }).waitFor({ timeout: 60_000 });
  const said = await training.locator('.readout').innerText();
  expect(Number(/([\d.]+)%/.exec(said)?.[1])).toBeGreaterThanOrEqual(99);

  // The other five do not change.
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
