import type { FigureElement } from '../elements/kit.js';
import { numberIn } from './number-in.js';
import { recall, remember } from './remembered.js';

type Verdict = 'right' | 'wrong' | 'noNumber';

/** Where the browser remembers answers. */
const STORE = 'wasm-attention answers';

/** Evaluates readers' answers to the questions that plugins/checks.ts writes, and shows those that the browser remembers. */
export function judgeAnswers(): void {
  const given = recall(STORE);
  for (const check of document.querySelectorAll<HTMLElement>('.check')) {
    const take = (answer: string): void => {
      remember(STORE, keyOf(check), answer);
      judge(check, answer);
      follow(check);
    };
    choicesOf(check).forEach((button, index) => button.addEventListener('click', () => take(String(index))));
    check.addEventListener('submit', (event) => {
      event.preventDefault();
      take(check.querySelector('input')?.value ?? '');
    });
    const answer = given[keyOf(check)];
    if (typeof answer === 'string') judge(check, answer);
  }
}

/** A figure's question by the figure, another by its place: the same in every language. */
function keyOf(check: HTMLElement): string {
  const others = [...document.querySelectorAll('.check:not(figcaption *)')];
  return check.closest('figcaption')?.parentElement?.id ?? `exercise ${others.indexOf(check) + 1}`;
}

/** Judges a choice by its place, or a number as it is written. */
function judge(check: HTMLElement, answer: string): void {
  const choices = choicesOf(check);
  const choice = choices[Number(answer)];
  const field = check.querySelector('input');
  if (field !== null) {
    field.value = answer;
    judgeNumber(check, answer);
  } else if (choice !== undefined) {
    for (const each of choices) each.ariaPressed = String(each === choice);
    if ('right' in choice.dataset) say(check, 'right');
    else say(check, 'wrong', choice.nextElementSibling);
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
  show(check, said, ...(verdict === 'right' ? explanationOf(check) : []));
  if (verdict === 'wrong') actionsOf(check).prepend(buttonOf(words.reveal, () => reveal(check)));
}

/** Shows the right answer. The reader's own stays pressed. */
export function reveal(check: HTMLElement): void {
  const said = Object.assign(document.createElement('p'), { className: 'revealed' });
  const right = choicesOf(check).find(({ dataset }) => 'right' in dataset);
  const [before = '', after = ''] = statusOf(check).dataset.answer?.split('{answer}') ?? [];
  if (right) said.append(before, ...right.cloneNode(true).childNodes, after);
  show(check, said, ...explanationOf(check));
  follow(check);
  // The focused button is gone. Focusing the answer's field would open a phone's keyboard.
  const status = statusOf(check);
  const link = actionsOf(check).querySelector('a');
  if (link === null) status.tabIndex = -1;
  (link ?? status).focus({ preventScroll: true });
}

/** Whether the right answer is shown. */
export function isSolved(check: HTMLElement): boolean {
  return statusOf(check).querySelector(':scope > p') !== null && check.querySelector('.wrong, .noNumber') === null;
}

/** Asks again, as if the reader had not answered. */
export function clear(check: HTMLElement): void {
  for (const each of choicesOf(check)) each.ariaPressed = 'false';
  if (check instanceof HTMLFormElement) check.reset();
  statusOf(check).replaceChildren();
  actionsOf(check).replaceChildren();
}

/**
 * Scrolls to the end of the verdict as far as the question stays in sight. Once the right answer is shown, scrolls to
 * the figure, and sets it to what was asked if the question was a prediction.
 */
function follow(check: HTMLElement): void {
  for (const part of [actionsOf(check), check.firstElementChild!])
    part.scrollIntoView({ block: 'nearest', behavior: 'instant' });
  const figure = check.closest('figure');
  const element = figure?.querySelector<FigureElement>('[drawn]');
  if (!figure || !element || !isSolved(check)) return;
  const { settings } = element;
  if (settings && check.dataset.show !== undefined) {
    const given = [...new URLSearchParams(check.dataset.show)];
    element.show(Object.fromEntries(given.map(([name, text]) => [name, settings[name]?.read(text)])));
    const link = document.createElement('a');
    link.href = `#${figure.id}`;
    link.textContent = statusOf(check).dataset.shown ?? '';
    actionsOf(check).prepend(link);
    // The figure stays where it is.
    element.addEventListener('figure-change', () => (link.style.visibility = 'hidden'), { once: true });
  }
  keepInView(element, check);
}

/** Scrolls to a figure, and again when it has grown by what it had to load, unless the reader has scrolled on. */
function keepInView(element: HTMLElement, check: HTMLElement): void {
  bringIntoView(element, check);
  const height = element.offsetHeight;
  const over = new AbortController();
  const growing = new ResizeObserver(() => {
    if (element.offsetHeight <= height) return;
    bringIntoView(element, check);
    over.abort();
  });
  over.signal.addEventListener('abort', () => growing.disconnect());
  for (const step of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(step, () => over.abort(), { signal: over.signal, passive: true });
  growing.observe(element);
}

/**
 * Scrolls down to a figure that ends below the window, as far as the question stays in sight, or up to one that starts
 * above the window, as far as the verdict stays in sight.
 */
function bringIntoView(element: HTMLElement, check: HTMLElement): void {
  const bar = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop);
  const figure = element.getBoundingClientRect();
  const down = Math.min(figure.bottom - innerHeight, check.getBoundingClientRect().top - bar);
  const verdict = statusOf(check).firstElementChild!.getBoundingClientRect();
  const up = Math.min(bar - figure.top, innerHeight - verdict.bottom);
  const top = down > 0 ? down : Math.min(0, -up);
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
  if (top !== 0) scrollBy({ top, behavior });
}

/** Shows a verdict, and lets readers forget an answer that the browser remembers. */
function show(check: HTMLElement, ...said: readonly Node[]): void {
  const status = statusOf(check);
  status.replaceChildren(...said);
  actionsOf(check).replaceChildren();
  if (recall(STORE)[keyOf(check)] === undefined) return;
  const forget = buttonOf(status.dataset.forget, () => {
    remember(STORE, keyOf(check), undefined);
    clear(check);
    check.querySelector<HTMLElement>('button, input')?.focus({ preventScroll: true });
  });
  forget.className = 'forget';
  actionsOf(check).append(forget);
}

function buttonOf(text: string | undefined, press: () => void): HTMLButtonElement {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: text ?? '' });
  button.addEventListener('click', press);
  return button;
}

function choicesOf(check: HTMLElement): HTMLButtonElement[] {
  return [...check.querySelectorAll<HTMLButtonElement>('.answers > button[type=button]')];
}

function explanationOf(check: HTMLElement): Iterable<Node> {
  return check.lastElementChild?.cloneNode(true).childNodes ?? [];
}

function statusOf(check: HTMLElement): HTMLElement {
  return check.children[1] as HTMLElement;
}

/** The place of buttons and of a link below the verdict, which is spoken without them. */
function actionsOf(check: HTMLElement): HTMLElement {
  return check.children[2] as HTMLElement;
}
