import { Localised, type StringKey, type Translations } from '../localised.js';
import english from './strings/en.json';

type LensKey = keyof typeof english;

/** The texts of `<lens-viewer>`: its own, and those that it shares with the figures. */
export type LensWords = Localised<LensKey | StringKey>;

const LENS: Translations<LensKey> = {
  english,
  load: (language) => import(`./strings/${language}.json`) as ReturnType<typeof LENS.load>,
};

/** The texts in an element's language. */
export function lensWords(element: ConstructorParameters<typeof Localised>[0]): LensWords {
  return new Localised<LensKey | StringKey>(element, LENS);
}
