import type { Localised, StringKey, Translations } from '../localised.js';
import english from './strings/en.json';

/** What the figures with the story model say about it, and what all figures share. */
export type StoryWords = Localised<keyof typeof english | StringKey>;

export const STORY: Translations<keyof typeof english> = {
  english,
  load: (language) => import(`./strings/${language}.json`),
};
