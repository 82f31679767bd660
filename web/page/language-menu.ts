import { keepPlace, leadTo } from './reading-place.js';

/** How far a reader scrolls back, in CSS pixels, before the button takes room on a narrow screen. */
const BACK = 24;

/**
 * Makes the language menu lead to the same place and state in the other language, and keeps it at hand: further down the page a
 * button in the corner opens it. `write` brings the address up to date with the figures.
 */
export function keepLanguagesAtHand(write: () => void): void {
  const place = keepPlace();
  const menu = document.querySelector<HTMLElement>('.languages');
  const list = menu?.querySelector('ul');
  if (menu === null || list == null) return;
  const button = cornerButton(menu, list);
  menu.after(button);
  showBeyond(menu, button);
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.languages a, .languages-here a')) {
    const carry = (): void => {
      write();
      leadTo(link, place());
    };
    // Before a click, a new tab by the middle button or the menu, and before Enter.
    for (const type of ['pointerdown', 'contextmenu', 'focus', 'click']) link.addEventListener(type, carry);
  }
}

/** A button with the page's language on it, and the languages in a popover. */
function cornerButton(menu: HTMLElement, list: Element): HTMLElement {
  const place = document.createElement('div');
  place.className = 'languages-here';
  const button = document.createElement('button');
  button.type = 'button';
  const label = menu.getAttribute('aria-label') ?? '';
  button.textContent = list.querySelector('[aria-current]')?.textContent ?? label;
  button.setAttribute('aria-label', `${label}: ${button.textContent}`);
  button.setAttribute('popovertarget', 'languages-here');
  const popover = document.createElement('div');
  popover.id = 'languages-here';
  popover.popover = 'auto';
  popover.setAttribute('role', 'group');
  popover.setAttribute('aria-label', label);
  popover.append(list.cloneNode(true));
  place.append(button, popover);
  return place;
}

/** On a wide screen the button is there wherever the menu is not; on a narrow one it would lie on the text, and waits for its reader to scroll back. */
function showBeyond(menu: HTMLElement, button: HTMLElement): void {
  new IntersectionObserver(([entry]) => {
    button.toggleAttribute('data-beyond', entry?.isIntersecting === false);
  }).observe(menu);
  let lowest = scrollY;
  let before = scrollY;
  addEventListener(
    'scroll',
    () => {
      if (scrollY > before) button.removeAttribute('data-back');
      lowest = scrollY > before ? scrollY : Math.max(lowest, scrollY);
      if (lowest - scrollY > BACK) button.setAttribute('data-back', '');
      before = scrollY;
    },
    { passive: true },
  );
}
