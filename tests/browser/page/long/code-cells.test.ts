import { describe, expect, test } from '@jest/globals';
import { useBrowser } from '../../browser.js';
import { cellWith, over, run, withCells } from '../../cells.js';

const { open } = useBrowser();

const CURVES = `import { load } from 'wasm-attention';
const { sinusoidalEncoding } = await load();
show.lines(sinusoidalEncoding({ length: 60, dim: 32 }), { columns: [6, 7, 8, 9] });`;

describe('the cells of the page', () => {
  test('show the values of curves as a table, too', async () => {
    const { cell } = await cellWith(open, CURVES);
    await run(cell);
    await over(cell);
    await cell.getByText('Values as a table').click();
    const rows = cell.locator('.output tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(60);
    const seventh = await rows.nth(7).locator('td').allInnerTexts();
    // Columns 6 to 9 of 32: sines and cosines of position 7 over 10000^(6/32) and 10000^(8/32).
    const expected = [6, 6, 8, 8].map((column, i) =>
      (i % 2 === 0 ? Math.sin : Math.cos)(7 / 10000 ** (column / 32)).toFixed(3),
    );
    expect(seventh.map((text) => text.trim().replace('−', '-'))).toEqual(expected);
  });

  test('are listings in both languages without scripts', async () => {
    const page = await open({ still: true, javaScriptEnabled: false });
    for (const listing of await page.locator('main > code-cell').first().locator('pre').all()) {
      expect(await listing.isVisible()).toBe(true);
    }
  });

  test('print both listings and no buttons', async () => {
    const { page, cells } = await withCells(open);
    await page.emulateMedia({ media: 'print' });
    const cell = cells.first();
    for (const listing of await cell.locator(':scope > pre').all()) expect(await listing.isVisible()).toBe(true);
    for (const button of await cell.getByRole('button').all()) expect(await button.isVisible()).toBe(false);
  });

  test('fetch runtime and editor only on request', async () => {
    const { page, cells } = await withCells(open);
    const fetched = (): Promise<string[]> =>
      page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    const names = async (): Promise<string> => (await fetched()).join('\n');
    await page.waitForTimeout(300);
    expect(page.frames()).toHaveLength(1);
    expect(await names()).not.toMatch(/editor-|sandbox-/);
    await run(cells.first());
    await over(cells.first());
    expect(await names()).toMatch(/sandbox-/);
    expect(await names()).not.toMatch(/editor-/);
    await cells.first().getByRole('button', { name: 'Edit' }).click();
    await cells.first().locator('.cm-content').waitFor();
    expect(await names()).toMatch(/editor-/);
  });
});
