import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { COMPARED, COMPUTED, LENGTHS } from '../../../../web/elements/length-extrapolation/runs.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { choose, tableOf } from '../../shown.js';

const { open } = useBrowser();

/** The rows of the figure's table, without the lengths; undefined for an empty cell. */
async function numbersOf(extrapolation: Locator): Promise<(number | undefined)[][]> {
  const rows = await tableOf(extrapolation);
  return rows.map(([, ...cells]) => cells.map((text) => (text.trim() === '' ? undefined : Number(text))));
}

const COMPUTED_ROWS = LENGTHS.map((_, k) => COMPARED.map((each) => COMPUTED.get(each)![k]));

test('starts with the precomputed curves', async () => {
  const { figure: extrapolation } = await openAlone(open, 'length-extrapolation');
  expect(await numbersOf(extrapolation)).toEqual(COMPUTED_ROWS);
  expect(await extrapolation.locator('path[data-positions]').count()).toBe(5);
});

test('names its task, and the length of the training sequences', async () => {
  const { figure: extrapolation } = await openAlone(open, 'length-extrapolation');
  const said = await extrapolation.locator('.remark').allInnerTexts();
  expect(said.join(' ')).toContain(
    'Task: name the previous token without seeing later ones; 200 steps of training on sequences of 32 tokens.',
  );
  expect(await extrapolation.locator('svg .lesson-label').textContent()).toBe('← trained on 32 tokens');
});

test('shows the values of all curves at the length nearest to the pointer', async () => {
  const { page, figure: extrapolation } = await openAlone(open, 'length-extrapolation');
  const labels = (): Promise<string[]> => extrapolation.locator('text.curve-label').allTextContents();
  const names = await labels();
  expect(names).toHaveLength(COMPARED.length);
  const plot = (await extrapolation.locator('.readable svg').boundingBox())!;
  const number = (await extrapolation.locator('text', { hasText: /^192$/ }).boundingBox())!;
  await page.mouse.move(number.x + number.width / 2 + 3, plot.y + plot.height / 2);
  await extrapolation.locator('.reading').waitFor({ state: 'attached' });
  const row = COMPUTED_ROWS[LENGTHS.indexOf(192)]!;
  const values = row.filter((value) => value !== undefined).map((value) => `${Math.round(100 * value)}%`);
  expect(values).toHaveLength(4);
  expect((await labels()).filter((text) => text.endsWith('%')).sort()).toEqual(values.sort());
  await page.mouse.move(plot.x, plot.y + plot.height + 60);
  expect(await labels()).toEqual(names);
});

test('stops on request, and is never empty: curves of another seed stay, faint, until replaced', async () => {
  const { figure: extrapolation } = await openAlone(open, 'length-extrapolation');
  await extrapolation.getByRole('button', { name: 'Train all five' }).press('Enter');
  await extrapolation.getByRole('button', { name: 'Stop' }).press('Enter');
  const stopped = 'Stopped. The faint curves are from before this training.';
  await extrapolation.locator('.readout', { hasText: stopped }).waitFor();
  const faint = extrapolation.locator('path.faint[data-positions]');
  expect(await faint.count()).toBe(COMPARED.length);
  await extrapolation.getByLabel('Seed').press('ArrowRight');
  await extrapolation.locator('.readout', { hasText: 'Faint: the curves of seed 1.' }).waitFor();
  expect(await faint.count()).toBe(COMPARED.length);
  expect(await extrapolation.locator('path[data-positions]').count()).toBe(COMPARED.length);
});

test.each([390, 1280])('nothing moves during training (%i px)', async (width) => {
  const page = await open({ figures: ['length-extrapolation'], viewport: { width, height: 800 } });
  const extrapolation = page.locator('length-extrapolation');
  const button = extrapolation.locator('.controls button');
  const places = (): Promise<number[]> =>
    extrapolation.evaluate((element) => {
      const { left, top } = element.shadowRoot!.querySelector('.controls button')!.getBoundingClientRect();
      return [element.clientHeight, left, top - element.getBoundingClientRect().top];
    });
  // On a phone the controls move during scrolling.
  await button.focus();
  const before = await places();
  // Places are rounded to the screen's pixels, which differ by one at most.
  const isSame = async (): Promise<void> =>
    (await places()).forEach((place, i) => expect(Math.abs(place - before[i]!)).toBeLessThan(1));
  await button.press('Enter');
  for (const name of ['sinusoidal', 'learned']) {
    await extrapolation.locator('label', { hasText: name }).getByRole('progressbar').waitFor();
    await isSame();
  }
  // The Stop button replaces the other one in place, and keeps the focus.
  await page.keyboard.press('Enter');
  await extrapolation.locator('.readout', { hasText: 'Stopped' }).waitFor();
  await isSame();
});

test('a link with another seed starts with faint curves, whose seed is in the table', async () => {
  const page = await open({
    path: '/en/further/?fig-extrapolation=seed%3D7',
    figures: ['length-extrapolation'],
  });
  const extrapolation = page.locator('length-extrapolation');
  await extrapolation.locator('.readout', { hasText: 'Faint: the curves of seed 1.' }).waitFor();
  expect(await extrapolation.locator('path.faint[data-positions]').count()).toBe(COMPARED.length);
  expect(await numbersOf(extrapolation)).toEqual(COMPUTED_ROWS);
  await choose(extrapolation, 'Values as a table');
  expect(await extrapolation.locator('thead th').allInnerTexts()).toContain('RoPE (Seed 1)');
});
