import type { Localised, StringKey, Translations } from '../localised.js';
import english from './strings/en.json';

type StoryKey = keyof typeof english;
export type StoryWords = Localised<StoryKey | StringKey>;

/** What the figures with the story model say about it. */
export const STORY: Translations<StoryKey> = {
  english,
  load: (language) => import(`./strings/${language}.json`) as ReturnType<typeof STORY.load>,
};
