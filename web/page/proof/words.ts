import type { Localised, StringKey, Translations } from '../../elements/kit.js';
import english from '../languages/en/proof.json';

export type ProofStrings = Readonly<Record<keyof typeof english, string>>;

/** The texts of the benchmark. */
export type ProofWords = Localised<keyof typeof english | StringKey>;

export const PROOF: Translations<keyof typeof english> = {
  english,
  load: (language) => import(`../languages/${language}/proof.json`),
};
