import { figures, parts } from './generated/figures.js';
import { ViewObserver } from './shared/observers.js';

export { figures, parts };

/**
 * Loads the modules of elements when they come near the window.
 *
 * @param modules functions that load a module, by tag
 * @param margin how far outside the window an element is loaded, as an `IntersectionObserver`'s `rootMargin`
 */
export class NearLoader {
  readonly #modules: typeof figures;
  readonly #observer: IntersectionObserver;

  /** @param found receives the elements that come near at the same time, and the promise of their loading */
  constructor(
    modules: typeof figures,
    margin: string,
    found?: (near: readonly Element[], loads: readonly Promise<void>[]) => void,
  ) {
    this.#modules = modules;
    this.#observer = new ViewObserver(
      (entries) => {
        const near = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target);
        for (const element of near) this.#observer.unobserve(element);
        const loads = near.map((element) => this.load(element));
        found?.(near, loads);
      },
      { rootMargin: margin },
    );
  }

  /** Observes the element if its tag has a module, and returns whether it does. */
  watch(element: Element): boolean {
    const known = element.localName in this.#modules;
    if (known) this.#observer.observe(element);
    return known;
  }

  /** Loads the element's module now. */
  async load(element: Element): Promise<void> {
    try {
      await this.#modules[element.localName]?.();
    } catch {
      // Probably the network is gone: retry for readers who are still there when it is back.
      addEventListener('online', () => this.#observer.observe(element), { once: true });
    }
  }
}
