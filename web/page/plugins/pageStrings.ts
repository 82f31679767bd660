import type english from '../strings/en.json';

/** The words of the page around the prose, one JSON file a language. */
export type PageStrings = typeof english;
