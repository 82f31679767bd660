import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import { numbersIn, partAround } from '../heads/part.js';
import type { CellDetail } from '../../package-types.js';
import { onCell } from '../heat-map/heat-map.js';
import { withAxes } from '../heat-map/map-axes.js';
import type { Cell } from '../heat-map/cursor.js';
import { nextTokens } from '../next-tokens.js';
import { shortened } from '../tokens.js';
import type { Lens, Lenses } from './lens.js';
import type { LensWords } from './words.js';

/** What is beside a map's cells, the height of a row, the most of all, and the least sides of a cell with a text, in CSS pixels. */
const BESIDE = 40;
const ROW = 26;
const HIGH = 480;
const ROOM = { width: 34, height: 14 };
/** The width of a letter, and the least distance of two labels. */
const LETTER = 6.5;
const LABEL = 12;
/** The most letters of a token on the axis. */
const MOST = 10;

/** A lens, and what all sides share. */
export interface LensMap {
  readonly lens: Lens;
  readonly lenses: Lenses;
  readonly cell: Cell;
  /** The token whose rank is shown. */
  readonly followed: number | undefined;
  /** In CSS pixels. */
  readonly width: number;
  /** What is said of a cell, and of a layer. */
  readonly cellText: (cell: Cell) => string;
  readonly rowText: (row: number) => string;
}

/** Width over height of the cells' rectangle. */
export function aspectOf({ layers }: Lens, width: number): number {
  return Math.max(1, width - BESIDE) / Math.min(ROW * layers, HIGH);
}

/** The height of the tokens on the axis, which read from bottom to top. */
export function ticksOf(tokens: readonly string[], width: number): string {
  if (!isNamed(tokens, width)) return '1.25rem';
  return `${0.75 + 0.45 * Math.min(MOST, Math.max(...tokens.map(({ length }) => length)))}rem`;
}

/** Whether there is room for each token on the axis. */
function isNamed(tokens: readonly string[], width: number): boolean {
  return LABEL * tokens.length <= width - BESIDE;
}

/** Each layer's most likely next token after each token, or the rank of the followed one, as colours with texts. */
export function lensMap(words: LensWords, shown: LensMap, point: (cell: CellDetail) => void): TemplateResult {
  const { lens, lenses, cell, followed, width, cellText, rowText } = shown;
  const { tokens, nameOf } = lenses;
  const label =
    followed === undefined ? words.text('lens.map') : words.text('lens.rankMap', { token: nameOf(followed) });
  return withAxes(
    words.text('lens.layer'),
    words.text('token'),
    html`<div class="map">
      <heat-map
        bare
        .values=${valuesOf(lens, followed)}
        .rows=${lens.layers}
        .columns=${tokens.length}
        .columnLabels=${isNamed(tokens, width) ? tokens.map((token) => shortened(token, MOST)) : undefined}
        .cursor=${cell}
        .cellText=${cellText}
        .rowText=${rowText}
        low="0"
        high="1"
        origin="1"
        label=${label}
        row-name=${words.text('lens.layer')}
        column-name=${words.text('token')}
        @cell-change=${onCell(point)}
      ></heat-map>
      <svg class="texts" aria-hidden="true">${texts(words, shown)}</svg>
    </div>`,
  );
}

/** (layers, T): the probability of the most likely token, or 1 for the first rank and 0 for the last. */
export function valuesOf({ best, ranks, size }: Lens, followed: number | undefined): Float32Array {
  return Float32Array.from(best, (each, at) => {
    if (followed === undefined) return each?.[0]?.share ?? NaN;
    return 1 - Math.log(ranks[at] ?? NaN) / Math.log(Math.max(2, size));
  });
}

/** The most cells of a layer that are said. */
const SAID = 3;

/** A cell's most likely next tokens, or the followed token's rank, as text. */
export function cellText(words: LensWords, lens: Lens, lenses: Lenses, cell: Cell, followed?: number): string {
  const { tokens, nameOf } = lenses;
  const at = cell.row * tokens.length + cell.column;
  const best = lens.best[at]?.map(({ at: id, share }) => `${nameOf(id)} ${words.percent(share, 1)}`);
  const place = words.text('lens.place', { layer: cell.row + 1, token: tokens[cell.column] ?? '' });
  return [`${place} ${best?.join(', ') ?? words.text('map.none')}`, rankText(words, lens, lenses, at, followed)]
    .filter(Boolean)
    .join('; ');
}

