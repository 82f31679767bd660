import { Localised, type StringKey, type Translations } from '../../elements/kit.js';
import english from '../languages/en/models.json';

type ModelKey = keyof typeof english;

/** The texts of the page about models: its own, and those that it shares with the figures. */
export type ModelWords = Localised<ModelKey | StringKey>;

const MODELS: Translations<ModelKey> = {
  english,
  load: (language) => import(`../languages/${language}/models.json`) as ReturnType<typeof MODELS.load>,
};

/** The texts in an element's language. */
export function modelWords(element: ConstructorParameters<typeof Localised>[0]): ModelWords {
  return new Localised<ModelKey | StringKey>(element, MODELS);
}
