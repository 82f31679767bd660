import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { useBrowser } from '../browser.js';

const { open } = useBrowser();

test('what an answer names stands out in its figure', async () => {
  const page = await open({ figures: ['positional-heatmap', 'attention-formula', 'binary-positions', 'depth-collapse'] }); // prettier-ignore
  const answered = async (id: string): Promise<Locator> => {
    const figure = page.locator(`#${id}`);
    await figure.evaluate((element) => {
      const answer = element.closest('details');
      if (answer) answer.open = true;
      element.scrollIntoView({ behavior: 'instant' });
    });
    await figure.locator('> [drawn]').waitFor();
    await figure.locator('.check button[data-right]').press('Enter');
    return figure.locator('> [drawn]');
  };
  const heatmap = await answered('fig-heatmap');
  // Row 10 of 120, with its number, between two lines that leave it in sight.
  expect(await heatmap.locator('.row-ticks text').allTextContents()).toContain('10');
  const edges = await heatmap.locator('line.marked').evaluateAll((lines) => {
    const { top, height } = lines[0]!.closest('.plot')!.getBoundingClientRect();
    return lines.map((line) => ((line.getBoundingClientRect().top - top) / height) * 120);
  });
  expect(edges.length).toBe(2);
  expect(edges[0]).toBeLessThan(10);
  expect(edges[0]).toBeGreaterThan(9);
  expect(edges[1]).toBeGreaterThan(11);
  expect(edges[1]).toBeLessThan(12);

  const formula = await answered('fig-formula');
  expect(await formula.locator('button.lit').evaluateAll((all) => all.map((each) => each.dataset.symbol))).toEqual(['y', 'y']); // prettier-ignore
  for (const [matrix, frames] of [
    ['X', 0],
    ['A', 1],
    ['Y', 1],
  ] as const) {
    // prettier-ignore
    expect(await formula.locator(`heat-map[data-matrix=${matrix}] .marked`).count()).toBe(frames);
  }

  const binary = await answered('fig-binary');
  expect(await binary.locator('rect.cursor').count()).toBe(3);

  const collapse = await answered('fig-collapse');
  await collapse.getByText('faint: tokens').waitFor();
  expect(await collapse.locator('path.before').count()).toBe(4);
  await collapse.getByRole('radio', { name: 'tokens' }).check();
  expect(await collapse.locator('path.before').count()).toBe(0);
});
