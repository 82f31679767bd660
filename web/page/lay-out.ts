/**
 * How many parts of the text are laid out in one task. Fewer make shorter tasks, but each costs a frame, which makes a
 * long page slower.
 */
const PART = 3;
/** How long the rest of the text waits for the first figure, in milliseconds, for instance without a network. */
const FIGURE_TIMEOUT = 3000;
/** How long the first figure then has the browser to itself, in milliseconds, unless the reader scrolls. */
const QUIET_TIME = 5000;

/**
 * Lays out the text below the first screen, which the style sheet skips at first (see style/page.css) except near the
 * window. It does so in several tasks, once the first figure is drawn and the reader scrolls, or some seconds later.
 * For readers who come back, and for URLs and links with a fragment, it does so in one task, because the browser
 * scrolls at once and the text must not be too short.
 *
 * @param firstFigure resolves when the first screen's figures are drawn
 */
export function layOutRest(firstFigure: Promise<void>): void {
  const page = document.documentElement;
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const parts = [...document.querySelectorAll<HTMLElement>('main > *')];
  let done = 0;
  const layOut = (size: number): void => {
    const now = parts.slice(done, done + size);
    done += size;
    for (const part of now) part.classList.add('laid-out');
    // Reading a height forces layout.
    if (now.some((part) => part.offsetHeight > 0) && done < parts.length) {
      setTimeout(layOut, 0, size);
      return;
    }
    // The last parts; or no part has a height, as in "Teach", and none needs layout.
    for (const part of parts) part.classList.add('laid-out');
    page.classList.add('whole');
  };
  const layOutAll = (): void => layOut(parts.length);
  if (visit?.type !== 'navigate' || location.hash !== '') {
    layOutAll();
  } else {
    const scrolled = new Promise<unknown>((resolve) =>
      addEventListener('scroll', resolve, { once: true, passive: true }),
    );
    void Promise.race([firstFigure, after(FIGURE_TIMEOUT)])
      .then(() => Promise.race([scrolled, after(QUIET_TIME)]))
      .then(() => layOut(PART));
    addEventListener('click', ({ target }) => {
      if (target instanceof Element && target.closest('a[href^="#"]')) layOutAll();
    });
    addEventListener('keydown', ({ key }) => {
      if (key === 'End') layOutAll();
    });
  }
}

function after(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, time));
}
