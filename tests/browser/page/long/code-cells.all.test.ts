import { describe, expect, test } from '@jest/globals';
import { cellsOf, FILES, readProse } from '../../../support/proseFiles.js';
import { runCell, type Shown, type ShownTensor } from '../../../support/runCell.js';
import { violationsOf, widthOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { outputs, over, run, verdictOf, withCells } from '../../cells.js';

const { open } = useBrowser();
const PATHS = { prose: '/en/', further: '/en/further/' };

/** Outputs of the same code in Node, as the page should show them. */
function expected({ call, value, options }: Shown): unknown {
  if (call === 'lines') return { curves: options?.columns };
  if (Array.isArray(value)) return { text: `[${value.join(', ')}]` };
  if (typeof value !== 'object') return { text: `${value as number}` };
  const { data, shape } = value as ShownTensor;
  return { shape, values: data };
}

describe('the cells of the page', () => {
  test.each(FILES)('in %s.md all show the same as in Node', async (file) => {
    const { cells } = await withCells(open, { path: PATHS[file] });
    const all = cellsOf(readProse('en', file));
    expect(await cells.count()).toBe(all.length);
    for (const [index, { javascript }] of all.entries()) {
      const cell = cells.nth(index);
      const printed = await runCell(javascript);
      expect(await verdictOf(cell)).toBe(`Done. Outputs: ${printed.length}.`);
      expect(await outputs(cell)).toEqual(printed.map(expected));
    }
  });

  test.each([
    [390, 'light'],
    [1280, 'light'],
    [390, 'dark'],
    [1280, 'dark'],
  ] as const)('are accessible and no wider than the page at %d px, %s', async (width, colorScheme) => {
    const path = PATHS.further;
    const { page, cells } = await withCells(open, { path, viewport: { width, height: 800 }, colorScheme });
    // Numbers, and a map.
    for (const index of [0, 2]) {
      await run(cells.nth(index));
      await over(cells.nth(index));
    }
    await cells.first().getByRole('button', { name: 'Edit' }).click();
    await cells.first().locator('.cm-content').waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    for (const button of await cells.first().getByRole('button').all()) {
      const box = await button.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(24);
    }
    expect(await violationsOf(page, 'code-cell')).toEqual([]);
  });
});
