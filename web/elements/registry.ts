import { figures, parts } from './generated/figures.js';

export { figures, parts };

/**
 * Loads the modules of elements when they come near the window.
 *
 * @param modules How each is loaded, by its tag.
 * @param margin How far beyond the window is near, as an `IntersectionObserver` takes it.
 */
export class NearLoader {
  readonly #modules: typeof figures;
  readonly #observer: IntersectionObserver;

  /** @param found is told of the elements that come near at the same time, and of their loading */
  constructor(
    modules: typeof figures,
    margin: string,
    found?: (near: readonly Element[], loads: readonly Promise<void>[]) => void,
  ) {
    this.#modules = modules;
    this.#observer = new IntersectionObserver(
      (entries) => {
        const near = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target);
        for (const element of near) this.#observer.unobserve(element);
        const loads = near.map((element) => this.load(element));
        found?.(near, loads);
      },
      { rootMargin: margin },
    );
  }

  /** Waits until the element comes near, if it is one of them. Returns whether it is. */
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
      // Most likely the network is gone: once it is back, whoever still looks at the figure gets it.
      addEventListener('online', () => this.#observer.observe(element), { once: true });
    }
  }
}
