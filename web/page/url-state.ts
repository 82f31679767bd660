import type { FigureElement } from '../elements/figure-element.js';
import { withSettings } from '../elements/share-link.js';

/** Browsers stop pages that change the address much more often than this, in milliseconds. */
const PAUSE = 250;

/**
 * Keeps what the reader has set in the page's address, so that the address bar, a bookmark and the language menu lead to
 * the page as it is. Everything else in the address stays. Returns a function that writes what is pending.
 */
export function keepStateInAddress(): () => void {
  const changed = new Set<FigureElement>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    let address = location.href;
    for (const figure of changed) address = withSettings(figure, address, figure.firstSettings);
    changed.clear();
    if (address === location.href) return;
    try {
      history.replaceState(history.state, '', address);
    } catch {
      // A browser that had enough of it; the figures go on, and the next change tries again.
    }
  };
  addEventListener('figure-change', (event) => {
    changed.add(event.target as FigureElement);
    timer ??= setTimeout(write, PAUSE);
  });
  return write;
}

/** Makes the links of the language menu lead to the same place and state in the other language. */
export function carryPlaceAndState(links: Iterable<HTMLAnchorElement>, write: () => void): void {
  for (const link of links) {
    const carry = (): void => {
      write();
      link.search = location.search;
      link.hash = placeInView();
    };
    // Before a click, a new tab by the middle button or the menu, and before Enter.
    for (const type of ['pointerdown', 'contextmenu', 'focus', 'click']) link.addEventListener(type, carry);
  }
}

/** The id of the section, formula or figure at which the reader is; none at the head of the page. */
export function placeInView(): string {
  const line = innerHeight * 0.4;
  const passed = [...document.querySelectorAll('main [id]')].filter((element) => {
    const { top, height } = element.getBoundingClientRect();
    return height > 0 && top <= line;
  });
  return passed.at(-1)?.id ?? '';
}