/** `Rank of “to”: 2 of 512`, where it is known. */
export function rankText(
  words: LensWords,
  { ranks, size }: Lens,
  { nameOf }: Lenses,
  at: number,
  followed?: number,
): string {
  const rank = ranks[at];
  return followed === undefined || rank === undefined
    ? ''
    : words.text('lens.rank', { token: nameOf(followed), rank: words.number(rank), count: words.number(size) });
}

/** Where a layer predicts most surely, or where the followed token ranks highest, as text. */
export function rowText(
  words: LensWords,
  lens: Lens,
  { tokens, nameOf }: Lenses,
  row: number,
  followed?: number,
): string {
  const first = row * tokens.length;
  const values = valuesOf(lens, followed).subarray(first, first + tokens.length);
  const cells = [...values.keys()]
    .filter((column) => !Number.isNaN(values[column]))
    .sort((a, b) => values[b]! - values[a]!)
    .slice(0, SAID)
    .map((column) => {
      const [best] = lens.best[first + column]!;
      const next =
        followed === undefined
          ? `${nameOf(best!.at)} ${words.percent(best!.share, 0)}`
          : words.number(lens.ranks[first + column]!);
      return words.text('lens.after', { token: tokens[column]!, next });
    });
  const head =
    followed === undefined
      ? words.text('lens.row', { layer: row + 1 })
      : words.text('lens.rankRow', { layer: row + 1, token: nameOf(followed) });
  return `${head} ${cells.join('; ') || words.text('map.none')}`;
}

/** What the cells say, if they have the room. */
function texts(words: LensWords, { lens, lenses, followed, width }: LensMap): SVGTemplateResult[] {
  const [rows, columns] = [lens.layers, lenses.tokens.length];
  const across = (width - BESIDE) / columns;
  if (across < ROOM.width || Math.min(ROW, HIGH / rows) < ROOM.height) return [];
  const values = valuesOf(lens, followed);
  const letters = Math.floor((across - 4) / LETTER);
  const [middle, strong] = [0.55, 0.65];
  return lens.best.map((best, at) => {
    const rank = lens.ranks[at];
    const text = followed === undefined ? best && lenses.nameOf(best[0]!.at) : rank && words.number(rank);
    const value = values[at]!;
    const x = (((at % columns) + 0.5) / columns) * 100;
    const y = ((Math.floor(at / columns) + 0.5) / rows) * 100;
    const kind = value > strong ? 'strong' : value > middle ? 'middle' : '';
    return svg`<text class=${kind} x="${x}%" y="${y}%" dy="0.35em" text-anchor="middle">${text ? shortened(text, letters) : nothing}</text>`;
  });
}

/** What is predicted after a token by each layer, around the chosen one, with the ranks of the followed token. */
export function column(words: LensWords, { lens, lenses, cell, followed }: LensMap): TemplateResult {
  const { tokens, nameOf } = lenses;
  const token = tokens[cell.column] ?? '';
  const layers = numbersIn(partAround({ layers: lens.layers, heads: 1 }, { layer: cell.row + 1, head: 1 }).layers);
  const lines = layers.flatMap((layer) => {
    const at = (layer - 1) * tokens.length + cell.column;
    const [first] = lens.best[at] ?? [];
    if (first === undefined) return [];
    const rank = lens.ranks[at] === undefined ? '' : ` (${words.number(lens.ranks[at])})`;
    return { name: `${layer}\u2002${nameOf(first.at)}${rank}`, share: first.share };
  });
  const label =
    followed === undefined
      ? words.text('lens.column', { token })
      : words.text('lens.columnRank', { token, followed: nameOf(followed) });
  return html`<div class="column">
    <p class="remark">${label}</p>
    ${nextTokens(label, lines, words)}
  </div>`;
}
