/** Redirects from `/` to the page in the first available of the reader's languages, or in English. */
const pages = [...document.querySelectorAll<HTMLLinkElement>('link[rel=alternate][hreflang]')];
const wanted = [...navigator.languages, 'en'].map((tag) => tag.toLowerCase().split('-')[0]);
const [page] = wanted.flatMap((language) => pages.filter(({ hreflang }) => hreflang === language));
if (page !== undefined) location.replace(page.href + location.search + location.hash);
