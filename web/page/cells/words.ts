import type { Localised, StringKey, Translations } from '../../elements/kit.js';
import english from '../languages/en/cells.json';

/** The texts of a cell: its own, and those that it shares with the figures. */
export type CellWords = Localised<keyof typeof english | StringKey>;

/** The texts that pictures need, which the build uses without an element. */
export type SpokenWords = Pick<CellWords, 'text' | 'number'>;

export const CELLS: Translations<keyof typeof english> = {
  english,
  load: (language) => import(`../languages/${language}/cells.json`),
};
