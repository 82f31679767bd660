import type { FigureElement } from '../elements/kit.js';
import { numberIn } from './number-in.js';

type Verdict = 'right' | 'wrong' | 'noNumber';

/** Evaluates readers' answers to the questions that plugins/checks.ts writes. Nothing is stored. */
export function judgeAnswers(): void {
  for (const check of document.querySelectorAll<HTMLElement>('.check')) {
    const buttons = [...check.querySelectorAll<HTMLButtonElement>('button[type=button]')];
    for (const button of buttons) {
      button.addEventListener('click', () => {
        for (const each of buttons) each.ariaPressed = String(each === button);
        if ('right' in button.dataset) say(check, 'right');
        else say(check, 'wrong', button.nextElementSibling);
      });
    }
    check.addEventListener('submit', (event) => {
      event.preventDefault();
      judgeNumber(check, check.querySelector('input')?.value ?? '');
    });
  }
}

function judgeNumber(check: HTMLElement, written: string): void {
  const given = numberIn(written);
  if (given === undefined) {
    say(check, 'noNumber');
    return;
  }
  const { number, within } = check.dataset;
  const isNear = (other: string | undefined): boolean => Math.abs(given - Number(other)) <= Number(within);
  const slips = [...check.querySelectorAll<HTMLElement>('[data-slip]')];
  const slip = slips.find(({ dataset }) => isNear(dataset.slip));
  if (isNear(number)) say(check, 'right');
  else say(check, 'wrong', slip);
}

/**
 * Says whether the answer is right and, if the page knows, what is wrong about it. After a wrong answer readers may try
 * again or ask for the right one.
 */
function say(check: HTMLElement, verdict: Verdict, fault?: Element | null): void {
  const words = statusOf(check).dataset;
  const said = document.createElement('p');
  said.append(Object.assign(document.createElement('span'), { className: verdict, textContent: words[verdict] }));
  if (fault) said.append(' ', ...fault.cloneNode(true).childNodes);
  if (verdict === 'wrong') {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = words.reveal ?? '';
    button.addEventListener('click', () => {
      const told = document.createElement('p');
      for (const answer of check.querySelectorAll<HTMLElement>('[aria-pressed]'))
        answer.ariaPressed = String('right' in answer.dataset);
      explain(check, told);
      // The focused button is gone. Focusing the answer's field would open a phone's keyboard.
      const link = told.querySelector('a');
      if (link === null) statusOf(check).tabIndex = -1;
      (link ?? statusOf(check)).focus({ preventScroll: true });
    });
    said.append(' ', button);
  }
  if (verdict === 'right') explain(check, said);
  else show(check, said);
}

/** Sets the figure to what was asked, if the question was a prediction, and shows the explanation. */
function explain(check: HTMLElement, said: HTMLElement): void {
  const figure = check.closest('figure');
  const element = figure?.querySelector<FigureElement>('[drawn]');
  const { settings } = element ?? {};
  if (figure && element && settings && check.dataset.show !== undefined) {
    const given = [...new URLSearchParams(check.dataset.show)];
    element.show(Object.fromEntries(given.map(([name, text]) => [name, settings[name]?.read(text)])));
    const link = document.createElement('a');
    link.href = `#${figure.id}`;
    link.textContent = statusOf(check).dataset.shown ?? '';
    said.append(' ', link);
    element.addEventListener('figure-change', () => link.remove(), { once: true });
  }
  show(check, said, ...(check.lastElementChild?.cloneNode(true).childNodes ?? []));
  if (element) keepInView(element, statusOf(check));
}

/** Scrolls to a figure, and again when it has grown by what it had to load, unless the reader has scrolled on. */
function keepInView(element: HTMLElement, status: HTMLElement): void {
  bringIntoView(element, status);
  const height = element.offsetHeight;
  const over = new AbortController();
  const growing = new ResizeObserver(() => {
    if (element.offsetHeight <= height) return;
    bringIntoView(element, status);
    over.abort();
  });
  over.signal.addEventListener('abort', () => growing.disconnect());
  for (const step of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(step, () => over.abort(), { signal: over.signal, passive: true });
  growing.observe(element);
}

/**
 * Scrolls down to a figure that ends below the window, as far as its text stays in sight, or up to one that starts
 * above the window, as far as the verdict stays in sight.
 */
function bringIntoView(element: HTMLElement, status: HTMLElement): void {
  const bar = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
  const [figure, said] = [element.getBoundingClientRect(), status.getBoundingClientRect()];
  const down = Math.min(figure.bottom - innerHeight, said.top - bar);
  const verdict = status.firstElementChild!.getBoundingClientRect();
  const up = Math.min(bar - figure.top, innerHeight - verdict.bottom);
  const top = down > 0 ? down : Math.min(0, -up);
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
  if (top !== 0) scrollBy({ top, behavior });
}

function show(check: HTMLElement, ...said: readonly Node[]): void {
  const status = statusOf(check);
  status.replaceChildren(...said);
  status.scrollIntoView({ block: 'nearest' });
}

function statusOf(check: HTMLElement): HTMLElement {
  return check.children[1] as HTMLElement;
}
