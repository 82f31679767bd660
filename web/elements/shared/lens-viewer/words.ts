import type { Localised, StringKey, Translations } from '../localised.js';
import english from './strings/en.json';

/** The texts of `<lens-viewer>`: its own, and those that it shares with the figures. */
export type LensWords = Localised<keyof typeof english | StringKey>;

export const LENS: Translations<keyof typeof english> = {
  english,
  load: (language) => import(`./strings/${language}.json`),
};
