import { languageOf } from '../languages.js';
import type { Localised, StringKey, Translations } from '../shared/localised.js';
import type { StoryWords } from '../shared/story/story-texts.js';
import english from './texts/en.json';

/** What `<language-model>` says. */
export type TellerWords = StoryWords & Localised<keyof typeof english | StringKey>;

export const TELLER: Translations<keyof typeof english> = {
  english,
  load: (language) => import(`./texts/${language}.json`),
};

/** Translations of sentences that the model writes; none in English. */
export async function glossesIn(locale: string): Promise<Readonly<Record<string, string>>> {
  const language = languageOf(locale);
  if (language === 'en') return {};
  return ((await import(`./glosses/${language}.json`)) as { default: Record<string, string> }).default;
}
