import { scaleLinear } from 'd3-scale';
import { css, nothing, svg, type SVGTemplateResult } from 'lit';
import type { Cell } from './cursor.js';

/** With more rows than this, a row is about as thin as a frame. */
const THIN = 24;
/** The most rows of a mask that are looked at: more than a screen has pixels. */
const MOST_ROWS = 4096;

/**
 * The drawings over and beside a heat map's canvas. All positions are percentages, so that nothing has to be measured.
 */
interface Grid {
  readonly rows: number;
  readonly columns: number;
  readonly validColumns?: number | undefined;
  readonly mask?: ArrayLike<boolean | number> | undefined;
  readonly cursor?: Cell | undefined;
  readonly marked?: readonly Partial<Cell>[] | undefined;
}

/** The labels beside the rows or below the columns: words, or numbers from `origin`. */
interface Axis {
  readonly count: number;
  readonly origin: number;
  /** A bare map is small, so a long one has fewer numbers. */
  readonly bare: boolean;
  readonly words?: readonly string[] | undefined;
  /** See `shownOf`. */
  readonly step?: number;
  readonly cursor?: number | undefined;
  readonly marked?: readonly Partial<Cell>[] | undefined;
}

/** Numbers or words beside the rows. A marked row has its number, with space for a pointer. */
export function rowTicks({ count, origin, bare, words, marked = [], ...shown }: Axis): SVGTemplateResult[] {
  const rows = marked.flatMap(({ row }) => row ?? []);
  const isFree = (tick: number): boolean => rows.every((row) => Math.abs(row - tick) > count / 25);
  const places =
    words === undefined
      ? [...ticks(count, bare && count > 8 ? 4 : 6).filter(isFree), ...rows]
      : shownOf({ count: Math.min(count, words.length), ...shown });
  return places.map(
    (row) =>
      svg`<text x="100%" dx=${rows.includes(row) ? -12 : -6} y=${middle(row, count)} dy="0.35em" text-anchor="end">${words?.[row] ?? row + origin}</text>`,
  );
}

/** Numbers below the columns, or words, which read from bottom to top. */
export function columnTicks({ count, origin, bare, words, ...shown }: Axis): SVGTemplateResult[] {
  if (words === undefined) {
    return ticks(count, bare && count > 8 ? 4 : 8).map(
      (column) => svg`<text x=${middle(column, count)} y="1.15em" text-anchor="middle">${column + origin}</text>`,
    );
  }
  // An inner svg moves the origin to the column's middle, in per cent, where the word is rotated.
  return shownOf({ count: Math.min(count, words.length), ...shown }).map(
    (column) =>
      svg`<svg x=${middle(column, count)} overflow="visible"
        ><text transform="rotate(-90)" x="-6" y="0.35em" text-anchor="end">${words[column]}</text></svg>`,
  );
}

/** Every `step`-th label, and the cursor's instead of its neighbours. */
export function shownOf({ count, step = 1, cursor }: Pick<Axis, 'count' | 'step' | 'cursor'>): number[] {
  const isFree = (i: number): boolean => cursor === undefined || Math.abs(i - cursor) >= step;
  return Array.from({ length: count }, (_, i) => i).filter((i) => i === cursor || (i % step === 0 && isFree(i)));
}

/** The pattern `#hatch` for masked cells. */
export function hatchPattern(): SVGTemplateResult {
  return svg`<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect class="hatch" width="1" height="6" />
  </pattern>`;
}

/** Hatching over the masked cells. Neighbours in a row share one rectangle, so that a map has few shapes. */
export function hatching(grid: Grid): SVGTemplateResult | typeof nothing {
  const runs = maskedRuns(grid);
  if (runs.length === 0) return nothing;
  const { rows, columns } = grid;
  return svg`${hatchPattern()}
    ${runs.map(
      ({ row, height, from, to }) =>
        svg`<rect x="${(from / columns) * 100}%" width="${((to - from) / columns) * 100}%"
          y="${(row / rows) * 100}%" height="${(height / rows) * 100}%" fill="url(#hatch)" />`,
    )}`;
}

