/** How many parts of the text are laid out in one task: some milliseconds on a slow phone. */
const PART = 6;
/** How long the rest of the text waits for the first figure, in milliseconds: readers scroll, and the network may be gone. */
const PATIENCE = 3000;

/**
 * Lays out the text below the first screen, which the style sheet leaves out at first (see style/page.css), in several tasks instead of
 * one, once the first figure can be used: until then the browser lays out what comes near the window. A reader who comes back gets all
 * of it in one task, and goes to where they were: the browser may have tried that while the text was too short.
 *
 * @param firstFigure resolves when the first screen's figures are drawn
 */
export function layOutTheRest(firstFigure: Promise<void>): void {
  const page = document.documentElement;
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const parts = [...document.querySelectorAll<HTMLElement>('main > *')];
  let done = visit?.type === 'navigate' ? 0 : parts.length;
  const layOut = (): void => {
    const now = parts.slice(done, done + PART);
    done += PART;
    for (const part of now) part.style.contentVisibility = 'visible';
    // Reading a height makes the browser compute it.
    if (now.some((part) => part.offsetHeight > 0) && done < parts.length) {
      setTimeout(layOut);
      return;
    }
    page.classList.add('whole');
    for (const part of parts) part.style.contentVisibility = '';
  };
  if (visit?.type === 'navigate') {
    const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE));
    void Promise.race([firstFigure, patience]).then(layOut);
  } else {
    layOut();
    goBack(parts);
  }
  addEventListener('pagehide', () => leave(parts));
}

const KEY = 'place';

/** Remembers where the reader is, for when they come back. The history's state cannot be changed any more. */
function leave(parts: readonly Element[]): void {
  // Not how far the page is scrolled: figures that have been drawn are not exactly as high as the room that is kept for them.
  const part = parts.findIndex((each) => each.getBoundingClientRect().bottom > 0);
  const place = { path: location.pathname, part, top: parts[part] && topOf(parts[part]) };
  try {
    sessionStorage.setItem(KEY, JSON.stringify(place));
  } catch {
    // A browser that keeps nothing.
  }
}

/** Goes to where the reader was. */
function goBack(parts: readonly Element[]): void {
  let place: { path?: string; part?: number; top?: number } = {};
  try {
    place = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as typeof place;
  } catch {
    // As above.
  }
  const { path, part = -1, top } = place;
  const seen = parts[part];
  if (path !== location.pathname || seen === undefined || top === undefined) return;
  // The browser would go to where the page was scrolled, in a text of which parts have other heights now.
  history.scrollRestoration = 'manual';
  addEventListener('load', () => setTimeout(() => (history.scrollRestoration = 'auto'), 1000), {
    once: true,
  });
  scrollBy({ top: topOf(seen) - top, behavior: 'instant' });
}

/** Where an element begins in the window. */
function topOf(element: Element): number {
  return element.getBoundingClientRect().top;
}
