import type { Localised, StringKey, Translations } from '../shared/localised.js';
import english from './texts/en.json';

/** The texts of `<position-training>`: its own, which are loaded with it, and those that it shares with other figures. */
export type TrainingWords = Localised<keyof typeof english | StringKey>;

export const TRAINING: Translations<keyof typeof english> = {
  english,
  load: (language) => import(`./texts/${language}.json`),
};
