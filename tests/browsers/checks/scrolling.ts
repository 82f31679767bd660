import { expect, test } from '@jest/globals';
import { figuresAreDrawn, TAGS } from '../reader.js';
import type { Visit } from '../visit.js';

/** Pixels. */
const STEP = 400;
/** How far text may move while figures are drawn: about what scrolling rounds. */
const CLOSE = 6;

export function checkScrolling(visit: Visit): void {
  test('scrolling up, the text in sight stays where it is while figures and cells are loaded', async () => {
    await visit.open('/en/#references');
    await visit.browser.until(figuresAreDrawn, TAGS);
    // Until the reader presses a key or scrolls, the page keeps its place.
    await visit.browser.press('Shift');
    const jumps: string[] = [];
    for (let { left } = await visit.browser.run(scrollUp, 0); left > 0;) {
      const seen = await visit.browser.run(scrollUp, STEP);
      await visit.browser.until(figuresAreDrawn, TAGS);
      const jump = (await visit.browser.run(topOf, seen.index)) - seen.top;
      if (Math.abs(jump) > CLOSE) jumps.push(`${jump.toFixed(0)} px at ${seen.text}`);
      ({ left } = seen);
    }
    expect(jumps).toEqual([]);
  });
}

/** Scrolls up, and returns where the first part of the text in sight is then. */
function scrollUp(by: number) {
  scrollBy({ top: -by, behavior: 'instant' });
  const tops = Array.from(document.querySelectorAll('main > *'), (part) => part.getBoundingClientRect().top);
  const index = tops.findIndex((top) => top > 60);
  const text = document.querySelectorAll('main > *')[index]!.textContent.trim().slice(0, 40);
  return { left: scrollY, index, top: tops[index]!, text };
}

/** Where that part is in the next frame. */
async function topOf(index: number): Promise<number> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  return document.querySelectorAll('main > *')[index]!.getBoundingClientRect().top;
}
