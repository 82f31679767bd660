import { scaleLog, type ScaleLogarithmic } from 'd3-scale';
import { line, symbol, symbolCircle, symbolDiamond, symbolSquare, symbolTriangle } from 'd3-shape';
import { nothing, svg, type SVGTemplateResult } from 'lit';
import { powerOfTen, timeText } from '../shared/numbers.js';
import { curveLabel, spreadLabels } from '../shared/plot/direct-labels.js';
import type { Contestant, Entry, Point } from './plan.js';
import { REFERENCE_RATE, type RaceCurve, type RacePlot } from './plot.js';

/** Scales from sizes and counts to CSS pixels. */
export interface RaceLayout {
  readonly height: number;
  /** Below this width the names are above the plot, not beside the curves. */
  readonly narrow: boolean;
  readonly x: ScaleLogarithmic<number, number>;
  readonly y: ScaleLogarithmic<number, number>;
}

const MARGIN = { top: 26, bottom: 38, left: 34, label: 8, time: 50 };
/** The width of the line sample before a label. */
const SAMPLE = 27;
/** Half of its line. */
const MIDDLE = 11;
const LABEL_GAP = 14;
const NARROW = 480;
/** The height of a row of two names above a narrow plot. */
const LEGEND_ROW = 18;
/** The height of the second line of axis names on a narrow plot, where large letters would not fit into one line. */
const NAME_ROW = 16;
/** The width of a label's character, with a margin that keeps times apart from labels. */
const CHARACTER = 8;

/** A line style and a dot shape per curve, so that they can be distinguished without colours. */
const LOOKS = {
  cnn: { className: 'colour-0 dash-1', symbol: symbolSquare },
  rnn: { className: 'colour-1 dash-2', symbol: symbolTriangle },
  attention: { className: 'colour-2 dash-0', symbol: symbolCircle },
  layer: { className: 'colour-3 dash-3', symbol: symbolDiamond },
} as const;

/** Whole decades around everything drawn. */
export function layoutOf({ width, curves }: RacePlot): RaceLayout {
  const points = curves.flatMap(({ counted, measured }) => [...counted, ...measured]);
  const sizes = points.map(({ x }) => x);
  const counts = points.map(({ y }) => y);
  const narrow = width < NARROW;
  const above = narrow ? NAME_ROW + Math.ceil(curves.length / 2) * LEGEND_ROW + 6 : 0;
  const height = narrow ? 240 + NAME_ROW : 264;
  const characters = Math.max(...curves.map(({ label }) => widthOf(label)));
  const right = width - MARGIN.time - (narrow ? 0 : MARGIN.label + SAMPLE + characters * CHARACTER);
  const decades = [10 ** Math.floor(Math.log10(Math.min(...counts))), 10 ** Math.ceil(Math.log10(Math.max(...counts)))];
  return {
    height,
    narrow,
    x: scaleLog([Math.min(...sizes), Math.max(...sizes)], [MARGIN.left, right]),
    y: scaleLog(decades, [height - MARGIN.bottom, MARGIN.top + above]),
  };
}

/** Korean letters are twice as wide as Latin ones. */
function widthOf(label: string): number {
  return Array.from(label).reduce((sum, letter) => sum + (letter > '\u1100' ? 1.7 : 1), 0);
}

/** Grid, curves, dots, crossings, labels. */
export function drawRace(plot: RacePlot): SVGTemplateResult {
  const layout = layoutOf(plot);
  const { curves, chosen } = plot;
  const { x, y } = layout;
  const [left = 0, right = 0] = x.range();
  const [bottom = 0, top = 0] = y.range();
  const path = line<Point>(
    (point) => x(point.x),
    (point) => y(point.y),
  );
  return svg`
    ${axes(plot, layout)}
    <line class="chosen" x1=${x(chosen)} x2=${x(chosen)} y1=${top} y2=${bottom} />
    ${curves
      .filter(({ threads }) => threads === 1)
      .map(
        ({ contestant, counted }) =>
          svg`<path class="series ${LOOKS[contestant].className}" data-contestant=${contestant} d=${path(counted)} />`,
      )}
    ${curves.map((curve) => dots(curve, layout, path(curve.measured)))}
    ${plot.crossings.map((at) => mark(at, layout))}
    ${layout.narrow ? names(plot) : labels(plot, layout)}
    <line class="axis" x1=${left} x2=${right} y1=${bottom} y2=${bottom} />`;
}

/** Names at the ends of the curves. */
function labels({ curves }: RacePlot, { x, y }: RaceLayout): SVGTemplateResult[] {
  const [, right = 0] = x.range();
  const [bottom = 0, top = 0] = y.range();
  const ends = curves.map(({ counted, measured }) => y((counted.at(-1) ?? measured.at(-1))?.y ?? 1));
  const heights = spreadLabels(ends, LABEL_GAP, top, bottom);
  return curves.map((curve, index) => labelOf(curve, right + MARGIN.label, heights[index] ?? 0, curve.label));
}

