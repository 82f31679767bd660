import { loadAllFigures } from './load-figures.js';

/** How long printing waits for the figures or their pictures, in milliseconds. */
const PRINT_TIMEOUT = 5000;
/** The width of the text on paper, in CSS pixels: 40rem, as in style/page.css. */
const COLUMN = 640;

/**
 * Prepares the page for paper: answers are open, and each figure is replaced by its picture, which shows its initial
 * settings, the story also without order, and fits the paper (style/print.css). If readers print by keyboard, the pictures are fetched first; a single
 * file has none, so its figures are loaded. A figure without a loaded picture is printed as it is.
 */
export function preparePrinting(): void {
  const undo: (() => void)[] = [];
  addEventListener('beforeprint', () => {
    for (const answer of document.querySelectorAll<HTMLDetailsElement>('main details:not([open])')) {
      answer.open = true;
      undo.push(() => (answer.open = false));
    }
    for (const figure of document.querySelectorAll('main figure')) {
      const picture = figure.querySelector<HTMLImageElement>('.still > img');
      if (!picture?.naturalWidth) undo.push(fitToPaper(figure));
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
    void Promise.race([ready, new Promise((resolve) => setTimeout(resolve, PRINT_TIMEOUT))]).then(() => print());
  });
}

/** Shrinks a figure, which is laid out for the window, to the width of the paper. Returns a function that undoes it. */
function fitToPaper(figure: Element): () => void {
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

/** Resolves when the picture for paper is loaded. */
function fetched(picture: HTMLImageElement): Promise<void> {
  // The other sources are for browsers without scripts.
  while (picture.previousElementSibling) picture.previousElementSibling.remove();
  picture.loading = 'eager';
  return picture.decode();
}
