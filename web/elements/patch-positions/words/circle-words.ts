import { Localised, type StringKey, type Translations } from '../../shared/localised.js';
import english from './strings/en.json';

type CircleKey = keyof typeof english;

/** The texts of `<patch-positions>`: its own, which are loaded with it, and those that it shares with other figures. */
export type CircleWords = Localised<CircleKey | StringKey>;

const CIRCLES: Translations<CircleKey> = {
  english,
  load: (language) => import(`./strings/${language}.json`) as ReturnType<typeof CIRCLES.load>,
};

/** The texts in an element's language. */
export function circleWords(element: ConstructorParameters<typeof Localised>[0]): CircleWords {
  return new Localised<CircleKey | StringKey>(element, CIRCLES);
}
