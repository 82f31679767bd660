import { leadTo, type Place } from './reading-place.js';

/**
 * Makes the links to other languages lead to the same place and state there.
 *
 * @param place says where the reader is
 * @param write brings the address up to date with the figures
 */
export function keepPlaceInLanguages(place: () => Place, write: () => void): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.languages a')) {
    const carry = (): void => {
      write();
      leadTo(link, place());
    };
    // Before a click, a new tab by the middle button or the menu, and before Enter.
    for (const type of ['pointerdown', 'contextmenu', 'focus', 'click']) link.addEventListener(type, carry);
  }
}

/**
 * Makes the addresses of the page in other languages whole, which is how search engines take them: the build's are
 * relative, since it does not know its host.
 */
export function wholeAlternates(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=alternate][hreflang]')) {
    link.setAttribute('href', link.href);
  }
}
