import { clear, isSolved, reveal } from '../checks.js';
import { changeEntry } from '../history-entry.js';
import { isVisible } from '../visible.js';
import { fit } from './fit.js';
import { fillOverview } from './overview.js';
import { PARAMETER } from './parameter.js';

/** Fields in which readers type or choose. */
const FIELDS = 'input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]';
/**
 * Where arrow keys are free; sliders, radio buttons, plots and scrollers need them. A click on blank space focuses the
 * page's `main`.
 */
const IDLE = 'body, main, a, button, summary, [type=checkbox]';

/** Where the space bar is free in any case. The answer gets the focus when it is shown. */
const BLANK = 'body, main, a, [role=status]';

/** The keys that go on and back, even from a control that the reader used by a pointer. */
const STEPS = [' ', 'PageDown', 'PageUp'];

/**
 * Shows one figure after the other alone: first its question, then the figure, as large as possible, with its caption,
 * then the answer to the caption's question or to the figure's goals. The space bar, Page Down (the key of a
 * presenter’s remote) and a button go on from one to the next, as a tap does while only the question is shown; Page Up
 * and a button go back to the figure before. A control keeps the keys that it uses only if the reader came to it by
 * keys. Where they are free, arrow keys do the same, and Home and End lead to the first and the last figure. A button
 * shows all figures; Escape leaves. Figures stay in place in the document and keep their settings.
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
  const button = (name: string): HTMLButtonElement => bar.querySelector(`.${name}`)!;
  const [previous, all, next] = [button('previous'), button('all'), button('next')];
  const slides = bar.querySelector('dialog')!;
  let at = firstOf(figures);
  let undo = (): void => undefined;
  /** Only while the figure is shown. */
  let unfit: (() => void) | undefined;
  /** Not `:focus-visible`, which any key makes true. */
  let isByKeys = true;

  /** Shows or hides the answers to a figure's goals. Whether it shows any that it did not. */
  const answer = (figure: HTMLElement, detail: boolean): boolean => {
    const event = new CustomEvent('goals-answers', { detail, cancelable: true });
    return figure.querySelector('[drawn]')?.dispatchEvent(event) === false;
  };
  const check = (): HTMLElement | null => figures[at]?.querySelector<HTMLElement>('figcaption .check') ?? null;
  const show = (index: number): void => {
    const figure = figures[index];
    if (figure === undefined) return;
    undo();
    at = index;
    question.textContent = figure.querySelector('figcaption strong')?.textContent ?? '';
    all.textContent = `${index + 1} / ${figures.length}`;
    // Not disabled: it would lose the focus.
    previous.ariaDisabled = String(index === 0);
    figure.classList.add('taught');
    figure.inert = true;
    bar.classList.add('asking');
    const rest = isolate(figure, bar);
    // What is inert now loses the focus.
    if (!bar.contains(document.activeElement)) next.focus();
    const asked = check();
    if (asked) clear(asked);
    undo = () => {
      unfit?.();
      unfit = undefined;
      for (const each of [figure, ...rest]) each.inert = false;
      figure.classList.remove('taught');
      answer(figure, false);
    };
    mark(figure.id);
  };
  const uncover = (figure: HTMLElement): void => {
    bar.classList.remove('asking');
    bar.querySelector('p')?.remove();
    figure.inert = false;
    unfit = fit(figure, bar);
    figure.scrollTop = 0;
  };
  const goOn = (): void => {
    const [figure, asked] = [figures[at], check()];
    if (unfit === undefined && figure) uncover(figure);
    else if (asked && !isSolved(asked)) reveal(asked);
    else if (!figure || !answer(figure, true)) show(at + 1);
  };
  const goBack = (): void => show(at - 1);
  const stop = (): void => {
    undo();
    bar.remove();
    page.classList.remove('teaching');
    removeEventListener('hashchange', onHash);
    document.removeEventListener('keydown', onKey);
    document.removeEventListener('keydown', onFirstKey, true);
    document.removeEventListener('pointerdown', onPointer, true);
    document.removeEventListener('fullscreenchange', onFullScreen);
    if (document.fullscreenElement !== null) void document.exitFullscreen();
    mark(undefined);
    const figure = figures[at];
    if (figure !== undefined) takeTo(figure);
    opener.focus({ preventScroll: true });
  };
  const showAll = (): void => {
    fillOverview(slides, figures, at, (index) => {
      slides.close();
      show(index);
      next.focus();
    });
    slides.showModal();
  };
  const onKey = (event: KeyboardEvent): void => {
    const [target] = event.composedPath();
    if (slides.open || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
    // A figure in full screen by its own button keeps its keys.
    if ((document.fullscreenElement ?? page) !== page) return;
    if (event.key === 'Escape') {
      // Escape first closes what is open in the figure. Outside :is(), a browser without popovers would throw.
      if (figures[at]?.querySelector(':scope > [drawn]')?.shadowRoot?.querySelector(':is(:popover-open)') == null)
        stop();
      return;
    }
    if (!(target instanceof Element) || target.matches(FIELDS)) return;
    const ends = { Home: () => show(0), End: () => show(figures.length - 1) };
    const act = {
      ...(!(isByKeys && target.matches('[type=range]')) && { PageDown: goOn, PageUp: goBack }),
      ...(target.matches(IDLE) && { ArrowRight: goOn, ArrowLeft: goBack, ...ends }),
      ...((target.matches(BLANK) || (!isByKeys && !bar.contains(target))) && { ' ': goOn }),
    }[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  const onPointer = (): void => void (isByKeys = false);
  // Before a control or a map uses the key.
  const onFirstKey = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') isByKeys = true;
    else if (!isByKeys && STEPS.includes(event.key)) onKey(event);
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
  previous.addEventListener('click', goBack);
  // A click leaves the focus where it is, so that the space bar still goes on.
  previous.addEventListener('mousedown', (event) => event.preventDefault());
  next.addEventListener('click', goOn);
  bar.addEventListener('click', ({ target }) => {
    if (bar.classList.contains('asking') && (target as Element).closest('button, dialog') === null) goOn();
  });
  all.addEventListener('click', showAll);
  button('leave').addEventListener('click', stop);
  addEventListener('hashchange', onHash);
  document.addEventListener('keydown', onKey);
  document.addEventListener('keydown', onFirstKey, true);
  document.addEventListener('pointerdown', onPointer, true);
  document.addEventListener('fullscreenchange', onFullScreen);
  document.body.append(bar);
  page.classList.add('teaching');
  show(at);
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
