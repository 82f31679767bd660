/** Goes on from `/` to the page in the first of the reader's languages that there is, and to English otherwise. */
const pages = new Map(
  [...document.querySelectorAll<HTMLLinkElement>('link[rel=alternate][hreflang]')].map((link) => [
    link.hreflang,
    link.href,
  ]),
);
const wanted = navigator.languages.map((tag) => tag.toLowerCase().split('-')[0] ?? tag);
const language = wanted.find((tag) => pages.has(tag)) ?? 'en';
const href = pages.get(language);
if (href !== undefined) location.replace(href + location.search + location.hash);
