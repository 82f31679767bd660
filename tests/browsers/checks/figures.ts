import { expect, test } from '@jest/globals';
import { drawAll, TAGS } from '../reader.js';
import type { Visit } from '../visit.js';

export function checkFigures(visit: Visit): void {
  test.each([
    ['/en/', 1280],
    ['/en/', 390],
    ['/en/further/', 1280],
    ['/en/further/', 390],
  ])('draws every figure of %s in a window of %d px', async (path, width) => {
    await visit.open(path, { width });
    await visit.browser.run(drawAll, TAGS);
    expect(await visit.browser.run(undrawn, TAGS)).toEqual([]);
  });
}

/** Figures with a sentence instead of their picture; the language model has a button until it is loaded. */
function undrawn(tags: string): string[] {
  const isDrawn = ({ shadowRoot }: Element): boolean => {
    const stage = shadowRoot?.querySelector('.stage');
    const pictures = [...(stage?.querySelectorAll('svg, canvas, heat-map, table, .ask button') ?? [])];
    return pictures.some((picture) => picture.getBoundingClientRect().height > 0);
  };
  return [...document.querySelectorAll(tags)].filter((figure) => !isDrawn(figure)).map(({ localName }) => localName);
}
