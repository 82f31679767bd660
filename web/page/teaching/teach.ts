import { fit } from './fit.js';
import { PARAMETER } from './parameter.js';

/** Fields in which readers type or whose values keys change. */
const FIELDS = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]';
/**
 * Where arrow keys do nothing else; sliders, radio buttons, plots and scrollers need theirs. A click on blank space
 * gives the focus to the page's `main`.
 */
const IDLE = 'body, main, a, button, summary, [type=checkbox]';

/**
 * Shows one figure after the other alone: its question, the figure as large as the window lets it be, and what its
 * caption says. Page Down and n go on, Page Up and p go back, as do arrow keys where nothing else uses them; Escape
 * leaves. Figures stay where they are in the document, with all that was set.
 *
 * @param opener has the focus afterwards
 * @param takeTo takes the reader to the last figure afterwards: the window's scrollbar returns, and the layout changes
 */
export function teach(opener: HTMLElement, takeTo: (figure: Element) => void): void {
  const page = document.documentElement;
  const figures = [...document.querySelectorAll<HTMLElement>('main figure')];
  const { content } = document.querySelector<HTMLTemplateElement>('#teaching-bar')!;
  const bar = content.firstElementChild!.cloneNode(true) as HTMLElement;
  const question = bar.querySelector('h1')!;
  const place = bar.querySelector('span')!;
  const previous = bar.querySelector<HTMLButtonElement>('.previous')!;
  const next = bar.querySelector<HTMLButtonElement>('.next')!;
  const opened: HTMLDetailsElement[] = [];
  let at = firstOf(figures);
  let undo = (): void => undefined;

  const show = (index: number): void => {
    const figure = figures[index];
    if (figure === undefined) return;
    undo();
    at = index;
    const answer = figure.closest('details');
    if (answer?.open === false) {
      opened.push(answer);
      answer.open = true;
    }
    question.textContent = figure.querySelector('figcaption strong')?.textContent ?? '';
    place.textContent = `${index + 1} / ${figures.length}`;
    previous.disabled = index === 0;
    next.disabled = index === figures.length - 1;
    figure.classList.add('taught');
    const rest = silence(figure, bar);
    const unfit = fit(figure, bar);
    undo = () => {
      unfit();
      for (const each of rest) each.inert = false;
      figure.classList.remove('taught');
    };
    figure.scrollTop = 0;
    mark(figure.id);
  };
  const stop = (): void => {
    undo();
    for (const answer of opened) answer.open = answer === figures[at]?.closest('details');
    bar.remove();
    page.classList.remove('teaching');
    removeEventListener('hashchange', onHash);
    document.removeEventListener('keydown', onKey);
    document.removeEventListener('fullscreenchange', onFullScreen);
    if (document.fullscreenElement !== null) void document.exitFullscreen();
    mark(undefined);
    const figure = figures[at];
    if (figure !== undefined) takeTo(figure);
    opener.focus({ preventScroll: true });
  };
  const onKey = (event: KeyboardEvent): void => {
    const [target] = event.composedPath();
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    // A figure that its own button shows on the full screen keeps its keys.
    if ((document.fullscreenElement ?? page) !== page) return;
    if (event.key === 'Escape') {
      // It closes what is open in the figure first.
      if (figures[at]?.querySelector(':scope > [drawn]')?.shadowRoot?.querySelector(':popover-open') == null) stop();
      return;
    }
    if (!(target instanceof Element) || target.matches(FIELDS)) return;
    const arrows = target.matches(IDLE) && { ArrowRight: 1, ArrowLeft: -1 };
    const step = { PageDown: 1, n: 1, PageUp: -1, p: -1, ...arrows }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    show(at + step);
  };
  // A link in a caption leads to another figure.
  const onHash = (): void => {
    const to = figures.findIndex(({ id }) => id === location.hash.slice(1));
    if (to >= 0 && to !== at) show(to);
  };
  const filled = document.fullscreenElement !== null;
  const onFullScreen = (): void => {
    if (filled && document.fullscreenElement === null) stop();
  };

  previous.addEventListener('click', () => show(at - 1));
  next.addEventListener('click', () => show(at + 1));
  bar.querySelector('.leave')!.addEventListener('click', stop);
  addEventListener('hashchange', onHash);
  document.addEventListener('keydown', onKey);
  document.addEventListener('fullscreenchange', onFullScreen);
  document.body.append(bar);
  page.classList.add('teaching');
  show(at);
  next.focus();
}

/** The figure of the address, else the one that the reader sees or comes to next. */
function firstOf(figures: readonly HTMLElement[]): number {
  const named = new URLSearchParams(location.search).has(PARAMETER)
    ? figures.findIndex(({ id }) => id === location.hash.slice(1))
    : -1;
  const seen = figures.findIndex((figure) => figure.checkVisibility() && figure.getBoundingClientRect().bottom > 0);
  return Math.max(0, named < 0 ? seen : named);
}

/** Makes all but the figure and the bar deaf, so that keys stay with them. Returns what has become so. */
function silence(figure: HTMLElement, bar: HTMLElement): HTMLElement[] {
  const deaf = [...document.querySelectorAll<HTMLElement>('body *')].filter(
    (element) =>
      element.parentElement!.contains(figure) &&
      !element.contains(figure) &&
      !figure.contains(element) &&
      element !== bar &&
      !element.inert,
  );
  for (const each of deaf) each.inert = true;
  return deaf;
}

/** Writes into the address which figure is shown alone; nothing if none is. */
function mark(id: string | undefined): void {
  const address = new URL(location.href);
  if (id === undefined) address.searchParams.delete(PARAMETER);
  else {
    address.searchParams.set(PARAMETER, '');
    address.hash = id;
  }
  history.replaceState(history.state, '', address);
}
