import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { openAlone, smallestTarget, violationsOf, widthOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { blues, picture } from '../../canvas.js';
import { numberOf } from '../../shown.js';

const { open } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]) => openAlone(open, 'attention-heads', options);

/** Cell colours of all ten maps: two sequences of five heads, four queries by four keys. */
async function weightColours(figure: Locator): Promise<(readonly string[])[]> {
  const maps = await figure.locator('canvas.cells').all();
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

test('the initial heads differ', async () => {
  const { figure } = await alone();
  const maps = (await weightColours(figure)).map((colours) => colours.join());
  expect(new Set(maps).size).toBe(10);
});

test('with X all ones, every head attends uniformly to the valid keys', async () => {
  const { figure } = await alone();
  await figure.getByLabel('all ones').check();
  const first = rows([1 / 3, 1 / 3, 1 / 3, 0]);
  const second = rows([1 / 2, 1 / 2, 0, 0]);
  expect(await weightColours(figure)).toEqual(fiveEach(first, second));
});

test('a valid length of zero gives zeros, one of four reaches every key', async () => {
  const { figure } = await alone();
  await figure.getByLabel('all ones').check();
  await figure.getByLabel('Sequence 1: valid length').fill('0');
  await figure.getByLabel('Sequence 2: valid length').fill('4');
  const first = rows([0, 0, 0, 0]);
  const second = rows([1 / 4, 1 / 4, 1 / 4, 1 / 4]);
  expect(await weightColours(figure)).toEqual(fiveEach(first, second));
});

test('with a random X heads differ, padding is 0, rows sum to 1, and another draw differs', async () => {
  const { figure } = await alone();
  await figure.getByText('Values as a table').click();
  // Each row has the sequence as its header, then head, query, and the four weights.
  const weights = async (): Promise<number[]> =>
    figure
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.flatMap((row) => [...row.querySelectorAll('td')].slice(2).map((cell) => cell.textContent ?? '')),
      )
      .then((texts) => texts.map(numberOf));
  const first = await weights();
  expect(first).toHaveLength(2 * 5 * 4 * 4);
  for (let row = 0; row < 40; ++row) {
    const sum = first.slice(4 * row, 4 * row + 4).reduce((a, b) => a + b, 0);
    // Four weights with three decimals are each off by at most half a thousandth.
    expect(Math.abs(sum - 1)).toBeLessThanOrEqual(4 * 0.0005 + 1e-9);
    expect(first[4 * row + 3]).toBe(0);
  }
  expect(first.slice(0, 16)).not.toEqual(first.slice(16, 32));
  await figure.getByRole('button', { name: 'Draw again' }).click();
  expect(await weights()).not.toEqual(first);
});

test('the cursor in a head reads sequence, head, query, key and weight, and there is only one cursor', async () => {
  const { page, figure } = await alone();
  await figure.getByLabel('all ones').check();
  const maps = figure.getByRole('application');
  await maps.nth(6).focus();
  await page.keyboard.press('ArrowDown');
  expect((await figure.locator('.readout').innerText()).replace(/\s+/g, ' ')).toBe(
    'Sequence 2, head 2: query 2 gives key 1 the weight 0.500',
  );
  await maps.nth(0).focus();
  await page.keyboard.press('End');
  expect(await figure.locator('.readout').innerText()).toContain('Sequence 1, head 1: query 1 gives key 4');
  expect(await figure.locator('rect.cursor').count()).toBe(1);
});

test('a valid length per query is set by keyboard, and its row is uniform over the keys that it sees', async () => {
  const { page, figure } = await alone();
  await figure.getByLabel('all ones').check();
  await figure.getByLabel('one per sequence').focus();
  await page.keyboard.press('ArrowDown');
  const fields = figure.getByRole('spinbutton');
  expect(await fields.count()).toBe(8);
  await figure.getByLabel('Sequence 1, query 1: valid length').focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await figure.getByLabel('Sequence 1, query 4: valid length').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('0');
  const { cells } = await picture(figure.locator('heat-map canvas.cells').first(), 4, 4);
  const row = (length: number): string[] => [0, 1, 2, 3].map((key) => blues(key < length ? 1 / length : 0, 0, 1));
  expect(cells).toEqual([3, 2, 3, 0].flatMap(row));
});

test('an invalid number changes nothing and is replaced', async () => {
  const { figure } = await alone();
  await figure.getByLabel('one per query').check();
  const field = figure.getByLabel('Sequence 2, query 3: valid length');
  for (const bad of ['7', '-1', '1.5', '']) {
    await field.fill(bad);
    expect(await field.evaluate((input) => input.matches(':invalid'))).toBe(true);
    await field.blur();
    expect(await field.inputValue()).toBe('2');
  }
});

test.each([320, 390, 1280])(
  'with lengths per query nothing overflows at %i px, and axe finds no violations',
  async (width) => {
    const { page, figure } = await alone({ viewport: { width, height: 800 } });
    await figure.getByLabel('one per query').check();
    expect(await widthOf(page)).toBe(width);
    expect(await smallestTarget(figure)).toBeGreaterThanOrEqual(24);
    expect(await violationsOf(page, 'attention-heads')).toEqual([]);
  },
);
