import { Localised, type StringKey, type Translations } from '../../elements/kit.js';
import english from '../languages/en/cells.json';

type CellKey = keyof typeof english;

/** The texts of a cell: its own, and those that it shares with the figures. */
export type CellWords = Localised<CellKey | StringKey>;

/** The texts that pictures need, which the build uses without an element. */
export type SpokenWords = Pick<CellWords, 'text' | 'number'>;

const CELLS: Translations<CellKey> = {
  english,
  load: (language) => import(`../languages/${language}/cells.json`) as ReturnType<typeof CELLS.load>,
};

/** The texts in an element's language. */
export function cellWords(cell: ConstructorParameters<typeof Localised>[0]): CellWords {
  return new Localised<CellKey | StringKey>(cell, CELLS);
}
