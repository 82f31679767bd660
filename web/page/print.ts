/** How long printing waits for the figures' pictures, in milliseconds. */
const PATIENCE = 5000;

/**
 * Makes the page fit for paper: answers are open, and figures are their pictures, which fit the paper (style/print.css). Chromium fetches
 * these before it prints; where the reader prints by the keyboard, the page does so. A figure whose picture is not there prints as it is.
 */
export function printWell(): void {
  const undo: (() => void)[] = [];
  addEventListener('beforeprint', () => {
    for (const answer of document.querySelectorAll<HTMLDetailsElement>('main details:not([open])')) {
      answer.open = true;
      undo.push(() => (answer.open = false));
    }
    for (const picture of pictures()) {
      const figure = picture.closest('figure');
      if (picture.naturalWidth > 0 || figure === null) continue;
      figure.classList.add('unpictured');
      undo.push(() => figure.classList.remove('unpictured'));
    }
  });
  addEventListener('afterprint', () => {
    for (const step of undo.splice(0)) step();
  });
  addEventListener('keydown', (event) => {
    if (event.key !== 'p' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    const ready = Promise.allSettled(pictures().map(fetched));
    void Promise.race([ready, new Promise((resolve) => setTimeout(resolve, PATIENCE))]).then(() => print());
  });
}

function pictures(): HTMLImageElement[] {
  return [...document.querySelectorAll<HTMLImageElement>('.still > img')];
}

/** Resolves once the picture for paper is there. */
function fetched(picture: HTMLImageElement): Promise<void> {
  // The other sources are for browsers without scripts.
  while (picture.previousElementSibling) picture.previousElementSibling.remove();
  picture.loading = 'eager';
  return picture.decode();
}
