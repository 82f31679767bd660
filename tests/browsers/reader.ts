/** Functions that run in the page, where they see nothing but their arguments. */
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

/** Whether the page has loaded and laid out its text, and the figures and cells in and around the window are drawn. */
export function figuresAreDrawn(tags: string): boolean {
  const isNear = (element: Element): boolean => {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > -innerHeight / 2 && top < 1.5 * innerHeight && element.checkVisibility();
  };
  const isDrawn = (element: Element): boolean =>
    element.localName === 'code-cell' ? element.shadowRoot !== null : element.hasAttribute('drawn');
  return (
    document.readyState === 'complete' &&
    document.documentElement.matches('.whole') &&
    [...document.querySelectorAll(`${tags}, code-cell`)].every((element) => !isNear(element) || isDrawn(element))
  );
}
