import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { sinusoidalEncoding } from '../reference/sinusoidalEncoding.js';
import { attention } from '../support/library.js';
import { useBrowser, type PageOptions } from './browser.js';
import { numberOf } from './shown.js';
import { blues, picture } from './canvas.js';

const { open: openPage } = useBrowser();
const open = (options: PageOptions = {}): Promise<Page> =>
  openPage({
    figures: ['attention-heads', 'positional-curves', 'positional-heatmap', 'encoding-rotation'],
    ...options,
  });
const heads = (page: Page): Locator => page.locator('attention-heads');
const rotation = (page: Page): Locator => page.locator('encoding-rotation');
const curves = (page: Page): Locator => page.locator('positional-curves');

/** Cell colours of all ten maps: two sequences of five heads, four queries by four keys. */
async function weightColours(page: Page): Promise<(readonly string[])[]> {
  const maps = await heads(page).locator('canvas.cells').all();
  const all: (readonly string[])[] = [];
  for (const map of maps) all.push((await picture(map, 4, 4)).cells);
  return all;
}

/** The five heads of the first sequence, then those of the second. */
function fiveEach(first: string[], second: string[]): string[][] {
  return [first, second].flatMap((map) => Array.from({ length: 5 }, () => map));
}

/** The colours of one map whose four rows are all `row`. */
function rows(row: readonly number[]): string[] {
  return [row, row, row, row].flat().map((weight) => blues(weight, 0, 1));
}

test('with X all ones, every head attends evenly to the valid keys', async () => {
  const page = await open();
  const first = rows([1 / 3, 1 / 3, 1 / 3, 0]);
  const second = rows([1 / 2, 1 / 2, 0, 0]);
  expect(await weightColours(page)).toEqual(fiveEach(first, second));
});

test('a valid length of zero leaves zeros, one of four reaches every key', async () => {
  const page = await open();
  await heads(page).getByLabel('Sequence 1: valid length').fill('0');
  await heads(page).getByLabel('Sequence 2: valid length').fill('4');
  const first = rows([0, 0, 0, 0]);
  const second = rows([1 / 4, 1 / 4, 1 / 4, 1 / 4]);
  expect(await weightColours(page)).toEqual(fiveEach(first, second));
});

test('a random X makes the heads differ, keeps padding at zero and rows at one, and another draw differs', async () => {
  const page = await open();
  await heads(page).getByLabel('random').check();
  await heads(page).getByText('Values as a table').click();
  // Each row: the sequence heads it, then head, query, and the four weights.
  const weights = async (): Promise<number[]> =>
    heads(page)
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.flatMap((row) => [...row.querySelectorAll('td')].slice(2).map((cell) => cell.textContent ?? '')),
      )
      .then((texts) => texts.map(numberOf));
  const first = await weights();
  expect(first).toHaveLength(2 * 5 * 4 * 4);
  for (let row = 0; row < 40; ++row) {
    const sum = first.slice(4 * row, 4 * row + 4).reduce((a, b) => a + b, 0);
    // Four weights rounded to three decimals: each is off by half a thousandth at most.
    expect(Math.abs(sum - 1)).toBeLessThanOrEqual(4 * 0.0005 + 1e-9);
    expect(first[4 * row + 3]).toBe(0);
  }
  expect(first.slice(0, 16)).not.toEqual(first.slice(16, 32));
  await heads(page).getByRole('button', { name: 'Draw again' }).click();
  expect(await weights()).not.toEqual(first);
});

test('the cursor in a head names sequence, head, query, key and weight, and there is one cursor only', async () => {
  const page = await open();
  const maps = heads(page).getByRole('application');
  await maps.nth(6).focus();
  await page.keyboard.press('ArrowDown');
  expect((await heads(page).locator('.readout').innerText()).replace(/\s+/g, ' ')).toBe(
    'Sequence 2, head 2: query 2 gives key 1 the weight 0.500',
  );
  await maps.nth(0).focus();
  await page.keyboard.press('End');
  expect(await heads(page).locator('.readout').innerText()).toContain(
    'Sequence 1, head 1: query 1 gives key 4',
  );
  expect(await heads(page).locator('rect.cursor').count()).toBe(1);
});

