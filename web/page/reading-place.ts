import { changeEntry } from './history-entry.js';
import { scrollAnchor } from './scroll-anchor.js';
import { PARAMETER as TEACH } from './teaching/parameter.js';
import { isVisible } from './visible.js';

/** The URL parameter for the position in the window of the fragment's element. */
const PARAMETER = 'place';
/** Where people look, as a fraction of the window's height. */
const LINE = 0.4;
/** How long after a scroll the reader's place is computed, in milliseconds. */
const PAUSE = 100;
/** How long after it has loaded Safari may scroll the page by itself, in milliseconds. */
const OPENING = 5000;

/** A place of the text that exists in all languages. */
export interface Place {
  /** A section, formula, figure or reference; empty at the top of the page. */
  readonly id: string;
  /**
   * The position of its top edge in the window, `120px`; or how far the reader has read towards the next one, `31.5%`.
   */
  readonly at: string;
}

export interface Reader {
  /** The reader's place. */
  readonly place: () => Place;
  /** Scrolls to an element by id, and keeps it in place while the layout changes, until the reader scrolls. */
  readonly takeTo: (element: Element) => void;
}

/** The place of a reader who has not scrolled. */
const HEAD: Place = { id: '', at: '' };

/**
 * Scrolls to the place in the page's URL, if there is one, or to the last place of a reader who comes back, and keeps
 * the reader's place from then on.
 *
 * Figures are drawn after the page has opened, and again when the window's width changes. With the reader's fonts their
 * heights differ slightly from those reserved. So after each change of layout the page scrolls back to the place, until
 * the reader scrolls or touches anything; then scroll anchoring takes over.
 *
 * The place of a reader who has not moved is kept, not computed again: in another language or at another width another
 * formula could be nearer to the line, and the text would move with every change.
 */
export function keepPlace(): Reader {
  const { style } = document.documentElement;
  let place = firstPlace();
  /**
   * The scroll position after the last return to the place, and the remaining distance, if the page ended too early.
   */
  let stoodAt = scrollY;
  let distance = 0;
  /** The page's height then. */
  let height = 0;
  let held = false;
  let loadedAt = place === HEAD ? -Infinity : Infinity;
  const anchor = scrollAnchor();

  const settle = (): void => {
    stoodAt = scrollY;
    distance = distanceTo(place);
    height = document.body.offsetHeight;
  };
  const become = (next: Place): void => {
    place = next;
    changeEntry((_address, kept) => (kept.place = next));
  };
  const hold = (): void => {
    held = true;
    // Scrolling by the browser would look like scrolling by the reader.
    style.overflowAnchor = 'none';
    scrollBy({ top: distanceTo(place), behavior: 'instant' });
    anchor.forget();
    settle();
  };
  const release = (): void => {
    held = false;
    style.overflowAnchor = '';
  };
  const look = (): Place => {
    // Scroll positions are whole pixels; `distance` is the remainder.
    if (!held && Math.abs(distanceTo(place) - distance) > 0.25) {
      become(readingPlace());
      settle();
    }
    return place;
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const lookSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  };

  if (place !== HEAD) {
    // The browser would restore the old scroll position, but the heights have changed.
    history.scrollRestoration = 'manual';
    hold();
    const loaded = (): void => {
      // Browsers scroll to the fragment again when everything has loaded.
      if (held) hold();
      loadedAt = performance.now();
      setTimeout(() => (history.scrollRestoration = 'auto'), 1000);
    };
    addEventListener('load', loaded, { once: true });
  }
  for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown']) {
    addEventListener(type, release, { capture: true, passive: true });
  }
  addEventListener('scroll', () => {
    if (held && document.readyState === 'complete' && Math.abs(scrollY - stoodAt) > 1) {
      // If the layout has changed, the browser has scrolled, not the reader. Safari also scrolls a little after the page has
      // loaded and a figure has been drawn.
      const isNear = Math.abs(scrollY - stoodAt) < innerHeight / 4;
      const isOpening = !anchor.isNative && isNear && performance.now() < loadedAt + OPENING;
      if (document.body.offsetHeight === height && !isOpening) release();
      else hold();
    }
    if (!held) anchor.keep();
    lookSoon();
  });
  let width = document.body.clientWidth;
  new ResizeObserver(() => {
    if (held || document.body.clientWidth !== width) hold();
    else {
      anchor.keep();
      lookSoon();
    }
    width = document.body.clientWidth;
  }).observe(document.body);
  const takeTo = (element: Element): void => {
    element.scrollIntoView({ block: 'start', behavior: 'instant' });
    become({ id: element.id, at: `${element.getBoundingClientRect().top.toFixed(1)}px` });
    hold();
  };
  return { place: look, takeTo };
}

