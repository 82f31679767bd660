import { scaleLinear, type ScaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { nothing, svg, type SVGTemplateResult } from 'lit';
import { POSITIONS, type Positions } from '../../training/index.js';
import type { TrainingWords } from './texts.js';
import { curveLabel, spreadLabels } from '../shared/plot/direct-labels.js';
import { positionsStyle } from '../shared/plot/positions-style.js';
import { readingLine } from '../shared/plot/reading.js';

const MARGIN = { top: 26, right: 130, bottom: 38, left: 44 };
const LABEL_GAP = 15;

/** A curve as points (step, value). */
export type Curve = readonly (readonly [step: number, value: number])[];

const across = (steps: number, pixels: number): ScaleLinear<number, number> =>
  scaleLinear([0, steps], [MARGIN.left, pixels - MARGIN.right]);

/** The step nearest to `left` CSS pixels from the plot's left edge. */
export function stepAt(left: number, steps: number, pixels: number): number {
  return Math.max(1, Math.min(steps, Math.round(across(steps, pixels).invert(left))));
}

/** The value of a curve's nearest point at a step, unless there is none or the curve ends before it. */
function valueAt(points: Curve, step: number): number | undefined {
  const apart = ([at]: readonly [number, number]): number => Math.abs(at - step);
  const [first] = points;
  if (first === undefined) return undefined;
  const point = points.reduce((best, each) => (apart(each) < apart(best) ? each : best), first);
  const [gap = 0] = points.length < 2 ? [] : [points[1]![0] - points[0]![0]];
  return apart(point) <= Math.max(1, gap) ? point[1] : undefined;
}

interface Plot {
  readonly curves: ReadonlyMap<Positions, Curve>;
  readonly faint: ReadonlyMap<Positions, Curve>;
  readonly measure: 'accuracy' | 'loss';
  readonly selected: Positions;
  /** The step at which the curves' values are given. */
  readonly read: number | undefined;
  readonly steps: number;
  readonly chance: number;
  readonly vocabulary: number;
  readonly pixels: number;
  readonly words: TrainingWords;
}

function valueText({ measure, words }: Plot, value: number, digits?: number): string {
  return measure === 'accuracy' ? words.percent(value, 0) : words.number(value, digits);
}

/** The curves' values at a step, in words. */
export function valuesAt(plot: Plot, step: number): string {
  const { curves, faint, words } = plot;
  const values = POSITIONS.flatMap((positions) => {
    const value = valueAt(curves.get(positions) ?? faint.get(positions) ?? [], step);
    return value === undefined ? [] : `${words.text(`training.${positions}`)} ${valueText(plot, value, 2)}`;
  });
  return `${words.text('training.steps')} ${words.number(step)}: ${values.join(', ')}`;
}

/** The curves, each labelled at its end; those of other settings are faint. */
export function trainingPlot(plot: Plot): SVGTemplateResult {
  const { curves, faint, measure, selected, read, steps, chance, vocabulary, pixels, words } = plot;
  const height = Math.max(226, Math.min(320, pixels * 0.5));
  const [right, bottom] = [pixels - MARGIN.right, height - MARGIN.bottom];
  const highest = measure === 'accuracy' ? 1 : 1.15 * Math.log(vocabulary);
  const x = across(steps, pixels);
  const y = scaleLinear([0, highest], [bottom, MARGIN.top]).clamp(true);
  const shown = POSITIONS.flatMap((positions) => {
    const points = curves.get(positions) ?? faint.get(positions) ?? [];
    const last = points.at(-1);
    return last === undefined ? [] : [{ positions, points, last }];
  });
  const heights = spreadLabels(
    shown.map(({ last }) => y(last[1])),
    LABEL_GAP,
    MARGIN.top,
    // The last number of the horizontal axis begins below.
    bottom - 5,
  );
  const curve = ({ positions, points }: (typeof shown)[number], at: number): SVGTemplateResult => {
    const path = line<readonly [number, number]>(
      ([step]) => x(step),
      ([, value]) => y(value),
    )([...points]);
    const shade = curves.has(positions) ? '' : 'faint';
    const style = `${positionsStyle(positions)} ${positions === selected ? 'selected' : ''} ${shade}`;
    const value = read === undefined ? undefined : valueAt(points, read);
    const name = words.text(`training.${positions}`);
    return svg`<path class="series ${style}" d=${path ?? ''} data-positions=${positions} />
      ${curveLabel(style, right + 12, heights[at] ?? 0, name, value === undefined ? value : valueText(plot, value, 2))}`;
  };
  const level = (value: number): SVGTemplateResult =>
    svg`<line class="grid" x1=${MARGIN.left} x2=${right} y1=${y(value)} y2=${y(value)} />
      <text x=${MARGIN.left - 6} y=${y(value)} dy="0.35em" text-anchor="end">${valueText(plot, value)}</text>`;
  const tick = (step: number): SVGTemplateResult =>
    svg`<text x=${x(step)} y=${bottom + 16} text-anchor="middle">${words.number(step)}</text>`;
  // The level of guessing without positions, among the other tokens; its loss in nats.
  const guess = measure === 'accuracy' ? chance : -Math.log(chance);
  return svg`<svg height=${height} aria-hidden="true">
    ${y.ticks(4).map(level)}${x.ticks(4).map(tick)}
    ${
      // It has no place of its own among the names.
      heights.some((height) => Math.abs(height - y(guess)) < LABEL_GAP)
        ? nothing
        : svg`<line class="chance" x1=${MARGIN.left} x2=${right} y1=${y(guess)} y2=${y(guess)} />
            <text x=${right + 7} y=${y(guess)} dy="0.35em">${words.text('training.chance')}</text>`
    }
    ${read === undefined ? nothing : readingLine(x(read), MARGIN.top, bottom, words.number(read))}
    ${shown.map(curve)}
    <text x="0" y="10">${words.text(`training.${measure}`)}</text>
    <text x=${(MARGIN.left + right) / 2} y=${height - 3} text-anchor="middle">${words.text('training.steps')}</text>
  </svg>`;
}
