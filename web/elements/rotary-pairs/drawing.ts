import { line } from 'd3-shape';
import { scaleLinear } from 'd3-scale';
import { svg, type SVGTemplateResult } from 'lit';
import type { Localised } from '../shared/localised.js';
import { LAST, PAIRS, sumAt, WIDTH, type Rotated } from './turning.js';

/** Half a dial's side, a side, and the longest arrow, in the dial's pixels. */
const HALF = 58;
export const SIDE = 2 * HALF;
const LONGEST = 42;
const MARGIN = { top: 26, right: 10, bottom: 40, left: 34 };
const HEIGHT = 208;

/** An arrow of a dial. */
export type Arrow = 'query' | 'key';

/** The scale at which the longest arrow fits its dial. */
export function unitOf({ queries, keys }: Rotated): number {
  const longest = (vectors: Float32Array): number =>
    Math.max(...Array.from({ length: PAIRS }, (_, r) => Math.hypot(vectors[2 * r]!, vectors[2 * r + 1]!)));
  return LONGEST / Math.max(longest(queries), longest(keys));
}

/** The tips' events: `grab` and `drag` for a pointer, `press` for the keys of the focused one. */
export interface TipEvents {
  readonly grab: (arrow: Arrow, event: PointerEvent) => void;
  readonly drag: (event: PointerEvent) => void;
  readonly press: (arrow: Arrow, event: KeyboardEvent) => void;
}

/** A pair's dial, with the positions of the query and of the key. */
interface Dial extends Readonly<Record<Arrow, number>> {
  readonly both: Rotated;
  readonly pair: number;
  readonly label: string;
  /** The tips' accessible names. */
  readonly spoken: Readonly<Record<Arrow, string>>;
  readonly events: TipEvents;
}

/** The two arrows of a pair, with the angle between them. */
export function dial(given: Dial): SVGTemplateResult {
  const { both, pair, label, events } = given;
  const unit = unitOf(both);
  const tip = (vectors: Float32Array, position: number): readonly [number, number] => {
    const at = position * WIDTH + 2 * pair;
    return [unit * vectors[at]!, -unit * vectors[at + 1]!];
  };
  const [q, k] = [tip(both.queries, given.query), tip(both.keys, given.key)];
  return svg`<svg class="dial" viewBox="${-HALF} ${-HALF} ${SIDE} ${SIDE}" role="group" aria-label=${label}>
    <circle class="rim" r=${LONGEST} />
    <path class="between" d=${wedge(q, k)} />
    ${arrowTo(k, q, 'key', given, events)}${arrowTo(q, k, 'query', given, events)}
  </svg>`;
}

type Point = readonly [x: number, y: number];

/** The sector between two directions, the shorter way round. */
function wedge(from: Point, to: Point): string {
  const radius = 13;
  const end = ([x, y]: Point): string => {
    const scale = radius / Math.max(1e-6, Math.hypot(x, y));
    return `${x * scale},${y * scale}`;
  };
  const sweep = from[0] * to[1] - from[1] * to[0] > 0 ? 1 : 0;
  return `M0,0L${end(from)}A${radius},${radius} 0 0 ${sweep} ${end(to)}Z`;
}

/** An arrow with its letter, on the side away from the other arrow. */
function arrowTo(
  [x, y]: Point,
  other: Point,
  arrow: Arrow,
  { pair, spoken, [arrow]: position }: Dial,
  { grab, drag, press }: TipEvents,
): SVGTemplateResult {
  const cross = other[0] * y - other[1] * x;
  // If the arrows coincide, each still has its own side.
  const side = cross === 0 ? (arrow === 'query' ? 1 : -1) : Math.sign(cross);
  const direction = Math.atan2(y, x) + 0.9 * side;
  // All arrows of a vector have one position, so only those of the first pair are tab stops.
  // In SVG, touch-action works only on the outermost element, and a finger beside the tips should scroll.
  const stay = (event: TouchEvent): void => event.preventDefault();
  return svg`<line class="arrow ${arrow}" x2=${x} y2=${y} />
    <text class=${arrow} x=${x + 13 * Math.cos(direction)} y=${y + 13 * Math.sin(direction)} dy="0.3em"
      text-anchor="middle" aria-hidden="true">${arrow === 'query' ? 'q' : 'k'}</text>
    <g class="tip ${arrow}" data-arrow=${arrow} tabindex=${pair === 0 ? 0 : -1} role="slider"
      aria-label=${spoken[arrow]} aria-valuenow=${position} aria-valuemin="0" aria-valuemax=${LAST} aria-valuetext=${position}
      aria-describedby="help" @touchstart=${stay} @keydown=${(event: KeyboardEvent) => press(arrow, event)}
      @pointerdown=${(event: PointerEvent) => grab(arrow, event)} @pointermove=${drag}>
      <circle class="target" cx=${x} cy=${y} r="21" /><circle class="mark" cx=${x} cy=${y} r="5" />
    </g>`;
}

/** The sum over the offset j − i, with the current offset marked. */
export function sumPlot(both: Rotated, offset: number, pixels: number, words: Localised): SVGTemplateResult {
  const sums = Array.from({ length: 2 * LAST + 1 }, (_, at) => {
    const away = at - LAST;
    return sumAt(both, Math.max(0, -away), Math.max(0, away));
  });
  const right = pixels - MARGIN.right;
  const bottom = HEIGHT - MARGIN.bottom;
  const x = scaleLinear([-LAST, LAST], [MARGIN.left, right]);
  const y = scaleLinear([Math.min(0, ...sums), Math.max(0, ...sums)], [bottom, MARGIN.top]).nice(4);
  const path = line<number>(
    (_, at) => x(at - LAST),
    (sum) => y(sum),
  )(sums);
  const level = (value: number): SVGTemplateResult =>
    svg`<line class="grid" x1=${MARGIN.left} x2=${right} y1=${y(value)} y2=${y(value)} />
      <text x=${MARGIN.left - 6} y=${y(value)} dy="0.35em" text-anchor="end">${words.number(value)}</text>`;
  const tick = (value: number): SVGTemplateResult =>
    svg`<text x=${x(value)} y=${bottom + 16} text-anchor="middle">${words.number(value)}</text>`;
  return svg`<svg height=${HEIGHT} role="img" aria-label=${words.text('rotary.plotLabel')}>
    ${y.ticks(4).map(level)}${[-30, -20, -10, 0, 10, 20, 30].map(tick)}
    <text x="0" y="10">${words.text('rotary.sum')}</text>
    <path class="curve" d=${path ?? ''} />
    <line class="cursor-line" x1=${x(offset)} x2=${x(offset)} y1=${MARGIN.top} y2=${bottom} />
    <circle class="dot" cx=${x(offset)} cy=${y(sums[offset + LAST] ?? NaN)} r="5" />
    <text x=${(MARGIN.left + right) / 2} y=${HEIGHT - 2} text-anchor="middle">${words.text('relative.offset')}</text>
  </svg>`;
}
