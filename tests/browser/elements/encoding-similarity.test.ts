import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { FigureElement } from '../../../web/elements/kit.js';
import { openAlone, violationsOf } from '../alone.js';
import { useBrowser } from '../browser.js';

const { open } = useBrowser();

/** The points of the curve, in the drawing's pixels: one for each offset from 1 − n to n − 1. */
async function pointsOf(figure: Locator): Promise<number[][]> {
  return coordinatesOf(await figure.locator('.curve:not(.before)').getAttribute('d'));
}

function coordinatesOf(path: string | null): number[][] {
  return (path ?? '')
    .slice(1)
    .split('L')
    .map((pair) => pair.split(',').map(Number));
}

test('the curve marks the offset of the map’s cursor', async () => {
  const { page, figure } = await openAlone(open, 'encoding-similarity', { colorScheme: 'dark' });
  expect(await figure.locator('.dot').count()).toBe(0);
  await figure.getByRole('application').focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowDown']) await page.keyboard.press(key);
  const [dot, points] = [figure.locator('.dot'), await pointsOf(figure)];
  const at = [await dot.getAttribute('cx'), await dot.getAttribute('cy')].map(Number);
  // Three columns to the right and one row down: offset 2, of n = 60. Paths have three decimals.
  const [x = NaN, y = NaN] = points[59 + 2] ?? [];
  expect(at[0]).toBeCloseTo(x, 2);
  expect(at[1]).toBeCloseTo(y, 2);
  expect(await figure.locator('.offset').innerHTML()).toContain('2');
  // The cursor may be beyond a shorter sequence.
  await figure.getByLabel('Length n').fill('2');
  expect(await figure.locator('.dot').count()).toBe(1);
  expect(await violationsOf(page, 'encoding-similarity')).toEqual([]);
});

test('another base keeps the initial curve, faint, and the colour scale', async () => {
  const { figure } = await openAlone(open, 'encoding-similarity');
  const faint = figure.locator('.curve.before');
  const scale = (): Promise<string[]> => figure.locator('ramp-legend span').allInnerTexts();
  expect(await faint.count()).toBe(0);
  const [before, colours] = [await pointsOf(figure), await scale()];
  await figure.evaluate((element) => (element as FigureElement).change({ base: 1e6 }));
  expect(await figure.getByText('faint: base 10,000').count()).toBe(1);
  // The curve's two halves are a row and a column of products, which are rounded to float32 each.
  const away = coordinatesOf(await faint.getAttribute('d')).flatMap(([x = NaN, y = NaN], at) => [
    Math.abs(x - before[at]![0]!),
    Math.abs(y - before[at]![1]!),
  ]);
  expect(away).toHaveLength(2 * before.length);
  expect(Math.max(...away)).toBeLessThan(0.01);
  expect(await scale()).toEqual(colours);
  expect(await pointsOf(figure)).not.toEqual(before);
  await figure.getByRole('button', { name: 'Reset' }).click();
  expect(await faint.count()).toBe(0);
});

test('in a shorter sequence the cursors of map and curve have the same offset', async () => {
  const { page, figure } = await openAlone(open, 'encoding-similarity');
  await figure.getByRole('application').focus();
  for (let step = 0; step < 3; ++step) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('End');
  const offset = figure.locator('text.offset');
  expect(await offset.textContent()).toBe('59');
  await figure.evaluate((element) => (element as FigureElement).change({ length: 24 }));
  expect(await offset.textContent()).toBe('23');
  expect(await figure.locator('.readout').first().innerText()).toContain('23');
});
