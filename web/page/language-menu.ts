import { keepPlace, leadTo } from './reading-place.js';

/** Makes the links to other languages lead to the same place and state there. `write` brings the address up to date with the figures. */
export function keepPlaceInLanguages(write: () => void): void {
  const place = keepPlace();
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.languages a')) {
    const carry = (): void => {
      write();
      leadTo(link, place());
    };
    // Before a click, a new tab by the middle button or the menu, and before Enter.
    for (const type of ['pointerdown', 'contextmenu', 'focus', 'click']) link.addEventListener(type, carry);
  }
}
