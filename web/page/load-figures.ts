import { registry } from '../elements/registry.js';

/** What loads an element of the text, by its tag. */
const loaders: typeof registry = { ...registry, 'code-cell': () => import('./cells/code-cell.js') };

/** How far below and above the window a figure or code cell is loaded: half a screen. */
const AHEAD = '50% 0px';

/**
 * Loads the module of every figure and code cell of the page once its place comes near the window; until then a cell is
 * its listing. Resolves when the figures that are near it at first are drawn.
 */
export function loadFigures(): Promise<void> {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver(
      (entries) => {
        const near = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target);
        for (const figure of near) observer.unobserve(figure);
        // The first report is of all figures; later calls of `resolve` do nothing.
        void Promise.all(near.map((figure) => load(figure, observer))).then(() => resolve());
      },
      { rootMargin: AHEAD },
    );
    for (const element of elementsOf(loaders)) observer.observe(element);
    // Tab would lead past a figure that is not there yet, however near it is by keys. A slider's figure has other
    // controls before and after it, and the keys that move it must not wait for what is loaded.
    document.querySelector('main')?.addEventListener('focusin', (event) => {
      const [target] = event.composedPath() as Element[];
      if (target?.matches(':focus-visible:not([type=range])') !== true) return;
      for (const figure of around(event.target as Node)) void load(figure, observer);
    });
  });
}

/** The figures and cells before and after a place in the text. */
function around(place: Node): Element[] {
  const seen = elementsOf(loaders).filter((element) => element.checkVisibility());
  const lies = (side: number) => (figure: Element) => (place.compareDocumentPosition(figure) & side) !== 0;
  const before = seen.findLast(lies(Node.DOCUMENT_POSITION_PRECEDING));
  const after = seen.find(lies(Node.DOCUMENT_POSITION_FOLLOWING));
  return [before, after].filter((figure) => figure !== undefined);
}

/** Loads all figures at once, wherever they stand; resolves when they are drawn. */
export async function loadAllFigures(): Promise<void> {
  const all = elementsOf(registry);
  await Promise.allSettled(all.map((figure) => Promise.resolve(registry[figure.localName]?.())));
  await Promise.all(all.map(drawn));
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

function elementsOf(tags: typeof loaders): Element[] {
  return [...document.querySelectorAll(Object.keys(tags).join())];
}

async function load(figure: Element, observer: IntersectionObserver): Promise<void> {
  try {
    await loaders[figure.localName]?.();
    if (figure.localName in registry) await drawn(figure);
  } catch {
    // Most likely the network is gone: once it is back, whoever still looks at the figure gets it.
    addEventListener('online', () => observer.observe(figure), { once: true });
  }
}
