import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { useBrowser } from '../../browser.js';
import { reach } from '../../reach.js';

const { open } = useBrowser();

test('an answer highlights what it refers to in its figure', async () => {
  const page = await open({
    figures: ['positional-heatmap', 'binary-positions', 'depth-collapse'],
  });
  const answered = async (id: string): Promise<Locator> => {
    const figure = await reach(page, id);
    await figure.locator('.check button[data-right]').press('Enter');
    return figure.locator('> [drawn]');
  };
  const heatmap = await answered('fig-heatmap');
  // Row 10 of 120, with its number, between two pointers that cover neither it nor its neighbours.
  expect(await heatmap.locator('.row-ticks text').allTextContents()).toContain('10');
  const pointers = await heatmap.locator('path.pointer').evaluateAll((paths) => {
    const plot = paths[0]!.closest('.plot')!.getBoundingClientRect();
    return paths.map((path) => {
      const { left, right, top, bottom } = path.getBoundingClientRect();
      const row = (((top + bottom) / 2 - plot.top) / plot.height) * 120;
      return [right <= plot.left, left >= plot.right, row] as const;
    });
  });
  expect(pointers).toEqual([
    [true, false, expect.closeTo(10.5, 1)],
    [false, true, expect.closeTo(10.5, 1)],
  ]);

  const binary = await answered('fig-binary');
  expect(await binary.locator('rect.cursor').count()).toBe(3);

  const collapse = await answered('fig-collapse');
  await collapse.getByText('faint: tokens').waitFor();
  expect(await collapse.locator('path.before').count()).toBe(4);
  await collapse.getByRole('radio', { name: 'tokens' }).check();
  expect(await collapse.locator('path.before').count()).toBe(0);
});
