import { figures, NearLoader } from '../elements/registry.js';

/** What loads an element of the text, by its tag. */
const modules: typeof figures = { ...figures, 'code-cell': () => import('./cells/code-cell.js') };

/** How far below and above the window a figure or code cell is loaded: half a screen. */
const AHEAD = '50% 0px';

/**
 * Loads the module of every figure and code cell of the page once its place comes near the window; until then a cell is
 * its listing. Resolves when the figures that are near it at first are drawn.
 */
export function loadFigures(): Promise<void> {
  return new Promise((resolve) => {
    // The first report is of all figures; later calls of `resolve` do nothing.
    const loader = new NearLoader(modules, AHEAD, (near, loads) => {
      void Promise.all(loads)
        .then(() => Promise.all(near.filter(isFigure).map(drawn)))
        .then(() => resolve());
    });
    for (const element of elementsOf(modules)) loader.watch(element);
    // Tab would lead past a figure that is not there yet, however near it is by keys. A slider's figure has other
    // controls before and after it, and the keys that move it must not wait for what is loaded.
    document.querySelector('main')?.addEventListener('focusin', (event) => {
      const [target] = event.composedPath() as Element[];
      if (target?.matches(':focus-visible:not([type=range])') !== true) return;
      for (const figure of around(event.target as Node)) void loader.load(figure);
    });
  });
}

/** The figures and cells before and after a place in the text. */
function around(place: Node): Element[] {
  const seen = elementsOf(modules).filter((element) => element.checkVisibility());
  const lies = (side: number) => (figure: Element) => (place.compareDocumentPosition(figure) & side) !== 0;
  const before = seen.findLast(lies(Node.DOCUMENT_POSITION_PRECEDING));
  const after = seen.find(lies(Node.DOCUMENT_POSITION_FOLLOWING));
  return [before, after].filter((figure) => figure !== undefined);
}

/** Loads all figures at once, wherever they stand; resolves when they are drawn. */
export async function loadAllFigures(): Promise<void> {
  const all = elementsOf(figures);
  await Promise.allSettled(all.map((figure) => Promise.resolve(figures[figure.localName]?.())));
  await Promise.all(all.map(drawn));
}

function isFigure(element: Element): boolean {
  return element.localName in figures;
}

/** Resolves once a figure shows what it has to show. */
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
