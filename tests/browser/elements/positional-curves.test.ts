import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { FigureElement } from '../../../web/elements/kit.js';
import { sinusoidalEncoding } from '../../reference/sinusoidalEncoding.js';
import { openAlone } from '../alone.js';
import { useBrowser } from '../browser.js';

const { open } = useBrowser();
const alone = () => openAlone(open, 'positional-curves');

/** The values of a curve's points. */
async function valuesOf(figure: Locator, path: string | null): Promise<number[]> {
  const grid = await figure
    .locator('line.grid')
    .evaluateAll((lines) => lines.map((line) => Number(line.getAttribute('y1'))));
  const [bottom = NaN, top = NaN] = [grid[0], grid[4]];
  const heights = (path ?? '')
    .slice(1)
    .split('L')
    .map((point) => Number(point.split(',')[1]));
  return heights.map((y) => ((bottom - y) / (bottom - top)) * 2 - 1);
}

function expectColumn(P: ArrayLike<number>, column: number, values: readonly number[]): void {
  expect(values).toHaveLength(60);
  // A path's coordinates have three decimals, on some 200 pixels for two units.
  for (const [i, value] of values.entries()) expect(Math.abs(value - (P[i * 32 + column] ?? NaN))).toBeLessThan(1e-4);
}

test('the curves pass through the values of P', async () => {
  const { figure } = await alone();
  const { data } = sinusoidalEncoding({ length: 60, dim: 32 });
  for (const column of [6, 7, 8, 9]) {
    const path = await figure.locator(`path[data-column="${column}"]`).getAttribute('d');
    expectColumn(data, column, await valuesOf(figure, path));
  }
});

test('another base keeps the initial curves, faint, until a reset', async () => {
  const { figure } = await alone();
  const faint = figure.locator('path.faint');
  const said = figure.getByText('faint: base 10,000');
  expect(await faint.count()).toBe(0);
  await figure.evaluate((element) => (element as FigureElement).change({ base: 100, columns: [0, 1, 8, 9] }));
  expect(await said.count()).toBe(1);
  const { data } = sinusoidalEncoding({ length: 60, dim: 32 });
  const paths = await faint.evaluateAll((all) => all.map((path) => path.getAttribute('d')));
  expect(paths).toHaveLength(4);
  for (const [index, column] of [0, 1, 8, 9].entries())
    expectColumn(data, column, await valuesOf(figure, paths[index] ?? null));
  await figure.getByRole('button', { name: 'Reset' }).click();
  expect([await faint.count(), await said.count()]).toEqual([0, 0]);
});

test('the columns slider changes all curves, and each has its own line style', async () => {
  const { figure } = await alone();
  await figure.getByLabel('Columns', { exact: true }).fill('0');
  const labels = await figure.locator('.curve-label').allTextContents();
  expect(labels).toEqual(['col 0', 'col 1', 'col 2', 'col 3']);
  const dashes = await figure
    .locator('path.series')
    .evaluateAll((paths) => paths.map((path) => getComputedStyle(path).strokeDasharray));
  expect(new Set(dashes).size).toBe(4);
});

test('a column keeps its colour and line style when others are added or removed', async () => {
  const { figure } = await alone();
  const looks = async (columns: readonly number[]): Promise<Record<number, string>> => {
    await figure.evaluate((element, columns) => (element as FigureElement).change({ columns }), columns);
    const all = await figure.locator('path.series').evaluateAll((paths) =>
      paths.map((path) => {
        const { stroke, strokeDasharray } = getComputedStyle(path);
        return `${stroke} ${strokeDasharray}`;
      }),
    );
    return Object.fromEntries(columns.map((column, index) => [column, all[index] ?? '']));
  };
  const before = await looks([6, 7, 8, 9]);
  expect(await looks([8, 9])).toEqual({ 8: before[8], 9: before[9] });
  const more = await looks([2, 8, 9, 20]);
  expect(more).toMatchObject({ 8: before[8], 9: before[9] });
  expect(new Set(Object.values(more).map((look) => look.replace(/.*\) /, ''))).size).toBe(4);
  expect(await looks([2, 20])).toEqual({ 2: more[2], 20: more[20] });
});

test.each([390, 1280])(
  'at %i px no curve fills the plot: narrow waves are faint, with their values marked',
  async (width) => {
    const { figure } = await openAlone(open, 'positional-curves', { viewport: { width, height: 800 } });
    for (const [length, base, columns] of [
      [256, 1e6, [0, 1, 2, 3]],
      [256, 10, [0, 1, 2, 3, 4, 5]],
      [256, 1e4, [0]],
    ] as const) {
      await figure.evaluate((element, to) => (element as FigureElement).change(to), {
        length,
        base,
        columns,
      });
      const inked = await figure.locator('path.series').evaluateAll((paths) =>
        paths.map((path) => {
          const box = path.getBoundingClientRect();
          const { strokeWidth, strokeOpacity } = getComputedStyle(path);
          const ink = (path as SVGPathElement).getTotalLength() * parseFloat(strokeWidth) * Number(strokeOpacity);
          return ink / (box.width * box.height);
        }),
      );
      // A wave of 5.5 px leaves room for a curve's two lines of 2 px.
      expect(inked.reduce((sum, part) => sum + part, 0)).toBeLessThan(0.8);
    }
  },
);

test('the keyboard reads all curves’ values at a position', async () => {
  const { page, figure } = await alone();
  const plot = figure.getByRole('slider', { name: 'Columns 6, 7, 8, 9 of' });
  await plot.focus();
  await page.keyboard.press('End');
  const { data } = sinusoidalEncoding({ length: 60, dim: 32 });
  const values = [6, 7, 8, 9].map(
    (column) => `col ${column} ${(data[59 * 32 + column] ?? NaN).toFixed(3).replace('-', '−')}`,
  );
  expect(await plot.getAttribute('aria-valuetext')).toBe(`position 59: ${values.join(', ')}`);
});

test('labels of curves that end at the same height do not overlap', async () => {
  const { figure } = await alone();
  await figure.getByLabel('Columns', { exact: true }).fill('28');
  const tops = await figure
    .locator('.curve-label')
    .evaluateAll((labels) => labels.map((label) => label.getBoundingClientRect().top));
  const sorted = tops.sort((a, b) => a - b);
  for (let i = 1; i < sorted.length; ++i) expect((sorted[i] ?? 0) - (sorted[i - 1] ?? 0)).toBeGreaterThanOrEqual(13);
});
