/** Axes and colours have names, so that readers need not guess. */
import { expect, test } from '@jest/globals';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();

test.each([
  ['depth-collapse', ['difference between the tokens', 'layers'], ['token', 'token']],
  ['relative-tables', ['added to the score', 'offset j − i'], ['query i', 'key j']],
  ['relative-biases', ['added to the score', 'offset j − i'], ['query i', 'key j']],
  ['position-training', ['accuracy', 'steps'], ['query', 'key']],
])('%s names the axes of its curves and of its maps', async (tag, curves, maps) => {
  const { figure } = await openAlone(open, tag);
  const texts = await figure.locator('svg text').allTextContents();
  for (const name of curves) expect(texts).toContain(name);
  const axes = figure.locator('.axes').last();
  expect(await axes.locator('.axis').allTextContents()).toEqual(maps);
  const rotated = await axes.locator('.row-axis').evaluate((axis) => getComputedStyle(axis).textOrientation);
  expect(rotated).toBe('sideways');
});

test.each([
  ['positional-curves', ['pij', 'position']],
  ['length-extrapolation', ['accuracy', 'tokens in a sequence']],
  ['rotary-pairs', ['sum of the products', 'offset j − i']],
  ['complexity-race', ['multiplications', 'time at 10¹⁰ operations/s', 'Tokens n']],
])('%s names the axes of its curves', async (tag, names) => {
  const { figure } = await openAlone(open, tag);
  const texts = await figure.locator('svg text').allTextContents();
  for (const name of names) expect(texts).toContain(name);
});

test('encoding-similarity names its divisor, and explains the diagonal of odd widths', async () => {
  const { figure } = await openAlone(open, 'encoding-similarity');
  expect(await figure.locator('.profile svg text').allTextContents()).toContain('pi · pj ∕ (d∕2)');
  expect(await figure.getByText('d is odd').count()).toBe(0);
  await figure.evaluate((element) => {
    (element as HTMLElement & { change(settings: unknown): void }).change({ width: 5, length: 60, base: 10 });
  });
  const said = await figure.getByText('d is odd').innerText();
  // The sine of position i times base^(−4/5) has no cosine: 4/5 + 2/5·sin².
  const own = Array.from({ length: 60 }, (_, i) => 4 / 5 + (2 / 5) * Math.sin(i * 10 ** (-4 / 5)) ** 2);
  expect(said).toContain(`shows ${Math.min(...own).toFixed(3)} – ${Math.max(...own).toFixed(3)} instead of 1`);
  const high = await figure.locator('heat-map').evaluate((map) => (map as HTMLElement & { high: number }).high);
  expect(high).toBeCloseTo(1.2, 12);
});
