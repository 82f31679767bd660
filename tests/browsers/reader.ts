/** What readers do, in functions that run in the page: `browser.run(drawAll, TAGS)`. */
import { figures } from '../../web/elements/registry.js';

/** All figures' tags, as a selector. */
export const TAGS = Object.keys(figures).join();

/** Opens all answers, and scrolls to one figure after another until it is drawn. */
export async function drawAll(tags: string): Promise<void> {
  for (const answer of document.querySelectorAll('details')) answer.open = true;
  // Until the reader scrolls, the page keeps its place.
  dispatchEvent(new Event('wheel'));
  for (const figure of document.querySelectorAll(tags)) {
    const end = performance.now() + 30_000;
    while (!figure.hasAttribute('drawn')) {
      if (performance.now() > end) throw new Error(`${figure.localName} is not drawn`);
      figure.scrollIntoView({ behavior: 'instant', block: 'center' });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
