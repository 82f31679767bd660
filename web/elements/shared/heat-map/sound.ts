import type { RowMap } from './row-text.js';

/** Whether each move to another row of a map plays it, in all maps of the page. */
export const sound = { on: false };

/** Plays a map's row, with code that is loaded then. */
export async function playRow(
  map: Pick<RowMap, 'values' | 'columns' | 'mask' | 'validColumns'>,
  row: number,
): Promise<void> {
  const { play, tonesOf } = await import('./row-sound.js');
  play(tonesOf(map, row));
}

/** Whether a key press is P alone, which plays the row. */
export function isPlay({ key, ctrlKey }: KeyboardEvent): boolean {
  return key.toLowerCase() === 'p' && !ctrlKey;
}
