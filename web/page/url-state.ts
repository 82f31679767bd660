import type { FigureElement } from '../elements/kit.js';

/** Browsers stop pages that change the address much more often than this, in milliseconds. */
const PAUSE = 250;

/**
 * Keeps what the reader has set in the page's address, so that the address bar, a bookmark and the language menu lead
 * to the page as it is. Everything else in the address stays. Returns a function that writes what is pending.
 */
export function keepStateInAddress(): () => void {
  const changed = new Set<FigureElement>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    let address = location.href;
    for (const figure of changed) address = figure.addSettingsTo(address);
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
