import { Localised, type StringKey, type Translations } from '../../elements/kit.js';
import english from './strings/en.json';

type CellKey = keyof typeof english;

/** What a cell says: words of its own, and those that it shares with the figures. */
export type CellWords = Localised<CellKey | StringKey>;

/** The part of them that pictures need, which the build has without an element. */
export type SpokenWords = Pick<CellWords, 'text' | 'number'>;

const CELLS: Translations<CellKey> = {
  english,
  others: {
    pt: () => import('./strings/pt.json'),
    ko: () => import('./strings/ko.json'),
    tr: () => import('./strings/tr.json'),
    id: () => import('./strings/id.json'),
  },
};

/** The words of the language that a cell stands in. */
export function cellWords(cell: ConstructorParameters<typeof Localised>[0]): CellWords {
  return new Localised<CellKey | StringKey>(cell, CELLS);
}
