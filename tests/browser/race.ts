/** Helpers for the figure complexity-race. */
import type { Locator, Page } from 'playwright-core';
import { openAlone } from './alone.js';
import type { PageOptions } from './browser.js';

/** Opens the figure in its own page, with these attributes. */
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

/** The height of a count on the vertical axis, from the labels of its powers of ten. */
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

/** A race that ends at once, with much shorter times for attention. CNNs of more than 2³⁴ steps are skipped. */
export const FAST = `
  globalThis.Worker = class extends EventTarget {
    postMessage({ points }) {
      const send = (data) => this.dispatchEvent(new MessageEvent('message', { data }));
      setTimeout(() => {
        for (const point of points) {
          if (point.contestant === 'cnn' && point.multiplyAdds > 2 ** 34) {
            send({ type: 'omitted', point });
            continue;
          }
          const rate = point.contestant === 'attention' ? 1e12 : 1e6;
          send({ type: 'measured', point, timing: { milliseconds: point.multiplyAdds / rate, runs: 3 } });
        }
        send({ type: 'done' });
      });
    }
    terminate() {}
  };`;
