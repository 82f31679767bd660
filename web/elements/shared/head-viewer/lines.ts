import { svg, type SVGTemplateResult } from 'lit';
import { shortened } from '../tokens.js';

/** The height of a token, in CSS pixels. */
export const ROW = 18;
/** Weaker lines are left out, and so are all but the strongest: nobody could tell them apart. */
const LEAST = 0.03;
const MOST = 1500;
/** Letters of a token. */
const ROOM = 14;

/** Two columns of tokens, and a line from each query to each key, by its weight more or less opaque. */
export interface Lines {
  readonly map: ArrayLike<number>;
  readonly tokens: readonly string[];
  readonly keyTokens: readonly string[];
  /** The query whose lines are shown alone. */
  readonly query: number | undefined;
}

export function lines({ map, tokens, keyTokens, query }: Lines): SVGTemplateResult {
  const columns = keyTokens.length;
  const weight = (row: number, column: number): number => map[row * columns + column] ?? 0;
  const middle = (index: number): number => (index + 0.5) * ROW;
  const drawn = Array.from(map, (value, at) => ({
    value,
    row: Math.floor(at / columns),
    column: at % columns,
  }))
    .filter(({ value, row }) => value >= LEAST && (query === undefined || row === query))
    .sort((a, b) => b.value - a.value)
    .slice(0, MOST);
  return svg`
    ${drawn.map(
      ({ value, row, column }) =>
        svg`<line class="line" x1="38%" x2="62%" y1=${middle(row)} y2=${middle(column)} stroke-opacity=${Math.sqrt(Math.min(1, value)).toFixed(3)} />`,
    )}
    ${tokens.map(
      (token, row) =>
        svg`<text class=${row === query ? 'asks' : ''} x="37%" y=${middle(row)} dy="0.35em" text-anchor="end">${shortened(token, ROOM)}</text>`,
    )}
    ${keyTokens.map(
      (token, column) =>
        svg`<text class=${query !== undefined && weight(query, column) >= LEAST ? 'asked' : ''} x="63%" y=${middle(column)} dy="0.35em">${shortened(token, ROOM)}</text>`,
    )}`;
}
