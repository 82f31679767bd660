import { figures, NearLoader } from '../elements/registry.js';
import { isVisible } from './visible.js';

/** Functions that load an element, by tag. */
const modules: typeof figures = { ...figures, 'code-cell': () => import('./cells/code-cell.js') };

/** How far outside the window a figure or code cell is loaded: half a screen. */
const AHEAD = '50% 0px';

/**
 * Loads the module of each figure and code cell when it comes near the window; until then a cell is only a listing.
 * Resolves when the figures that were near at first are drawn.
 */
export function loadFigures(): Promise<void> {
  return new Promise((resolve) => {
    // The first report covers all figures; later calls of `resolve` do nothing.
    const loader = new NearLoader(modules, AHEAD, (near, loads) => {
      void Promise.all(loads)
        .then(() => Promise.all(near.filter(isFigure).map(drawn)))
        .then(() => resolve());
    });
    for (const element of elementsOf(modules)) loader.watch(element);
    // Tab would skip a figure that is not loaded, however close it is. A slider is excluded: its figure has other
    // controls before and after it, and its keys must not wait for loading.
    document.querySelector('main')?.addEventListener('focusin', (event) => {
      const [target] = event.composedPath() as Element[];
      if (target?.matches(':focus-visible:not([type=range])') !== true) return;
      for (const figure of around(event.target as Node)) void loader.load(figure);
    });
  });
}

/** The figures and cells before and after a place in the text. */
function around(place: Node): Element[] {
  const seen = elementsOf(modules).filter(isVisible);
  const lies = (side: number) => (figure: Element) => (place.compareDocumentPosition(figure) & side) !== 0;
  const before = seen.findLast(lies(Node.DOCUMENT_POSITION_PRECEDING));
  const after = seen.find(lies(Node.DOCUMENT_POSITION_FOLLOWING));
  return [before, after].filter((figure) => figure !== undefined);
}

/** Loads all figures; resolves when they are drawn. */
export async function loadAllFigures(): Promise<void> {
  const all = elementsOf(figures);
  await Promise.allSettled(all.map((figure) => Promise.resolve(figures[figure.localName]?.())));
  await Promise.all(all.map(drawn));
}

function isFigure(element: Element): boolean {
  return element.localName in figures;
}

/** Resolves when a figure is drawn. */
function drawn(figure: Element): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!figure.hasAttribute('drawn')) return;
      observer.disconnect();
      resolve();
    };
    const observer = new MutationObserver(look);
    observer.observe(figure, { attributeFilter: ['drawn'] });
    look();
  });
}

function elementsOf(tags: typeof modules): Element[] {
  return [...document.querySelectorAll(Object.keys(tags).join())];
}