/** Names above the plot, two per row. */
function names({ width, curves }: RacePlot): SVGTemplateResult[] {
  return curves.map((curve, index) => {
    const left = (index % 2) * (width / 2);
    const height = MARGIN.top + NAME_ROW + (Math.floor(index / 2) + 0.25) * LEGEND_ROW;
    return labelOf(curve, left, height, curve.brief);
  });
}

/** A name after a sample of its line, with its dot once there are any, or of its dots if it has no line. */
function labelOf({ contestant, threads, measured }: RaceCurve, x: number, y: number, name: string): SVGTemplateResult {
  const { className } = LOOKS[contestant];
  if (threads === 1)
    return svg`${curveLabel(className, x, y, name)}
      ${measured.length === 0 ? nothing : sampleDot(contestant, x + MIDDLE, y)}`;
  return svg`<g transform="translate(${x + SAMPLE / 2} ${y})">${dot({ contestant, threads }, 36)}</g>
    <text class="curve-label ${className}" x=${x + SAMPLE} y=${y} dy="0.35em">${name}</text>`;
}

function dots(
  { measured, ...entry }: RaceCurve,
  { x, y }: RaceLayout,
  path: string | null,
): SVGTemplateResult | typeof nothing {
  if (measured.length === 0) return nothing;
  const { className } = LOOKS[entry.contestant];
  // Smaller on a phone, where the dots are closer.
  const area = (x.range()[1] ?? 0) > 400 ? 56 : 36;
  return svg`<path class="between ${className}" d=${path} />
    ${measured.map((point) => dot(entry, area, `translate(${x(point.x)} ${y(point.y)})`))}`;
}

/** Filled on one thread, hollow on more. */
function dot({ contestant, threads }: Entry, area: number, transform = ''): SVGTemplateResult {
  const { className, symbol: type } = LOOKS[contestant];
  return svg`<path class="dot ${className} ${threads > 1 ? 'hollow' : ''}" data-contestant=${contestant}
    data-threads=${threads} d=${symbol(type, area)() ?? ''} transform=${transform} />`;
}

/** A contestant's dot, as a sample. */
export function sampleDot(contestant: Contestant, x: number, y: number): SVGTemplateResult {
  const { className, symbol: type } = LOOKS[contestant];
  return svg`<path class="dot ${className}" d=${symbol(type, 36)() ?? ''} transform="translate(${x} ${y})" />`;
}

function mark(at: Point, { x, y }: RaceLayout): SVGTemplateResult {
  const [bottom = 0] = y.range();
  return svg`<line class="drop" x1=${x(at.x)} x2=${x(at.x)} y1=${y(at.y)} y2=${bottom} />
    <circle class="crossing" cx=${x(at.x)} cy=${y(at.y)} r="6" />`;
}

function axes(plot: RacePlot, { height, narrow, x, y }: RaceLayout): SVGTemplateResult {
  const [left = 0, right = 0] = x.range();
  const [bottom = 0] = y.range();
  const [least = 1, most = 1] = y.domain();
  const decades = Array.from(
    { length: Math.round(Math.log10(most / least)) + 1 },
    (_, index) => Math.round(Math.log10(least)) + index,
  );
  const [first = 1, last = 1] = x.domain();
  const powers = Array.from({ length: Math.log2(last / first) + 1 }, (_, index) => first * 2 ** index);
  const every = Math.ceil(36 / ((right - left) / powers.length));
  return svg`
    ${decades.map(
      (
        power,
      ) => svg`<line class="grid" x1=${left} x2=${plot.width - MARGIN.time} y1=${y(10 ** power)} y2=${y(10 ** power)} />
        <text x=${left - 6} y=${y(10 ** power)} dy="0.35em" text-anchor="end">${powerOfTen(power)}</text>
        <text x=${plot.width} y=${y(10 ** power)} dy="0.35em" text-anchor="end">${timeText(10 ** power / REFERENCE_RATE, plot.number)}</text>`,
    )}
    ${powers
      .filter((_, index) => index % every === 0)
      .map((size) => svg`<text x=${x(size)} y=${bottom + 16} text-anchor="middle">${plot.number(size)}</text>`)}
    <text x="0" y="10">${plot.countName}</text>
    <text x=${plot.width} y=${narrow ? 10 + NAME_ROW : 10} text-anchor="end">${plot.timeName}</text>
    <text x=${(left + right) / 2} y=${height - 3} text-anchor="middle">${plot.axisName}</text>`;
}
