import { Localised, type StringKey, type Translations } from '../../elements/kit.js';
import english from '../languages/en/cells.json';

type CellKey = keyof typeof english;

/** What a cell says: words of its own, and those that it shares with the figures. */
export type CellWords = Localised<CellKey | StringKey>;

/** The part of them that pictures need, which the build has without an element. */
export type SpokenWords = Pick<CellWords, 'text' | 'number'>;

const CELLS: Translations<CellKey> = {
  english,
  load: (language) => import(`../languages/${language}/cells.json`) as ReturnType<typeof CELLS.load>,
};

/** The words of the language that a cell stands in. */
export function cellWords(cell: ConstructorParameters<typeof Localised>[0]): CellWords {
  return new Localised<CellKey | StringKey>(cell, CELLS);
}
