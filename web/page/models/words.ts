import type { Localised, StringKey, Translations } from '../../elements/kit.js';
import english from '../languages/en/models.json';

/** The texts of the page about models: its own, and those that it shares with the figures. */
export type ModelWords = Localised<keyof typeof english | StringKey>;

export const MODELS: Translations<keyof typeof english> = {
  english,
  load: (language) => import(`../languages/${language}/models.json`),
};
