import type { FigureElement } from '../elements/kit.js';
import { numberIn } from './number-in.js';

type Verdict = 'right' | 'wrong' | 'noNumber';

/** Makes the page judge what readers answer to its questions. The forms are those of plugins/checks.ts; nothing is kept. */
export function judgeAnswers(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form.check')) {
    const buttons = [...form.querySelectorAll<HTMLButtonElement>('button[type=button]')];
    for (const button of buttons) {
      button.addEventListener('click', () => {
        for (const each of buttons) each.ariaPressed = String(each === button);
        if ('right' in button.dataset) say(form, 'right');
        else say(form, 'wrong', button.nextElementSibling);
      });
    }
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const input = form.querySelector('input');
      if (input !== null) say(form, verdictOn(input.value, form.dataset));
    });
  }
}

function verdictOn(written: string, { number, within }: DOMStringMap): Verdict {
  const given = numberIn(written);
  if (given === undefined) return 'noNumber';
  return Math.abs(given - Number(number)) <= Number(within) ? 'right' : 'wrong';
}

/**
 * Says whether the answer is right, and what is wrong about it where the page knows. After a wrong prediction readers may try again or
 * have the answer shown.
 */
function say(form: HTMLFormElement, verdict: Verdict, fault?: Element | null): void {
  const words = statusOf(form).dataset;
  const said = document.createElement('p');
  said.append(
    Object.assign(document.createElement('span'), { className: verdict, textContent: words[verdict] }),
  );
  if (fault) said.append(' ', ...fault.cloneNode(true).childNodes);
  if (verdict === 'wrong' && 'show' in form.dataset) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = words.reveal ?? '';
    button.addEventListener('click', () => {
      explain(form, document.createElement('p'));
      // The button that had the focus is gone.
      statusOf(form).querySelector('a')?.focus({ preventScroll: true });
    });
    said.append(` ${words.again ?? ''} `, button);
  }
  if (verdict === 'right') explain(form, said);
  else show(form, said);
}

/** Lets the figure show what was asked, if it was a prediction, and says why. */
function explain(form: HTMLFormElement, said: HTMLElement): void {
  const figure = form.closest('figure');
  const element = figure?.querySelector<FigureElement>('[drawn]');
  const { settings } = element ?? {};
  if (figure && element && settings && form.dataset.show !== undefined) {
    const given = [...new URLSearchParams(form.dataset.show)];
    element.show(Object.fromEntries(given.map(([name, text]) => [name, settings[name]?.read(text)])));
    const link = document.createElement('a');
    link.href = `#${figure.id}`;
    link.textContent = statusOf(form).dataset.shown ?? '';
    said.append(' ', link);
    element.addEventListener('figure-change', () => link.remove(), { once: true });
  }
  show(form, said, ...(form.lastElementChild?.cloneNode(true).childNodes ?? []));
  if (element) bringBack(element, form);
}

/**
 * Scrolls back to the figure, if its start is above the window. Where question and figure do not fit into one window, what is said stays
 * at the window's end until the reader uses the figure, leaves it, or comes to the question again.
 */
function bringBack(element: HTMLElement, form: HTMLFormElement): void {
  const { top } = element.getBoundingClientRect();
  if (top >= 0) return;
  const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'instant' : 'smooth';
  if (form.getBoundingClientRect().bottom - top > innerHeight) pin(element, form);
  element.scrollIntoView({ behavior });
}

function pin(element: HTMLElement, form: HTMLFormElement): void {
  const { classList } = statusOf(form);
  const used = ['pointerdown', 'keydown'];
  let question = true;
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      // At first the question is still in the window.
      if (target === element ? !isIntersecting : isIntersecting && !question) unpin();
      else if (target !== element) question = isIntersecting;
    }
  });
  const unpin = (): void => {
    classList.remove('pinned');
    observer.disconnect();
    for (const type of used) element.removeEventListener(type, unpin);
  };
  classList.add('pinned');
  for (const type of used) element.addEventListener(type, unpin);
  for (const each of [element, form.children[0]!]) observer.observe(each);
}

function show(form: HTMLFormElement, ...said: readonly Node[]): void {
  const status = statusOf(form);
  status.replaceChildren(...said);
  status.scrollIntoView({ block: 'nearest' });
}

function statusOf(form: HTMLFormElement): HTMLElement {
  return form.children[1] as HTMLElement;
}
