/** The parameter of an address that says where in the window the element of its fragment stood. */
const PARAMETER = 'place';
/** Where people look, as a part of the window's height. */
const LINE = 0.4;

/** A place of the text that pages in other languages have too. */
export interface Place {
  /** A section, formula, figure or reference; empty at the head of the page. */
  readonly id: string;
  /** Its top edge in the window, `120px`; or how far the reader is from it on the way to the next, `31.5%`. */
  readonly at: string;
}

/**
 * Where the reader is. A figure that is being looked at, or else a heading or formula in sight, is to stand where it stands now; in
 * a stretch of text without any, what counts is how much of the stretch has been read.
 */
export function readingPlace(): Place {
  const line = innerHeight * LINE;
  const marks = marksOfPage();
  const passed = marks.findLastIndex(({ top }) => top <= line);
  const last = marks[passed];
  if (last === undefined) return { id: '', at: '' };
  const figure = marks.findLast(
    ({ element, top, bottom }) => element.matches('figure') && top <= line && bottom > line,
  );
  const nearest = marks
    .filter(({ top }) => top >= 0 && top < innerHeight)
    .sort((a, b) => Math.abs(a.top - line) - Math.abs(b.top - line))[0];
  const fixed = figure ?? nearest;
  if (fixed !== undefined) return { id: fixed.element.id, at: `${Math.round(fixed.top)}px` };
  const next = marks[passed + 1]?.top ?? document.documentElement.getBoundingClientRect().bottom;
  const share = ((line - last.top) / Math.max(1, next - last.top)) * 100;
  return { id: last.element.id, at: `${share.toFixed(1)}%` };
}

/** Puts a place into the address that a link leads to. */
export function leadTo(link: HTMLAnchorElement, { id, at }: Place): void {
  const search = new URLSearchParams(location.search);
  if (at !== '') search.set(PARAMETER, at);
  link.search = search.toString();
  link.hash = id;
}

/** Scrolls to the place in the page's address, if there is one, and takes it out of the address. */
export function goToPlace(): void {
  const address = new URL(location.href);
  const at = address.searchParams.get(PARAMETER);
  if (at === null) return;
  address.searchParams.delete(PARAMETER);
  history.replaceState(history.state, '', address);
  const place = { id: decodeURIComponent(address.hash.slice(1)), at };
  scrollToPlace(place);
  // Browsers go to the fragment once more when everything has loaded.
  if (document.readyState !== 'complete')
    addEventListener('load', () => scrollToPlace(place), { once: true });
}

function scrollToPlace({ id, at }: Place): void {
  const [, number = '', unit] = /^(-?\d{1,6}(?:\.\d)?)(px|%)$/.exec(at) ?? [];
  const element = document.getElementById(id);
  if (unit === undefined || element === null) return;
  for (
    let around = element.closest('details');
    around !== null;
    around = around.parentElement?.closest('details') ?? null
  )
    around.open = true;
  const { top } = element.getBoundingClientRect();
  const marks = marksOfPage();
  const next = marks[marks.findIndex((mark) => mark.element === element) + 1]?.top ?? top;
  const by =
    unit === 'px' ? top - Number(number) : top + ((next - top) * Number(number)) / 100 - innerHeight * LINE;
  scrollBy({ top: by, behavior: 'instant' });
}

/** What can be seen of the elements with an id, in the order of the text. */
function marksOfPage(): { element: Element; top: number; bottom: number }[] {
  return [...document.querySelectorAll('main [id]')].flatMap((element) => {
    // Closed answers have boxes too.
    if (!element.checkVisibility()) return [];
    const { top, bottom } = element.getBoundingClientRect();
    return [{ element, top, bottom }];
  });
}
