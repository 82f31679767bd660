import type english from '../languages/en/page.json';

/** The texts of the page around the prose. */
export type PageStrings = typeof english;
