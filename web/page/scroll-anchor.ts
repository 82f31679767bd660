/** What browsers do that know `overflow-anchor`; Safari does not. */
export interface ScrollAnchor {
  /** Whether the browser does it. */
  readonly isNative: boolean;
  /** Undoes how far the text in sight has moved without being scrolled, since the last call. */
  readonly keep: () => void;
  /** The text may be elsewhere from now on. */
  readonly forget: () => void;
}

/** Keeps the first part of the text in sight in place when something above it grows or shrinks, as figures do. */
export function scrollAnchor(): ScrollAnchor {
  if (CSS.supports('overflow-anchor', 'auto'))
    return { isNative: true, keep: () => undefined, forget: () => undefined };
  const parts = [...document.querySelectorAll('main > *')];
  /** The part, and its distance from the top of the page. */
  let anchor: { readonly part: Element; readonly top: number } | undefined;
  const topOf = (part: Element): number => part.getBoundingClientRect().top + scrollY;
  return {
    isNative: false,
    keep: () => {
      const moved = anchor === undefined ? 0 : topOf(anchor.part) - anchor.top;
      if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: 'instant' });
      // The first part that begins in sight: one that begins above may be a figure that is being drawn.
      const seen = parts.filter((each) => each.getBoundingClientRect().bottom > 0);
      const first = seen.find((each) => each.getBoundingClientRect().top >= 0);
      const part = first !== undefined && first.getBoundingClientRect().top < innerHeight ? first : seen[0];
      anchor = part && { part, top: topOf(part) };
    },
    forget: () => (anchor = undefined),
  };
}
