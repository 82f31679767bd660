import { loadAllFigures } from './load-figures.js';

/** How long printing waits for the figures or their pictures, in milliseconds. */
const PATIENCE = 5000;
/** The width of the text on paper, in CSS pixels: 40rem, as in style/page.css. */
const COLUMN = 640;

/**
 * Makes the page fit for paper: answers are open, and each figure is replaced by its picture, which shows its first
 * settings and fits the paper (style/print.css). Where the reader prints by the keyboard, the pictures are fetched
 * first; a single file has none, so its figures are loaded. A figure whose picture is not there is printed as it
 * stands.
 */
export function printWell(): void {
  const undo: (() => void)[] = [];
  addEventListener('beforeprint', () => {
    for (const answer of document.querySelectorAll<HTMLDetailsElement>('main details:not([open])')) {
      answer.open = true;
      undo.push(() => (answer.open = false));
    }
    for (const figure of document.querySelectorAll('main figure')) {
      const picture = figure.querySelector<HTMLImageElement>('.still > img');
      if (!picture?.naturalWidth) undo.push(printAsItStands(figure));
    }
  });
  addEventListener('afterprint', () => {
    for (const step of undo.splice(0)) step();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== 'p' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    const pictures = [...document.querySelectorAll<HTMLImageElement>('.still > img')];
    const ready = pictures.length > 0 ? Promise.allSettled(pictures.map(fetched)) : loadAllFigures();
    void Promise.race([ready, new Promise((resolve) => setTimeout(resolve, PATIENCE))]).then(() => print());
  });
}

/**
 * Shrinks a figure to the width of the paper, because it is laid out for that of the window. Returns what undoes it.
 */
function printAsItStands(figure: Element): () => void {
  figure.classList.add('unpictured');
  const element = figure.querySelector<HTMLElement>(':scope > [drawn]');
  const width = element?.offsetWidth ?? 0;
  if (width > COLUMN) {
    element?.style.setProperty('width', `${width}px`);
    element?.style.setProperty('zoom', String(COLUMN / width));
  }
  return () => {
    figure.classList.remove('unpictured');
    element?.style.removeProperty('width');
    element?.style.removeProperty('zoom');
  };
}

/** Resolves once the picture for paper is there. */
function fetched(picture: HTMLImageElement): Promise<void> {
  // The other sources are for browsers without scripts.
  while (picture.previousElementSibling) picture.previousElementSibling.remove();
  picture.loading = 'eager';
  return picture.decode();
}
