import { expect, test } from '@jest/globals';
import { LANGUAGES } from '../../../web/elements/languages.js';
import { figuresAreDrawn, TAGS } from '../reader.js';
import type { Visit } from '../visit.js';

export function checkFragments(visit: Visit): void {
  test.each(['references', 'positional-encoding', 'fig-masks'])('opens the page at #%s', async (id) => {
    for (const language of LANGUAGES) {
      await visit.open(`/${language}/#${id}`);
      await visit.browser.until(figuresAreDrawn, TAGS);
      // Later chunks may move the text above.
      await visit.browser.run(twoFrames);
      expect([language, await visit.browser.run(distanceFrom, id)]).toEqual([language, 0]);
    }
  });
}

const twoFrames = (): Promise<void> =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));

/** How far an element is from where the page scrolls it to, or from where the page's end lets it be; a pixel is 0. */
function distanceFrom(id: string): number {
  const element = document.getElementById(id)!;
  const pixels = (length: string): number => parseFloat(length) || 0;
  const margin = pixels(getComputedStyle(element).scrollMarginTop);
  const wanted = pixels(getComputedStyle(document.documentElement).scrollPaddingTop) + margin;
  const { scrollHeight, clientHeight } = document.documentElement;
  const further = Math.max(0, scrollHeight - clientHeight - scrollY);
  const distance = Math.min(element.getBoundingClientRect().top - wanted, further);
  return Math.abs(distance) <= 1 ? 0 : distance;
}
