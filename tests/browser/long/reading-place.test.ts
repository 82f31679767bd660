/** A reader's place all over the page: in every language, at every width, on a slow machine as well. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { useBrowser } from '../browser.js';
import { drawn, goTo } from '../place.js';

const { open } = useBrowser();
/** How many places are tried, evenly spread over the page. */
const PLACES = 8;

/** Where the top edges of the paragraphs, headings and figures are that can be seen, by their number on the page. */
const marks = (page: Page): Promise<Record<string, number>> =>
  page.evaluate(() => {
    const tops = [...document.querySelectorAll('main p, main [id]')]
      .map((element, number) => [number, element, element.getBoundingClientRect().top] as const)
      .filter(([, element, top]) => top >= 0 && top < innerHeight && element.checkVisibility());
    return Object.fromEntries(tops.map(([number, , top]) => [number, top]));
  });

/** The elements that have moved by more than a pixel, with both places. */
function moved(before: Record<string, number>, after: Record<string, number>): unknown[] {
  return Object.entries(before)
    .map(([number, top]) => [number, top, after[number] ?? NaN] as const)
    .filter(([, top, now]) => !(Math.abs(now - top) <= 1));
}

test.each([
  [390, 1],
  [1280, 1],
  [390, 4],
])('at %i px, slowed down %i times, a reader comes back to the same place', async (width, rate) => {
  const page = await open({ viewport: { width, height: 800 }, figures: [] });
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
  for (let place = 0; place < PLACES; ++place) {
    const share = (place + 0.5) / PLACES;
    await page.evaluate(
      (part) => scrollTo({ top: part * document.documentElement.scrollHeight, behavior: 'instant' }),
      share,
    );
    await drawn(page);
    const before = await marks(page);
    for (const language of ['tr', 'ko', 'pt', 'id', 'en']) {
      await goTo(page, language);
      await drawn(page);
    }
    expect({ share, moved: moved(before, await marks(page)) }).toEqual({ share, moved: [] });
    for (const other of [width === 390 ? 1280 : 390, 800, width]) {
      await page.setViewportSize({ width: other, height: 800 });
      await drawn(page);
    }
    expect({ share, moved: moved(before, await marks(page)) }).toEqual({ share, moved: [] });
  }
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
});