test('the curves pass through the values of P', async () => {
  const page = await open();
  const { data } = sinusoidalEncoding({ length: 60, dim: 32 });
  for (const column of [6, 7, 8, 9]) {
    const path = (await curves(page).locator(`path[data-column="${column}"]`).getAttribute('d')) ?? '';
    const points = path
      .slice(1)
      .split('L')
      .map((point) => point.split(',').map(Number));
    expect(points).toHaveLength(60);
    const grid = await curves(page)
      .locator('line.grid')
      .evaluateAll((lines) => lines.map((line) => Number(line.getAttribute('y1'))));
    const [bottom = NaN, top = NaN] = [grid[0], grid[4]];
    points.forEach(([, y = NaN], i) => {
      const value = ((bottom - y) / (bottom - top)) * 2 - 1;
      // A path's coordinates have three decimals, on some 200 pixels for two units.
      expect(Math.abs(value - (data[i * 32 + column] ?? NaN))).toBeLessThan(1e-4);
    });
  }
});

test('the columns slider moves all curves, and each has a line style of its own', async () => {
  const page = await open();
  await curves(page).getByRole('slider', { name: 'Columns' }).fill('0');
  const labels = await curves(page).locator('.curve-label').allTextContents();
  expect(labels).toEqual(['col 0', 'col 1', 'col 2', 'col 3']);
  const dashes = await curves(page)
    .locator('path.series')
    .evaluateAll((paths) => paths.map((path) => getComputedStyle(path).strokeDasharray));
  expect(new Set(dashes).size).toBe(4);
});

test('the keyboard reads all curves at one position', async () => {
  const page = await open();
  await curves(page).getByRole('application').focus();
  await page.keyboard.press('End');
  const { data } = sinusoidalEncoding({ length: 60, dim: 32 });
  const values = [6, 7, 8, 9].map(
    (column) => `col ${column} ${(data[59 * 32 + column] ?? NaN).toFixed(3).replace('-', '−')}`,
  );
  expect(await curves(page).locator('.spoken').textContent()).toBe(`position 59: ${values.join(', ')}`);
});

test('labels of curves that end at one height stay apart', async () => {
  const page = await open();
  await curves(page).getByRole('slider', { name: 'Columns' }).fill('28');
  const tops = await curves(page)
    .locator('.curve-label')
    .evaluateAll((labels) => labels.map((label) => label.getBoundingClientRect().top));
  const sorted = tops.sort((a, b) => a - b);
  for (let i = 1; i < sorted.length; ++i)
    expect((sorted[i] ?? 0) - (sorted[i - 1] ?? 0)).toBeGreaterThanOrEqual(13);
});

test.each([
  { offset: 6, position: 10, width: 16 },
  { offset: -30, position: 40, width: 32 },
  { offset: 0, position: 59, width: 4 },
])(
  'every hand turned by δ = $offset meets p of i + δ, and the residual is rounding',
  async ({ offset, position, width }) => {
    const page = await open();
    await rotation(page).getByLabel('Offset δ').fill(String(offset));
    await rotation(page).getByLabel('Position i').fill(String(position));
    await rotation(page).getByLabel('Width d').fill(String(width));
    const hands = await rotation(page)
      .locator('.clock line.to')
      .evaluateAll((lines) =>
        lines.map((line) => [Number(line.getAttribute('x2')), -Number(line.getAttribute('y2'))]),
      );
    const P = sinusoidalEncoding({ length: 1, dim: width, offset: position + offset });
    expect(hands).toHaveLength(width / 2);
    hands.flat().forEach((value, k) => expect(Math.abs(value - (P.data[k] ?? NaN))).toBeLessThan(1e-6));
    const printed = (await rotation(page).locator('.residual strong').innerText()).replace('−', '-');
    expect(printed).toBe(scientific(residual(offset, width)));
  },
);

/** max |M·p_i − p_{i+δ}| over 60 positions, computed here from the library's own M and P. */
function residual(offset: number, dim: number): number {
  const M = attention.encodingRotation({ delta: offset, dim }).data;
  const P = attention.sinusoidalEncoding({ length: 90, dim }).data;
  let worst = 0;
  for (let i = Math.max(0, -offset); i < 60; ++i) {
    for (let c = 0; c < dim; ++c) {
      const pair = c - (c % 2);
      const at = 2 * pair + 2 * (c % 2);
      const turned =
        (M[at] ?? NaN) * (P[i * dim + pair] ?? NaN) + (M[at + 1] ?? NaN) * (P[i * dim + pair + 1] ?? NaN);
      worst = Math.max(worst, Math.abs(turned - (P[(i + offset) * dim + c] ?? NaN)));
    }
  }
  // Entries of M and P are each off by half a float32 spacing below 1: two products and the target add up to 5 halves.
  expect(worst).toBeLessThan(2.5 * 2 ** -24 * 2);
  return worst;
}

function scientific(value: number): string {
  if (value === 0) return '0';
  const [digits, exponent] = value.toExponential(1).split('e');
  const raised = exponent!.replace('-', '⁻').replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]!);
  return `${digits} × 10${raised}`;
}
