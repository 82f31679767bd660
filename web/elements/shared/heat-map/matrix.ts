import type { MapArrays } from '../../package-types.js';
import { checkWords, toShaped } from '../arrays/shaped.js';

export interface Matrix {
  readonly values: ArrayLike<number>;
  readonly rows: number;
  readonly columns: number;
  /** The ramp's ends: 0 and the finite value farthest from it; for signed values, the same distance on both sides. */
  readonly low: number;
  readonly high: number;
  readonly rowLabels: readonly string[] | undefined;
  readonly columnLabels: readonly string[] | undefined;
}

/**
 * Reads a matrix in any form.
 *
 * @throws TypeError for anything but an array of numbers
 * @throws RangeError for another rank, or numbers of tokens that do not match
 */
export function matrixOf({ values: given, tokens, keyTokens }: MapArrays): Matrix {
  const { data: values, shape } = toShaped('values', given);
  const [rows = 0, columns = 0] = shape;
  if (shape.length !== 2 || rows * columns === 0)
    throw new RangeError(`loadArrays: expected values of shape (rows, columns), got (${shape.join(', ')})`);
  if (values.length !== rows * columns)
    throw new RangeError(
      `loadArrays: expected ${rows * columns} values for (${shape.join(', ')}), got ${values.length}`,
    );
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; ++i) {
    const value = values[i]!;
    if (typeof value !== 'number') throw new TypeError('loadArrays: expected values to hold numbers');
    if (!Number.isFinite(value)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const signed = least < 0 && most > 0;
  const end = Math.max(-least, most);
  return {
    values,
    rows,
    columns,
    low: signed ? -end : Math.min(least, 0),
    // A matrix of zeros, or without finite numbers, needs a ramp, too.
    high: signed ? end : Math.max(most, 0) || Number(least >= 0),
    rowLabels: checkWords('tokens', tokens, rows),
    columnLabels: checkWords('keyTokens', keyTokens, columns),
  };
}
