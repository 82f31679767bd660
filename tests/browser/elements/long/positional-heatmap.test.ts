import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { FigureElement } from '../../../../web/elements/kit.js';
import { sinusoidalEncoding } from '../../../reference/sinusoidalEncoding.js';
import { attention } from '../../../support/library.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { choose, numberOf } from '../../shown.js';
import { picture, signed } from '../../canvas.js';

const { open } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]) => openAlone(open, 'positional-heatmap', options);

/** Opens the page with the figure and another one of the same P. */
async function inGroup(): Promise<{ page: Page; figure: Locator }> {
  const figures = ['positional-heatmap', 'encoding-similarity'];
  const page = await open({ path: `/en/${figures.join('+')}`, figures });
  return { page, figure: page.locator('positional-heatmap') };
}

const canvas = (figure: Locator): Locator => figure.locator('canvas.cells');
const plot = (figure: Locator): Locator => figure.locator('heat-map').getByRole('application');

function expectedColours(length: number, dim: number, base: number, dark = false): string[] {
  const { data } = attention.sinusoidalEncoding({ length, dim, base });
  return Array.from(data, (value) => signed(value, 1, dark));
}

test('every cell of the 60 by 32 map has the colour of its value', async () => {
  const { figure } = await alone();
  expect((await picture(canvas(figure), 60, 32)).cells).toEqual(expectedColours(60, 32, 10000));
});

test('in a dark scheme zero is as dark as the page, and colours follow a scheme change at once', async () => {
  const { page, figure } = await alone({ colorScheme: 'dark' });
  expect((await picture(canvas(figure), 60, 32)).cells).toEqual(expectedColours(60, 32, 10000, true));
  await page.emulateMedia({ colorScheme: 'light' });
  expect((await picture(canvas(figure), 60, 32)).cells).toEqual(expectedColours(60, 32, 10000));
});

test.each([1, 1.5, 2, 3])(
  'at device pixel ratio %d the canvas is as large as in device pixels, without blending',
  async (ratio) => {
    const { figure } = await alone({ deviceScaleFactor: ratio });
    const cells = await picture(canvas(figure), 60, 32);
    // Layout snaps boxes to device pixels, at most one off the exact product.
    expect(Math.abs(cells.width - cells.boxWidth)).toBeLessThanOrEqual(1);
    expect(Math.abs(cells.height - cells.boxHeight)).toBeLessThanOrEqual(1);
    const wanted = expectedColours(60, 32, 10000);
    expect(new Set(cells.line)).toEqual(new Set(wanted.slice(0, 32)));
  },
);

test('the canvas is repainted when the layout changes', async () => {
  const { page, figure } = await alone({ viewport: { width: 1280, height: 900 } });
  const before = await picture(canvas(figure), 60, 32);
  await page.setViewportSize({ width: 390, height: 900 });
  await page.waitForFunction((width) => {
    const inner = document.querySelector('positional-heatmap')?.shadowRoot?.querySelector('heat-map')?.shadowRoot;
    return inner?.querySelector<HTMLCanvasElement>('canvas.cells')?.width !== width;
  }, before.width);
  const after = await picture(canvas(figure), 60, 32);
  expect(Math.abs(after.width - after.boxWidth)).toBeLessThanOrEqual(1);
  expect(after.cells).toEqual(expectedColours(60, 32, 10000));
});

test('the sliders for length, width and base also change other figures', async () => {
  const { page, figure } = await inGroup();
  await figure.getByLabel('Length n').fill('17');
  await figure.getByLabel('Width d').fill('12');
  await figure.getByLabel('Base', { exact: true }).fill('2');
  expect((await picture(canvas(figure), 17, 12)).cells).toEqual(expectedColours(17, 12, 100));
  expect(await figure.locator('output').allTextContents()).toEqual(['6–9', '17', '12', '100']);
  const other = page.locator('positional-heatmap + encoding-similarity');
  expect(await other.locator('output').allTextContents()).toEqual(['17', '12', '100']);
});

