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
        say(form, 'right' in button.dataset ? 'right' : 'wrong', reveal(form));
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

/** Shows the verdict, and why: after a prediction in any case, else only to those who have found the answer. */
function say(
  { dataset, lastElementChild: why, children }: HTMLFormElement,
  verdict: Verdict,
  revealed = false,
): void {
  const status = children[1] as HTMLElement;
  const explained = verdict === 'right' || 'show' in dataset;
  const words = document.createElement('p');
  words.className = verdict;
  words.textContent = status.dataset[verdict] ?? '';
  if (revealed) words.append(` ${status.dataset.shown ?? ''}`);
  status.replaceChildren(words, ...(explained ? (why?.cloneNode(true).childNodes ?? []) : []));
}

/** Lets the figure show what was asked; says no if nothing was, or if the figure has not come. */
function reveal(form: HTMLFormElement): boolean {
  const figure = form.closest('figure')?.querySelector<FigureElement>('[drawn]');
  if (form.dataset.show === undefined || figure?.settings === undefined) return false;
  const given = [...new URLSearchParams(form.dataset.show)];
  figure.change(Object.fromEntries(given.map(([name, text]) => [name, figure.settings[name]?.read(text)])));
  return true;
}
