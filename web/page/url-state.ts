import type { FigureElement } from '../elements/kit.js';

/** The least time between changes of the URL, which browsers throttle, in milliseconds. */
const PAUSE = 250;

/**
 * Keeps the figures' settings in the page's URL, so that the address bar, a bookmark and the language menu lead to the
 * page as it is. The rest of the URL stays. Returns a function that writes pending changes.
 */
export function keepStateInAddress(): () => void {
  const changed = new Set<FigureElement>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    clearTimeout(timer);
    timer = undefined;
    let address = location.href;
    for (const figure of changed) address = figure.addSettingsTo(address);
    try {
      if (address !== location.href) history.replaceState(history.state, '', address);
      changed.clear();
    } catch {
      // The browser has throttled it; the figures continue, and the next change tries again with these.
    }
  };
  addEventListener('figure-change', (event) => {
    changed.add(event.target as FigureElement);
    timer ??= setTimeout(write, PAUSE);
  });
  return write;
}
