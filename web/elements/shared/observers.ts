type Report = (entries: readonly Pick<IntersectionObserverEntry, 'target' | 'isIntersecting'>[]) => void;

const nothing = (): undefined => undefined;

/** An observer for a DOM without layout, as jsdom's, where no size changes. */
class Still {
  constructor(protected readonly report: Report) {}
  observe: (target: Element) => void = nothing;
  readonly unobserve = nothing;
  readonly disconnect = nothing;
}

/** The same, where everything is in view. */
class InView extends Still {
  override observe = (target: Element): void => this.report([{ target, isIntersecting: true }]);
}

export const SizeObserver = globalThis.ResizeObserver ?? Still;
export const ViewObserver = globalThis.IntersectionObserver ?? InView;