/** Puts a place into a link's URL. */
export function setPlace(link: HTMLAnchorElement, { id, at }: Place): void {
  const search = new URLSearchParams(location.search);
  if (at !== '') search.set(PARAMETER, at);
  link.search = search.toString();
  link.hash = id;
}

/**
 * The place in the page's URL, from which it is removed; or in the history entry, if the reader comes back; or that of
 * the URL's fragment.
 */
function firstPlace(): Place {
  const { searchParams, hash } = new URL(location.href);
  const at = searchParams.get(PARAMETER);
  const id = hash.slice(1);
  if (at === null) {
    const { place } = (history.state ?? {}) as { place?: Place };
    if (place !== undefined) return place.at === '' ? HEAD : place;
    // A figure that is shown alone is not in the text.
    return searchParams.has(TEACH) ? HEAD : placeOf(id);
  }
  const known = /^-?\d{1,6}(\.\d{1,2})?(px|%)$/.test(at) && (id === '' || document.getElementById(id) !== null);
  const given = known ? { id, at } : HEAD;
  changeEntry((address, kept) => {
    address.searchParams.delete(PARAMETER);
    kept.place = given;
  });
  return given;
}

/** Where browsers scroll an element to. */
function placeOf(id: string): Place {
  const element = id === '' ? null : document.querySelector(`main #${CSS.escape(id)}`);
  if (element === null) return HEAD;
  const pixels = (length: string): number => parseFloat(length) || 0;
  const { scrollPaddingTop } = getComputedStyle(document.documentElement);
  const top = pixels(scrollPaddingTop) + pixels(getComputedStyle(element).scrollMarginTop);
  return { id, at: `${top.toFixed(1)}px` };
}

/**
 * The reader's place: the position of the figure being looked at, or of a heading or formula in sight; in a stretch of
 * text without any, the share of it that has been read.
 */
function readingPlace(): Place {
  if (scrollY === 0) return HEAD;
  const line = innerHeight * LINE;
  const marks = marksOfPage();
  const figure = marks.findLast(
    ({ element, top, bottom }) => element.matches('figure') && top <= line && bottom > line,
  );
  const [nearest] = marks
    .filter(({ top }) => top >= 0 && top < innerHeight)
    .sort((a, b) => Math.abs(a.top - line) - Math.abs(b.top - line));
  const fixed = figure ?? nearest;
  if (fixed !== undefined) return { id: fixed.element.id, at: `${fixed.top.toFixed(1)}px` };
  const passed = marks.findLast(({ top }) => top <= line);
  if (passed === undefined) return HEAD;
  const share = ((line - passed.top) / passed.stretch) * 100;
  return { id: passed.element.id, at: `${share.toFixed(2)}%` };
}

/** How far the page has to scroll down to reach the place. */
function distanceTo(place: Place): number {
  // Most readers begin there, and measuring the marks would lay out the whole text.
  if (place === HEAD) return -scrollY;
  const { id, at } = place;
  const mark = marksOfPage().find(({ element }) => element.id === id);
  if (mark === undefined) return 0;
  const number = parseFloat(at || '0');
  const line = innerHeight * LINE;
  if (at.endsWith('%')) return mark.top + (mark.stretch * number) / 100 - line;
  if (number >= 0) return mark.top - number;
  // The figure being looked at may have another height here.
  return Math.min(mark.top - number, mark.bottom - line);
}

interface Mark {
  readonly element: Element;
  readonly top: number;
  readonly bottom: number;
  /** From its top edge to the next one's, or to the end of the page. */
  readonly stretch: number;
}

/** The page itself and the visible elements with an id, except the parts of captions, in document order. */
function marksOfPage(): Mark[] {
  const page = document.documentElement;
  // Elements in closed answers have boxes, too.
  const seen = [...document.querySelectorAll('main [id]:not(figcaption *)')].filter(isVisible);
  const end = page.getBoundingClientRect().bottom;
  const boxes = [page, ...seen].map((element) => ({ element, box: element.getBoundingClientRect() }));
  return boxes.map(({ element, box: { top, bottom } }, index) => {
    const next = boxes[index + 1]?.box.top ?? end;
    return { element, top, bottom, stretch: Math.max(1, next - top) };
  });
}
