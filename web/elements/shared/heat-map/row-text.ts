import { entropies } from '../entropy/entropy.js';
import type { Localised } from '../localised.js';
import type { Cell } from './cursor.js';

/** A map as it is read aloud; see `HeatMap` for its fields. */
export interface RowMap {
  readonly values: ArrayLike<number>;
  readonly rows: number;
  readonly columns: number;
  readonly low: number;
  readonly origin: number;
  readonly digits: number;
  readonly rowName: string;
  readonly columnName: string;
  readonly rowLabels?: readonly string[] | undefined;
  readonly columnLabels?: readonly string[] | undefined;
  readonly validColumns?: number | undefined;
  readonly mask?: ArrayLike<boolean | number> | undefined;
  readonly maskedText?: ((count: number) => string) | undefined;
}

/** The most columns that a summary names. */
const NAMED = 3;

/** Whether a cell is masked: by the mask, or by a score of −∞. */
export function isMasked(
  { values, columns, validColumns = columns, mask }: Pick<RowMap, 'values' | 'columns' | 'mask' | 'validColumns'>,
  at: number,
): boolean {
  return values[at] === -Infinity || (mask === undefined ? at % columns >= validColumns : !mask[at]);
}

/** A row's or a column's number and label: `5 cat`. */
export function headOf(index: number, origin: number, labels: readonly string[] | undefined): string {
  const [number, label = ''] = [String(index + origin), labels?.[index]];
  return label === number ? number : `${number} ${label}`.trimEnd();
}

/** `query 5 cat`. */
export function rowHead({ rowName, rowLabels, origin }: RowMap, row: number): string {
  return `${rowName} ${headOf(row, origin, rowLabels)}`.trimStart();
}

/** `key 3 the`. */
export function columnHead({ columnName, columnLabels, origin }: RowMap, column: number): string {
  return `${columnName} ${headOf(column, origin, columnLabels)}`.trimStart();
}

/** `key 3 the: 0.440`; a masked cell says that, and not its value. */
export function cellText(map: RowMap, { row, column }: Cell, words: Localised): string {
  return `${columnHead(map, column)}: ${valueText(map, row * map.columns + column, words)}`;
}

/** A cell's value in words. */
export function valueText(map: RowMap, at: number, words: Localised): string {
  if (isMasked(map, at)) return words.text(isCausal(map) ? 'tokens.masked' : 'map.masked');
  const value = map.values[at] ?? NaN;
  return Number.isNaN(value) ? words.text('map.none') : words.value(value, map.digits);
}

/**
 * A row in one sentence: where its values are greatest, or least and greatest if the map has negative ones; what is masked;
 * the entropy of attention weights. Those are in per cent.
 */
export function rowText(map: RowMap, row: number, words: Localised): string {
  const { values, columns, low, digits } = map;
  const first = row * columns;
  const value = (column: number): number => values[first + column] ?? NaN;
  const all = Array.from({ length: columns }, (_, column) => column);
  const masked = all.filter((column) => isMasked(map, first + column)).length;
  const seen = all
    .filter((column) => !Number.isNaN(value(column)) && !isMasked(map, first + column))
    .sort((a, b) => value(b) - value(a));
  const shares = areWeights(map);
  const text = (column: number): string => {
    const share = value(column);
    return shares ? words.percent(share, share > 0 && share < 0.01 ? 1 : 0) : words.value(share, digits);
  };
  const cell = (column: number): string => `${columnHead(map, column)}: ${text(column)}`;
  const [most, least] = [seen[0], seen.at(-1)];
  const parts: string[] = [];
  if (most === undefined || least === undefined) {
    if (masked === 0) parts.push(words.text('map.none'));
    else parts.push(map.maskedText?.(masked) ?? words.text('map.allMasked'));
  } else if (most === least) parts.push(words.text('map.only', { cell: cell(most) }));
  else if (value(most) === value(least))
    parts.push(words.text('map.alike', { count: words.number(seen.length), value: text(most) }));
  else if (low < 0) parts.push(words.text('map.ends', { least: cell(least), most: cell(most) }));
  else {
    // What is too little to tell from zero is not worth a name.
    const top = seen.slice(0, NAMED).filter((column, i) => i === 0 || value(column) >= (shares ? 0.005 : 1e-9));
    const last = value(top.at(-1)!);
    const alike = seen.filter((column) => value(column) === last).length - top.filter((c) => value(c) === last).length;
    const cells = [cell(most), ...top.slice(1).map((c) => `${headOf(c, map.origin, map.columnLabels)}: ${text(c)}`)];
    if (alike > 0) cells.push(words.text('map.more', { count: words.number(alike) }));
    parts.push(words.text('map.strongest', { cells: cells.join(', ') }));
  }
  if (masked > 0 && most !== undefined)
    parts.push(
      map.maskedText?.(masked) ??
        words.text(isCausal(map) ? 'map.later' : 'map.hidden', { count: words.number(masked) }),
    );
  const [bits = NaN] = shares ? entropies(all.map(value), columns) : [];
  if (!Number.isNaN(bits)) parts.push(words.text('map.entropy', { bits: words.number(bits, 1) }));
  return `${rowHead(map, row)}: ${parts.join('; ')}`;
}

/** Whether a map is square and masks all keys after each query, and no others. */
function isCausal(map: RowMap): boolean {
  const { rows, columns } = map;
  if (rows !== columns) return false;
  for (let at = 0; at < rows * columns; ++at)
    if (isMasked(map, at) !== at % columns > Math.floor(at / columns)) return false;
  return true;
}

/** Whether each row sums to about 1, but for those of queries that see nothing. */
function areWeights({ values, rows, columns, low }: RowMap): boolean {
  let is = false;
  for (let row = 0; row < rows && low >= 0; ++row) {
    let sum = 0;
    for (let at = row * columns; at < (row + 1) * columns; ++at) {
      const value = values[at] ?? NaN;
      if (value < 0 && value > -Infinity) return false;
      if (value > 0) sum += value;
    }
    if (sum > 0 && !(Math.abs(sum - 1) < 0.01)) return false;
    is ||= sum > 0;
  }
  return is;
}
