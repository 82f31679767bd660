import { loadAllFigures } from './load-figures.js';

/** How long printing waits for figures that nobody has come near, in milliseconds. */
const PATIENCE = 5000;

let freezeHeatMaps: (() => (() => void)[]) | undefined;

/**
 * Makes the page fit for paper: answers are open, heat maps are drawings instead of bitmaps, and figures that nobody has come
 * near are loaded first where the reader prints by the keyboard. From a browser's own menu there is no time for that.
 */
export function printWell(): void {
  const undo: (() => void)[] = [];
  addEventListener('beforeprint', () => undo.push(...openAnswers(), ...(freezeHeatMaps?.() ?? [])));
  addEventListener('afterprint', () => {
    for (const step of undo.splice(0).reverse()) step();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== 'p' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    const ready = Promise.all([loadFreezing(), loadAllFigures()]);
    void Promise.race([ready, new Promise((resolve) => setTimeout(resolve, PATIENCE))]).then(() => print());
  });
  // Small, and no use once the browser has asked for the page to print.
  addEventListener('load', () => setTimeout(() => void loadFreezing(), 2000));
}

async function loadFreezing(): Promise<void> {
  try {
    ({ freezeHeatMaps } = await import('../elements/print.js'));
  } catch {
    // Without a network the bitmaps print as they are.
  }
}

function openAnswers(): (() => void)[] {
  const closed = [...document.querySelectorAll<HTMLDetailsElement>('main details:not([open])')];
  for (const answer of closed) answer.open = true;
  return closed.map((answer) => () => (answer.open = false));
}
