/**
 * Makes the addresses of the page in other languages whole, which is how search engines take them: the build's are
 * relative, since it does not know its host.
 */
export function wholeAlternates(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=alternate][hreflang]')) {
    link.setAttribute('href', link.href);
  }
}
