/** How many parts of the text are laid out in one task: some milliseconds on a slow phone. */
const PART = 6;

/**
 * Lays out the text below the first screen, which the style sheet leaves out at first (see style/page.css), in several tasks instead of
 * one, and at once, because a text that grows while its reader scrolls would move. A reader who comes back gets all of it in one task,
 * and goes to where they were: the browser may have tried that while the text was too short.
 */
export function layOutTheRest(): void {
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
  layOut();
  const { top } = (history.state ?? {}) as { top?: unknown };
  if (visit?.type !== 'navigate' && typeof top === 'number') scrollTo({ top, behavior: 'instant' });
  addEventListener('pagehide', () => {
    history.replaceState({ ...(history.state as object | null), top: scrollY }, '');
  });
}
