/** How far below and above the window a cell gets its buttons: as far as figures are loaded. */
const AHEAD = '150% 0px';

/** Loads the code cells' element once the first of them comes near the window; until then a cell is its listing. */
export function loadCells(): void {
  const cells = document.querySelectorAll('code-cell');
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      import('./code-cell.js').catch(() => {
        // Most likely the network is gone: once it is back, readers get their buttons.
        addEventListener('online', loadCells, { once: true });
      });
    },
    { rootMargin: AHEAD },
  );
  for (const cell of cells) observer.observe(cell);
}
