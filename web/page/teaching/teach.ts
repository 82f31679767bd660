import { changeEntry } from '../history-entry.js';
import { isVisible } from '../visible.js';
import { fit } from './fit.js';
import { PARAMETER } from './parameter.js';

/** Fields in which readers type or whose values keys change. */
const FIELDS = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]';
/**
 * Where arrow keys are free; sliders, radio buttons, plots and scrollers need them. A click on blank space focuses the
 * page's `main`.
 */
const IDLE = 'body, main, a, button, summary, [type=checkbox]';

/**
 * Shows one figure after the other alone: its question, the figure as large as possible, and its caption. Page Down and
 * n go forward, Page Up and p back, and so do arrow keys where they are free; Escape leaves. Figures stay in place in
 * the document and keep their settings.
 *
 * @param opener gets the focus back
 * @param takeTo takes the reader to the last figure when leaving, because the window's scrollbar returns and the layout
 *   changes
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
    const rest = isolate(figure, bar);
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
    // A figure in full screen by its own button keeps its keys.
    if ((document.fullscreenElement ?? page) !== page) return;
    if (event.key === 'Escape') {
      // Escape first closes what is open in the figure. Outside :is(), a browser without popovers would throw.
      if (figures[at]?.querySelector(':scope > [drawn]')?.shadowRoot?.querySelector(':is(:popover-open)') == null)
        stop();
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

/** The URL's figure, otherwise the one in sight or the next one. */
function firstOf(figures: readonly HTMLElement[]): number {
  const named = new URLSearchParams(location.search).has(PARAMETER)
    ? figures.findIndex(({ id }) => id === location.hash.slice(1))
    : -1;
  const seen = figures.findIndex((figure) => isVisible(figure) && figure.getBoundingClientRect().bottom > 0);
  return Math.max(0, named < 0 ? seen : named);
}

/** Makes everything but the figure and the bar inert, so that the focus stays with them. Returns these elements. */
function isolate(figure: HTMLElement, bar: HTMLElement): HTMLElement[] {
  const others = [...document.querySelectorAll<HTMLElement>('body *')].filter(
    (element) =>
      element.parentElement!.contains(figure) &&
      !element.contains(figure) &&
      !figure.contains(element) &&
      element !== bar &&
      !element.inert,
  );
  for (const each of others) each.inert = true;
  return others;
}

/** Writes the figure that is shown alone into the URL, or removes it. */
function mark(id: string | undefined): void {
  changeEntry((address) => {
    if (id === undefined) address.searchParams.delete(PARAMETER);
    else {
      address.searchParams.set(PARAMETER, '');
      address.hash = id;
    }
  });
}
