/** A reader's place all over the page: in every language, at every width, on a slow machine as well. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { useBrowser } from '../browser.js';
import { drawn, goTo } from '../place.js';

const { open } = useBrowser();
/** How many places are tried, evenly spread over the page. */
const PLACES = 8;

/** Where the elements with an id stand that are not further than two windows away. */
const marks = (page: Page): Promise<Record<string, number>> =>
  page.evaluate(() => {
    const tops = [...document.querySelectorAll('main [id]')]
      .filter((element) => element.checkVisibility())
      .map((element) => [element.id, element.getBoundingClientRect().top] as const);
    return Object.fromEntries(tops.filter(([, top]) => Math.abs(top) < 2 * innerHeight));
  });

/** The elements that have moved by more than a pixel. */
function moved(before: Record<string, number>, after: Record<string, number>): unknown[] {
  return Object.entries(before).filter(([id, top]) => !(Math.abs((after[id] ?? NaN) - top) <= 1));
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
