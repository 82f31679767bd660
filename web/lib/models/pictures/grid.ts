/** The patches of a picture. */
import { wrongValue } from '../../check/values.js';
import type { Architecture } from '../config/architecture.js';

export interface Grid {
  readonly rows: number;
  readonly columns: number;
  /** Whether the table of positions is used as it is. */
  readonly keepsTable: boolean;
}

/**
 * The patches of a picture of this size in pixels. What is left at the right and below is not read.
 *
 * @throws RangeError for a picture smaller than a patch, and for one that the table of positions cannot be resized for
 */
export function gridOf(operation: string, { pictures, family }: Architecture, height: number, width: number): Grid {
  const { patch, height: ownHeight, width: ownWidth, keepsTable } = pictures!;
  const countOf = (side: number): number => Math.floor(side / patch);
  const [rows, columns] = [countOf(height), countOf(width)];
  if (rows < 1 || columns < 1)
    wrongValue(operation, `a picture of at least ${patch}×${patch} pixels`, `${height}×${width}`);
  const count = countOf(ownHeight) * countOf(ownWidth);
  // As in transformers, which resizes the table for an oblong picture with as many patches.
  const isOwn = keepsTable && height === ownHeight && width === ownWidth;
  const keeps = isOwn || (rows * columns === count && height === width);
  if (!keeps && !Number.isInteger(Math.sqrt(count))) {
    const reason = `since ${family}'s table of ${count} positions is no square`;
    wrongValue(operation, `a picture of ${ownHeight}×${ownWidth} pixels, ${reason}`, `${height}×${width}`);
  }
  return { rows, columns, keepsTable: keeps };
}
