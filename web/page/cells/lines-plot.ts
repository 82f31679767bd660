import { scaleLinear, type ScaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { css, svg, type SVGTemplateResult } from 'lit';
import { curveStyles, seriesOf, spreadLabels } from '../../elements/drawing.js';
import type { CellOutput } from './messages.js';
import { rangeOf } from './range.js';
import type { SpokenWords } from './words.js';

type Lines = Extract<CellOutput, { type: 'lines' }>;

const MARGIN = { top: 8, right: 44, bottom: 22, left: 46 };
const LABEL_GAP = 14;

/** Columns of a matrix as curves over its rows, each labelled at its end. */
export function linesPlot(lines: Lines, width: number, words: SpokenWords): SVGTemplateResult {
  const { values, rows, shown } = lines;
  const height = Math.max(150, Math.min(220, width * 0.36));
  const x = scaleLinear([0, Math.max(1, rows - 1)], [MARGIN.left, width - MARGIN.right]);
  const y = scaleLinear(rangeOf(values), [height - MARGIN.bottom, MARGIN.top]);
  const at = (row: number, index: number): number => values[row * shown.length + index] ?? NaN;
  const path = line<number>().defined(Number.isFinite);
  const draw = (index: number): string => {
    const drawn = drawnRows(rows, Math.round(width), (row) => at(row, index));
    return path.x((_, i) => x(drawn[i]!)).y((value) => y(value))(drawn.map((row) => at(row, index))) ?? '';
  };
  const ends = shown.map((_, index) => finite(y(at(rows - 1, index)), height / 2));
  const heights = spreadLabels(ends, LABEL_GAP, MARGIN.top, height - MARGIN.bottom);
  return svg`<svg class="lines" height=${height} role="img" aria-label=${linesLabel(lines, words)}>
    ${axes(x, y, width, height, words)}
    ${seriesOf(shown).map(
      ({ column, className }, index) => svg`<path class=${className} d=${draw(index)} />
        <text class=${className.replace('series', 'curve-label')} x=${width - MARGIN.right + 6}
          y=${heights[index] ?? 0} dy="0.35em">${column}</text>`,
    )}
  </svg>`;
}

/**
 * All rows, or where many of them share a pixel, those of the least and the greatest value there, which look the same:
 * a browser takes half a minute to draw a line of 2^18 points.
 */
export function drawnRows(rows: number, pixels: number, valueAt: (row: number) => number): number[] {
  if (rows <= 2 * pixels) return [...Array(rows).keys()];
  return Array.from({ length: pixels }, (_, pixel) => {
    const [first, end] = [pixel, pixel + 1].map((each) => Math.floor((each * rows) / pixels)) as [number, number];
    let [least, most] = [first, first];
    for (let row = first + 1; row < end; ++row) {
      // A pixel is empty only if none of its values is a number.
      if (!(valueAt(row) >= valueAt(least)) && !Number.isNaN(valueAt(row))) least = row;
      if (!(valueAt(row) <= valueAt(most)) && !Number.isNaN(valueAt(row))) most = row;
    }
    return least === most ? [least] : [Math.min(least, most), Math.max(least, most)];
  }).flat();
}

/** The plot's accessible description. */
export function linesLabel({ shown, rows }: Lines, words: SpokenWords): string {
  return words.text('cell.lines', { columns: shown.join(', '), rows: words.number(rows) });
}

function axes(
  x: ScaleLinear<number, number>,
  y: ScaleLinear<number, number>,
  width: number,
  height: number,
  words: SpokenWords,
): SVGTemplateResult {
  const right = width - MARGIN.right;
  const level = (value: number): SVGTemplateResult =>
    svg`<line class="grid" x1=${MARGIN.left} x2=${right} y1=${y(value)} y2=${y(value)} />
      <text x=${MARGIN.left - 6} y=${y(value)} dy="0.35em" text-anchor="end">${words.number(value)}</text>`;
  const tick = (row: number): SVGTemplateResult =>
    svg`<text x=${x(row)} y=${height - 4} text-anchor="middle">${words.number(row)}</text>`;
  const ticks = x.ticks(Math.max(3, Math.min(8, width / 80))).filter((row) => Number.isInteger(row));
  return svg`${y.ticks(4).map(level)}${ticks.map(tick)}`;
}

function finite(value: number, otherwise: number): number {
  return Number.isFinite(value) ? value : otherwise;
}

export const linesStyles = css`
  svg.lines {
    display: block;
    width: 100%;
    overflow: visible;
  }
  ${curveStyles}
`;
