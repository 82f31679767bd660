import type { Localised, StringKey, Translations } from '../../shared/localised.js';
import english from './strings/en.json';

/** The texts of `<patch-positions>`: its own, which are loaded with it, and those that it shares with other figures. */
export type CircleWords = Localised<keyof typeof english | StringKey>;

export const CIRCLES: Translations<keyof typeof english> = {
  english,
  load: (language) => import(`./strings/${language}.json`),
};