/** A rectangle of masked cells: columns `from` to `to` (exclusive), `height` rows from `row` on. */
interface Run {
  readonly row: number;
  readonly height: number;
  readonly from: number;
  readonly to: number;
}

/** The masked cells: whole columns at the end by `validColumns`, or runs of cells in each row by `mask`. */
function maskedRuns({ rows, columns, validColumns = columns, mask }: Grid): Run[] {
  if (mask === undefined) {
    return validColumns < columns ? [{ row: 0, height: rows, from: validColumns, to: columns }] : [];
  }
  const runs: Run[] = [];
  const height = Math.ceil(rows / MOST_ROWS);
  for (let row = 0; row < rows; row += height) {
    for (let from = 0; from < columns; ++from) {
      if (mask[row * columns + from]) continue;
      let to = from + 1;
      while (to < columns && !mask[row * columns + to]) ++to;
      runs.push({ row, height, from, to });
      from = to;
    }
  }
  return runs;
}

/** The frame around the cell under the cursor. */
export function cursorMark({ rows, columns, cursor }: Grid): SVGTemplateResult | typeof nothing {
  return cursor === undefined ? nothing : frame(cursor, rows, columns, 'cursor');
}

/** The value under the cursor, above its cell, or below it in the first row, within the map's width. */
export function cursorValue({ rows, columns, cursor }: Grid, value: string): SVGTemplateResult | typeof nothing {
  if (cursor === undefined) return nothing;
  const { row, column } = cursor;
  const third = Math.floor((3 * column) / columns);
  const anchor = ['start', 'middle', 'end'][third];
  const x = (column + third / 2) / columns;
  const y = (row === 0 ? 1 : row) / rows;
  return svg`<text class="told" x="${x * 100}%" y="${y * 100}%" dy=${row === 0 ? '1.2em' : '-0.5em'} text-anchor=${anchor}>${value}</text>`;
}

/** Frames around the marked rows, columns and cells. */
export function frames({ rows, columns, marked = [] }: Grid): SVGTemplateResult[] {
  return marked.map((area) => frame(area, rows, columns, 'cursor marked'));
}

/** A frame with a halo, which is visible on any colour. */
function frame({ row, column }: Partial<Cell>, rows: number, columns: number, className: string): SVGTemplateResult {
  const x = column === undefined ? 0 : (column / columns) * 100;
  const y = row === undefined ? 0 : (row / rows) * 100;
  const width = column === undefined ? 100 : 100 / columns;
  const height = row === undefined ? 100 : 100 / rows;
  const box = (name: string): SVGTemplateResult =>
    svg`<rect class=${name} x="${x}%" y="${y}%" width="${width}%" height="${height}%" />`;
  // A frame would hide a thin row, so it has a pointer on either side.
  if (column === undefined && rows > THIN) {
    return svg`${[0, 100].map((side) => {
      const out = side === 0 ? -1 : 1;
      return svg`<svg x="${side}%" y="${y + height / 2}%" overflow="visible"><path class="pointer" d="M${2 * out},0l${6 * out},-4v8z" /></svg>`;
    })}`;
  }
  return svg`${box('halo')}${box(className)}`;
}

/** Styles of such frames. */
export const frameStyles = css`
  .halo {
    fill: none;
    stroke: var(--_paper);
    stroke-width: 5;
  }
  .cursor {
    fill: none;
    stroke: var(--_accent);
    stroke-width: 2.5;
  }
`;

function middle(index: number, count: number): string {
  return `${((index + 0.5) / count) * 100}%`;
}

/** About `wanted` whole numbers below `count`, evenly spaced. */
function ticks(count: number, wanted: number): number[] {
  if (count <= wanted) return Array.from({ length: count }, (_, i) => i);
  return scaleLinear([0, count - 1], [0, 1])
    .ticks(wanted)
    .filter((tick) => Number.isInteger(tick));
}