test('an answer that changes another figure changes nothing in the map except its columns', async () => {
  const { page, figure } = await inGroup();
  const other = page.locator('positional-heatmap + encoding-similarity');
  await other.evaluate((element) => (element as FigureElement).show({ base: 100, columns: [0, 8] }));
  const settings = (of: Locator): Promise<unknown[]> =>
    of.evaluate((element) => {
      const { base, columns } = element as FigureElement & { base: number; columns: readonly number[] };
      return [base, columns];
    });
  expect(await settings(other)).toEqual([100, [0, 8]]);
  expect(await settings(figure)).toEqual([10000, [0, 8]]);
  expect(await figure.locator('.marks line').count()).toBe(2);
  // The same holds for a figure that is added later.
  const joined = await page.evaluate(() => {
    const map = document.createElement('positional-heatmap');
    map.setAttribute('group', document.querySelector('positional-heatmap')!.getAttribute('group')!);
    document.body.append(map);
    const { base } = map as unknown as { base: number };
    map.remove();
    return base;
  });
  expect(joined).toBe(10000);
  // From the reader's next change on, they share all settings again.
  await figure.getByLabel('Length n').fill('50');
  expect(await settings(other)).toEqual([10000, [0, 8]]);
});

test('reset removes a marked row, and a link keeps it, also if other figures have none', async () => {
  const { figure } = await inGroup();
  await figure.evaluate((element) => (element as FigureElement).show({ length: 120, marked: [10] }));
  const address = (): Promise<string> =>
    figure.evaluate((element) => (element as FigureElement).addSettingsTo('https://example.org/'));
  expect(new URL(await address()).searchParams.get('P')).toContain('marked=10');
  expect(await figure.locator('path.pointer').count()).toBe(2);
  await figure.getByRole('button', { name: 'Reset' }).click();
  expect(await figure.locator('path.pointer').count()).toBe(0);
  expect(await address()).toBe('https://example.org/');
});

test('the keyboard cursor reads and announces the library’s value', async () => {
  const { page, figure } = await alone();
  await plot(figure).focus();
  for (const key of ['PageDown', 'ArrowDown', 'ArrowUp', 'ArrowDown', 'End', 'ArrowLeft', 'ArrowUp'])
    await page.keyboard.press(key);
  const { data } = sinusoidalEncoding({ length: 60, dim: 32 });
  const value = (data[10 * 32 + 30] ?? NaN).toFixed(3);
  expect((await figure.locator('heat-map .readout').innerText()).replace(/\s+/g, ' ')).toBe(
    `position 10, column 30: ${value}`,
  );
  const spoken = figure.locator('heat-map .spoken');
  expect(await spoken.textContent()).toMatch(/^position 10: least column \d+: −\d/);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  expect(await spoken.textContent()).toBe(`column 30: ${value}`);
  await page.keyboard.press('Control+End');
  expect(await figure.locator('heat-map .readout').innerText()).toContain('position 59, column 31');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  expect(await figure.locator('heat-map .readout').innerText()).toContain('position 59, column 31');
  await page.keyboard.press('Control+Home');
  expect(await figure.locator('heat-map .readout').innerText()).toMatch(/position 0, column 0: 0$/);
});

test('a pointer reads the cell under it without announcing it', async () => {
  const { figure } = await alone();
  const box = await canvas(figure).boundingBox();
  await plot(figure).hover({
    position: { x: ((box?.width ?? 0) * 7.5) / 32, y: ((box?.height ?? 0) * 20.5) / 60 },
  });
  const { data } = sinusoidalEncoding({ length: 60, dim: 32 });
  const value = (data[20 * 32 + 7] ?? NaN).toFixed(3).replace('-', '−');
  expect(await figure.locator('heat-map .readout strong').innerText()).toBe(value);
  expect(await figure.locator('heat-map .spoken').textContent()).toBe('');
});

test('selecting a cell draws its column as a curve, and selecting it again removes it', async () => {
  const { page, figure } = await inGroup();
  const drawn = (): Promise<(string | null)[]> =>
    page
      .locator('positional-heatmap path.series')
      .evaluateAll((paths) => paths.map((path) => path.getAttribute('data-column')));
  await plot(figure).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  expect(await drawn()).toEqual(['1', '6', '7', '8', '9']);
  await page.keyboard.press('Enter');
  expect(await drawn()).toEqual(['6', '7', '8', '9']);
});

test('the table has every value', async () => {
  const { figure } = await alone();
  await choose(figure, 'Values as a table');
  await figure.locator('td').first().waitFor();
  const { data } = sinusoidalEncoding({ length: 60, dim: 32 });
  const cells = await figure.locator('td').allTextContents();
  expect(cells).toHaveLength(data.length);
  for (const [at, value] of data.entries()) {
    // Three decimals, or two digits of smaller values.
    const written = Math.abs(value) < 1e-3 ? value.toPrecision(2) : value.toFixed(3);
    expect(numberOf(cells[at] ?? '')).toBe(Number(written));
  }
  expect(await figure.getByRole('columnheader').count()).toBe(33);
});
