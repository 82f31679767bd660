import { setPlace, type Place } from './reading-place.js';

/**
 * Makes the links to other languages lead to the same place and state.
 *
 * @param place returns the reader's place
 * @param write updates the page's URL with the figures' settings
 */
export function keepPlaceInLanguages(place: () => Place, write: () => void): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.languages a')) {
    const carry = (): void => {
      write();
      setPlace(link, place());
    };
    // Before a click, a middle click, the context menu, or Enter.
    for (const type of ['pointerdown', 'contextmenu', 'focus', 'click']) link.addEventListener(type, carry);
  }
}

/**
 * Makes the URLs of the other languages absolute, as search engines require. The build writes relative ones, because it
 * does not know the host.
 */
export function wholeAlternates(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=alternate][hreflang]')) {
    link.setAttribute('href', link.href);
  }
}
