import { Localised, type StringKey, type Translations } from '../../elements/kit.js';
import english from './strings/en.json';

type ModelKey = keyof typeof english;

/** What the page about models says: words of its own, and those that it shares with the figures. */
export type ModelWords = Localised<ModelKey | StringKey>;

const MODELS: Translations<ModelKey> = {
  english,
  others: {
    pt: () => import('./strings/pt.json'),
    ko: () => import('./strings/ko.json'),
    tr: () => import('./strings/tr.json'),
    id: () => import('./strings/id.json'),
  },
};

/** The words of the language that an element stands in. */
export function modelWords(element: ConstructorParameters<typeof Localised>[0]): ModelWords {
  return new Localised<ModelKey | StringKey>(element, MODELS);
}
