import type { FigureElement } from '../elements/kit.js';
import { changeEntry } from './history-entry.js';

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
    const figures = [...changed];
    changed.clear();
    if (figures.length === 0) return;
    changeEntry((address) => {
      for (const figure of figures) address.href = figure.addSettingsTo(address.href);
    });
  };
  addEventListener('figure-change', (event) => {
    changed.add(event.target as FigureElement);
    timer ??= setTimeout(write, PAUSE);
  });
  return write;
}
