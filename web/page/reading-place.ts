/** The parameter of an address that says where in the window the element of its fragment stood. */
const PARAMETER = 'place';
/** Where people look, as a part of the window's height. */
const LINE = 0.4;
/** How long after a scroll the reader's place is looked up, in milliseconds. */
const PAUSE = 100;

/** A place of the text that pages in other languages have too. */
export interface Place {
  /** A section, formula, figure or reference; empty at the head of the page. */
  readonly id: string;
  /** Its top edge in the window, `120px`; or how far the reader is from it on the way to the next, `31.5%`. */
  readonly at: string;
}

/** What knows where the reader is. */
export interface Reader {
  /** Where the reader is. */
  readonly place: () => Place;
  /**
   * Takes the reader to an element with an id, and keeps it there while the layout changes, until the reader scrolls
   * on.
   */
  readonly takeTo: (element: Element) => void;
}

/** The place of a reader who has not scrolled. */
const HEAD: Place = { id: '', at: '' };

/**
 * Goes to the place in the page's address, if there is one, or to where a reader was who comes back, and keeps the
 * reader's place from then on.
 *
 * Figures draw themselves after the page has opened, and again after the window's width has changed. With the reader's
 * fonts they are not exactly as high as the room kept for them. So with each change of layout the page scrolls back to
 * the place, until the reader scrolls or touches anything; from then on the browser's own scroll anchoring takes over.
 *
 * A reader who has not moved is still at the same place. To look it up again, in another language or at another width,
 * could find another formula nearer to the line, and the text would move a little with every change.
 */
export function keepPlace(): Reader {
  const { style } = document.documentElement;
  let place = firstPlace();
  /** Where the page stood when it was last at the place, and how far it still was from it: a page may end too early. */
  let stoodAt = scrollY;
  let distance = 0;
  let held = false;

  const settle = (): void => {
    stoodAt = scrollY;
    distance = distanceTo(place);
  };
  const become = (next: Place): void => {
    place = next;
    try {
      history.replaceState({ place }, '');
    } catch {
      // Safari stops pages that write this too often; the next place is written again.
    }
  };
  const hold = (): void => {
    held = true;
    // A scroll by the browser would look like one by the reader.
    style.overflowAnchor = 'none';
    scrollBy({ top: distanceTo(place), behavior: 'instant' });
    settle();
  };
  const release = (): void => {
    held = false;
    style.overflowAnchor = '';
  };
  const look = (): Place => {
    // Scrolls are rounded to whole pixels; `distance` has what that leaves.
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
    // What a closed answer hides has no place in the window.
    const answer = document.getElementById(place.id)?.closest('details');
    if (answer) answer.open = true;
    // The browser would go to where the page was scrolled, in a text of which parts have other heights now.
    history.scrollRestoration = 'manual';
    hold();
    const loaded = (): void => {
      // Browsers go to the fragment once more when everything has loaded.
      if (held) hold();
      setTimeout(() => (history.scrollRestoration = 'auto'), 1000);
    };
    addEventListener('load', loaded, { once: true });
  }
  for (const type of ['wheel', 'touchmove', 'pointerdown', 'keydown']) {
    addEventListener(type, release, { capture: true, passive: true });
  }
  addEventListener('scroll', () => {
    if (document.readyState === 'complete' && Math.abs(scrollY - stoodAt) > 1) release();
    lookSoon();
  });
  let width = document.body.clientWidth;
  new ResizeObserver(() => {
    if (held || document.body.clientWidth !== width) hold();
    else lookSoon();
    width = document.body.clientWidth;
  }).observe(document.body);
  const takeTo = (element: Element): void => {
    element.scrollIntoView({ block: 'start', behavior: 'instant' });
    become({ id: element.id, at: `${element.getBoundingClientRect().top.toFixed(1)}px` });
    hold();
  };
  return { place: look, takeTo };
}

/** Puts a place into the address that a link leads to. */
export function leadTo(link: HTMLAnchorElement, { id, at }: Place): void {
  const search = new URLSearchParams(location.search);
  if (at !== '') search.set(PARAMETER, at);
  link.search = search.toString();
  link.hash = id;
}

/** The place in the page's address, which is taken out of it, or in its state, if the reader comes back. */
function firstPlace(): Place {
  const address = new URL(location.href);
  const at = address.searchParams.get(PARAMETER);
  const { place } = (history.state ?? {}) as { place?: Place };
  if (at === null) return place?.at ? place : HEAD;
  const id = address.hash.slice(1);
  const known = /^-?\d{1,6}(\.\d{1,2})?(px|%)$/.test(at) && (id === '' || document.getElementById(id) !== null);
  const given = known ? { id, at } : HEAD;
  address.searchParams.delete(PARAMETER);
  history.replaceState({ place: given }, '', address);
  return given;
}

/**
 * Where the reader is. A figure that is being looked at, or else a heading or formula in sight, is to stand where it
 * stands now; in a stretch of text without any, what counts is how much of the stretch has been read.
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

/** How far the page has to scroll down until it is at the place. */
function distanceTo(place: Place): number {
  // Most readers begin there, and to look at the marks the browser would have to lay out the whole text.
  if (place === HEAD) return -scrollY;
  const { id, at } = place;
  const mark = marksOfPage().find(({ element }) => element.id === id);
  if (mark === undefined) return 0;
  const number = parseFloat(at || '0');
  const line = innerHeight * LINE;
  if (at.endsWith('%')) return mark.top + (mark.stretch * number) / 100 - line;
  if (number >= 0) return mark.top - number;
  // A figure that is being looked at, and is perhaps not as high here.
  return Math.min(mark.top - number, mark.bottom - line);
}

interface Mark {
  readonly element: Element;
  readonly top: number;
  readonly bottom: number;
  /** From its top edge to that of the next one, or to the end of the page. */
  readonly stretch: number;
}

/** The page itself, and what can be seen of the elements with an id, in the order of the text. */
function marksOfPage(): Mark[] {
  const page = document.documentElement;
  // Closed answers have boxes too.
  const seen = [...document.querySelectorAll('main [id]')].filter((element) => element.checkVisibility());
  const end = page.getBoundingClientRect().bottom;
  const boxes = [page, ...seen].map((element) => ({ element, box: element.getBoundingClientRect() }));
  return boxes.map(({ element, box: { top, bottom } }, index) => {
    const next = boxes[index + 1]?.box.top ?? end;
    return { element, top, bottom, stretch: Math.max(1, next - top) };
  });
}
