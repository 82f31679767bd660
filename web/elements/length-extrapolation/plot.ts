import { scaleLinear, type ScaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { nothing, svg, type SVGTemplateResult } from 'lit';
import type { ExtrapolationWords } from './texts.js';
import { curveLabel, spreadLabels } from '../shared/plot/direct-labels.js';
import { positionsStyle } from '../shared/plot/positions-style.js';
import { readingLine } from '../shared/plot/reading.js';
import { COMPARED, LENGTHS, TRAINED, type Curves } from './runs.js';

const MARGIN = { top: 40, right: 130, bottom: 38, left: 46 };
const LABEL_GAP = 15;
const FARTHEST = 256;
/** The approximate width of a letter, and the least distance between two numbers on the horizontal axis. */
const LETTER = 7;
const LEAST_STEP = 24;

/** The curves, and faint ones where they are missing. */
interface Shown {
  readonly curves: Curves;
  readonly faint: Curves;
}

const across = (pixels: number): ScaleLinear<number, number> =>
  scaleLinear([0, FARTHEST], [MARGIN.left, pixels - MARGIN.right]);

/** The length with points that is nearest to `left` CSS pixels from the plot's left edge. */
export function lengthAt(left: number, pixels: number): number {
  const there = across(pixels).invert(left);
  return LENGTHS.reduce((best, length) => (Math.abs(length - there) < Math.abs(best - there) ? length : best));
}

/** The curves' values at one of LENGTHS, in words. */
export function valuesAt({ curves, faint }: Shown, length: number, words: ExtrapolationWords): string {
  const at = LENGTHS.findIndex((each) => each === length);
  const values = COMPARED.flatMap((positions) => {
    const accuracy = (curves.get(positions) ?? faint.get(positions))?.[at];
    return accuracy === undefined ? [] : `${words.text(`training.${positions}`)} ${words.percent(accuracy, 0)}`;
  });
  return `${words.text('extrapolation.length')} ${words.number(length)}: ${values.join(', ')}`;
}

/**
 * Each kind of positions' accuracy over the length of the sequences; the lengths used in training are shaded. A kind
 * without a curve has a faint one, of other models. `read` is the length at which values are given.
 */
export function extrapolationPlot(
  { curves, faint }: Shown,
  read: number | undefined,
  pixels: number,
  words: ExtrapolationWords,
): SVGTemplateResult {
  const height = Math.max(236, Math.min(296, pixels * 0.42 + 16));
  const [right, bottom] = [pixels - MARGIN.right, height - MARGIN.bottom];
  const x = across(pixels);
  const y = scaleLinear([0, 1], [bottom, MARGIN.top]);
  const shown = COMPARED.flatMap((positions) => {
    const points = (curves.get(positions) ?? faint.get(positions) ?? []).flatMap((accuracy, k) =>
      accuracy === undefined ? [] : [{ length: LENGTHS[k]!, accuracy }],
    );
    return points.length === 0 ? [] : [{ positions, points }];
  });
  // A curve that ends at the training length is a point with its name above it; the others have their names at their
  // ends.
  const whole = shown.filter(({ points }) => points.at(-1)!.length === FARTHEST);
  const ends = whole.map(({ points }) => y(points.at(-1)!.accuracy));
  const heights = spreadLabels(ends, LABEL_GAP, MARGIN.top, bottom);
  const curve = (each: (typeof shown)[number]): SVGTemplateResult => {
    const { positions, points } = each;
    const path = line<(typeof points)[number]>(
      ({ length }) => x(length),
      ({ accuracy }) => y(accuracy),
    )(points);
    const last = points.at(-1)!;
    const style = `${positionsStyle(positions)} ${curves.has(positions) ? '' : 'faint'}`;
    const name = words.text(`training.${positions}`);
    const at = points.find(({ length }) => length === read)?.accuracy;
    const value = at === undefined ? undefined : words.percent(at, 0);
    const label =
      last.length === FARTHEST
        ? curveLabel(style, right + 20, heights[whole.indexOf(each)] ?? 0, name, value)
        : svg`<text class="curve-label ${style}" x=${x(last.length)} y=${y(last.accuracy) - 10} text-anchor="middle">${name} ${value}</text>`;
    return svg`<path class="series ${style}" d=${path ?? ''} data-positions=${positions} />
      ${points.map(({ length, accuracy }) => svg`<circle class="dot ${style}" r="3" cx=${x(length)} cy=${y(accuracy)} />`)}
      ${points.length === 1 ? svg`<circle class="ring ${style}" r="6" cx=${x(last.length)} cy=${y(last.accuracy)} />` : nothing}
      ${label}`;
  };
  const level = (value: number): SVGTemplateResult =>
    svg`<line class="grid" x1=${MARGIN.left} x2=${right} y1=${y(value)} y2=${y(value)} />
      <text x=${MARGIN.left - 6} y=${y(value)} dy="0.35em" text-anchor="end">${words.percent(value, 0)}</text>`;
  const tick = (length: number): SVGTemplateResult =>
    svg`<text x=${x(length)} y=${bottom + 16} text-anchor="middle">${words.number(length)}</text>`;
  // If the name would cover the curves, only the caption gives it.
  const lesson = `← ${words.text('extrapolation.trained', { length: TRAINED })}`;
  return svg`<svg height=${height} aria-hidden="true">
    <rect class="lesson" x=${x(0)} width=${x(TRAINED) - x(0)} y=${MARGIN.top} height=${bottom - MARGIN.top} />
    ${[0, 0.25, 0.5, 0.75, 1].map(level)}${[...(x(64) - x(32) < LEAST_STEP ? [32] : [32, 64]), 128, 192, 256].map(tick)}
    ${LETTER * lesson.length > right - x(TRAINED) ? nothing : svg`<text class="lesson-label" x=${x(TRAINED) + 5} y=${bottom - 8}>${lesson}</text>`}
    ${read === undefined ? nothing : readingLine(x(read), MARGIN.top, bottom, words.number(read))}
    ${shown.map(curve)}
    <text x="0" y="10">${words.text('training.accuracy')}</text>
    <text x=${(MARGIN.left + right) / 2} y=${height - 3} text-anchor="middle">${words.text('extrapolation.length')}</text>
  </svg>`;
}
