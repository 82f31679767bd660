import type { Localised, StringKey, Translations } from '../shared/localised.js';
import english from './texts/en.json';

/** The texts of `<length-extrapolation>`: its own, which are loaded with it, and those that it shares with other figures. */
export type ExtrapolationWords = Localised<keyof typeof english | StringKey>;

export const EXTRAPOLATION: Translations<keyof typeof english> = {
  english,
  load: (language) => import(`./texts/${language}.json`),
};
