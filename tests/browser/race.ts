/** The figure complexity-race, and what its plot shows. */
import type { Locator, Page } from 'playwright-core';
import { openAlone } from './alone.js';
import type { PageOptions } from './browser.js';

/** The figure in a page of its own, with these attributes. */
export async function raceWith(
  open: (options?: PageOptions) => Promise<Page>,
  attributes: Readonly<Record<string, string>> = {},
  options?: PageOptions,
): Promise<{ page: Page; race: Locator }> {
  const { page, figure: race } = await openAlone(open, 'complexity-race', options);
  await page.evaluate((given) => {
    const element = document.createElement('complexity-race');
    for (const [name, value] of Object.entries(given)) element.setAttribute(name, value);
    document.querySelector('main')?.replaceChildren(element);
  }, attributes);
  await race.locator('.counts').waitFor();
  return { page, race };
}

/** Small sizes: widths from 16 to 1024 over 16 tokens. */
export const SMALL = { axis: 'd', length: '16' };

/** The heights of the vertical axis' powers of ten, as a function of a count. */
export async function heightOf(race: Locator): Promise<(count: number) => number> {
  const grid = await race
    .locator('line.grid')
    .evaluateAll((lines) => lines.map((line) => Number(line.getAttribute('y1'))));
  const texts = await race.locator('svg text[text-anchor="end"]').allTextContents();
  const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
  const least = Number(Array.from(texts[0]?.slice(2) ?? '', (digit) => digits.indexOf(digit)).join(''));
  const [first = NaN, second = NaN] = grid;
  return (count) => first + (Math.log10(count) - least) * (second - first);
}
