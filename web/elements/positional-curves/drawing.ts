import { scaleLinear, type ScaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { nothing, svg, type SVGTemplateResult } from 'lit';
import type { Tensor } from 'wasm-attention';
import type { Before } from '../shared/encoding/encoding-figure.js';
import type { Localised } from '../shared/localised.js';
import { curveLabel, spreadLabels } from '../shared/plot/direct-labels.js';
import { subscript } from '../shared/plot/subscript.js';
import type { Series } from '../shared/plot/series.js';

const MARGIN = { top: 24, right: 100, bottom: 36, left: 36 };

/** The least distance of two curves' labels. */
const LABEL_GAP = 14;

/**
 * The least width of a wave, in CSS pixels per curve. Narrower ones would fill the plot, so they are faint, with marks
 * at their values.
 */
const NARROW = 5.5;

/** Scales from positions and values to CSS pixels. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly x: ScaleLinear<number, number>;
  readonly y: ScaleLinear<number, number>;
}

/** The plot's layout at this width, over this many positions. */
export function layoutOf(width: number, length: number): Layout {
  const height = Math.max(226, Math.min(316, width * 0.4 + 16));
  const x = scaleLinear([0, Math.max(1, length - 1)], [MARGIN.left, width - MARGIN.right]);
  const y = scaleLinear([-1, 1], [height - MARGIN.bottom, MARGIN.top]);
  return { width, height, x, y };
}

/** Grid lines at multiples of ½, numbers, and both axes' names. */
export function axes({ width, height, x, y }: Layout, words: Localised): SVGTemplateResult {
  const right = width - MARGIN.right;
  const value = (at: number): SVGTemplateResult =>
    svg`<line class="grid" x1=${MARGIN.left} x2=${right} y1=${y(at)} y2=${y(at)} />
      <text x=${MARGIN.left - 7} y=${y(at)} dy="0.35em" text-anchor="end">${words.number(at)}</text>`;
  const position = (at: number): SVGTemplateResult =>
    svg`<text x=${x(at)} y=${height - MARGIN.bottom + 16} text-anchor="middle">${words.number(at)}</text>`;
  const positions = x.ticks(Math.max(3, Math.min(8, width / 80))).filter((at) => Number.isInteger(at));
  return svg`${[-1, -0.5, 0, 0.5, 1].map(value)}${positions.map(position)}
    <text x="0" y="10">p${subscript('ij')}</text>
    <text x=${(MARGIN.left + right) / 2} y=${height - 3} text-anchor="middle">${words.text('position')}</text>`;
}

/**
 * The columns of P as curves through their values at whole positions, narrow waves with marks at these, each labelled
 * at its end. If none is narrow, the initial curves are behind them, faint and solid.
 */
export function curves(
  P: Tensor,
  before: Before | undefined,
  series: readonly Series[],
  layout: Layout,
  words: Localised,
): SVGTemplateResult {
  const { width, x, y } = layout;
  const [length = 0] = P.shape;
  const right = width - MARGIN.right;
  const positions = Array.from({ length }, (_, i) => i);
  // Dots for sines, ticks for cosines.
  const values = (column: number): string =>
    positions.map((i) => `M${x(i)} ${y(entry(P, i, column))}${column % 2 ? 'm0-2v4' : 'h0'}`).join('');
  // The same for both columns of a pair. A wave goes up by two and down by two.
  const isNarrow = ({ column }: Series): boolean => {
    const at = (i: number): number => entry(P, i, column - (column % 2));
    const way = positions.slice(1).reduce((sum, i) => sum + Math.abs(at(i) - at(i - 1)), 0);
    return x(length - 1) - x(0) < (NARROW * series.length * way) / 4;
  };
  const ends = series.map(({ column }) => y(entry(P, length - 1, column)));
  const heights = spreadLabels(ends, LABEL_GAP, y(1), y(-1));
  const faint = (P: Tensor, column: number, className: string): SVGTemplateResult =>
    svg`<path class="${className} faint" d=${curve(P, column, layout)} />`;
  const now = series.map((each, index) => {
    const { column, className } = each;
    const narrow = isNarrow(each);
    const style = narrow ? className.replace(/dash-\d/, column % 2 ? 'ticks' : 'dots') : className;
    return svg`${narrow ? faint(P, column, style) : nothing}
      <path class=${style} d=${narrow ? values(column) : curve(P, column, layout)} data-column=${column} />
      ${curveLabel(style.replace('series ', ''), right + 7, heights[index] ?? 0, words.text('curves.column', { column }))}`;
  });
  if (before === undefined || series.some(isNarrow)) return svg`${now}`;
  return svg`${series.map(({ column, className }) => faint(before.P, column, `${className.replace(/ dash-\d/, '')} before`))}
    <text x=${right} y="10" text-anchor="end">${before.name}</text> ${now}`;
}

function curve(P: Tensor, column: number, { x, y }: Layout): string {
  const [length = 0] = P.shape;
  const through = line<number>(
    (i) => x(i),
    (i) => y(entry(P, i, column)),
  );
  return through(Array.from({ length }, (_, i) => i)) ?? '';
}

/** A line at one position, with a dot on every curve. */
export function cursorMark(P: Tensor, series: readonly Series[], cursor: number, { x, y }: Layout): SVGTemplateResult {
  const dot = ({ column, className }: Series): SVGTemplateResult =>
    svg`<circle class=${className.replace('series', 'dot')} r="4" cx=${x(cursor)} cy=${y(entry(P, cursor, column))} />`;
  return svg`<line class="cursor-line" x1=${x(cursor)} x2=${x(cursor)} y1=${y(1)} y2=${y(-1)} />
    ${series.map(dot)}`;
}

/** One entry of P. */
export function entry(P: Tensor, position: number, column: number): number {
  return P.data[position * (P.shape[1] ?? 0) + column] ?? NaN;
}

/** How many letters of columns fit beside the slider's name on a phone. */
const ROOM = 8;

/** `6–9`, or `2, 6–8`: ranges of neighbours; `20 … 29` if they would be longer. */
export function columnRanges(columns: readonly number[]): string {
  const runs: [first: number, last: number][] = [];
  for (const column of columns) {
    const run = runs.at(-1);
    if (run !== undefined && column === run[1] + 1) run[1] = column;
    else runs.push([column, column]);
  }
  const all = runs.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
  return all.length <= ROOM ? all : `${columns[0]} … ${columns.at(-1)}`;
}
