import { scaleLinear, scaleLog, type ScaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { svg, type SVGTemplateResult } from 'lit';
import type { Localised } from '../shared/localised.js';
import { powerOfTen } from '../shared/numbers.js';
import { curveLabel, spreadLabels } from '../shared/plot/direct-labels.js';
import { LAYERS, STACKS, type Stack } from './stack.js';

const MARGIN = { top: 26, right: 152, bottom: 38, left: 42 };
const LABEL_GAP = 15;
/** Below this, all differences are rounding errors of float32. */
const FLOOR = 3e-8;
/** The exponents on the vertical axis. */
const DECADES = [0, -1, -2, -3, -4, -5, -6, -7];

/** The stacks' colours. Attention has the same one wherever it is compared with other architectures. */
const COLOURS = [2, 0, 1, 3] as const;

type Differences = Readonly<Record<Stack, readonly number[]>>;

const across = (pixels: number): ScaleLinear<number, number> =>
  scaleLinear([0, LAYERS], [MARGIN.left, pixels - MARGIN.right]);

/** The layer nearest to `left` CSS pixels from the plot's left edge. */
export function layerAt(left: number, pixels: number): number {
  return Math.max(0, Math.min(LAYERS, Math.round(across(pixels).invert(left))));
}

/**
 * The difference between the tokens after each layer, one curve per stack, on a logarithmic axis; the initial curves
 * behind them, faint.
 */
export function depthPlot(plot: {
  differences: Differences;
  before: { readonly name: string; readonly differences: Differences } | undefined;
  depth: number;
  pixels: number;
  words: Localised;
}): SVGTemplateResult {
  const { differences, before, depth, pixels, words } = plot;
  const height = Math.max(210, Math.min(320, pixels * 0.5));
  const right = pixels - MARGIN.right;
  const x = across(pixels);
  const y = scaleLog([FLOOR, 1], [height - MARGIN.bottom, MARGIN.top]);
  const at = (value: number): number => y(Math.max(FLOOR, value));
  const ends = STACKS.map((stack) => at(differences[stack][LAYERS] ?? NaN));
  const heights = spreadLabels(ends, LABEL_GAP, MARGIN.top, height - MARGIN.bottom);
  const path = line<number>((_, layer) => x(layer), at);
  const faint = (stack: Stack, index: number): SVGTemplateResult =>
    svg`<path class="series colour-${COLOURS[index]} before" d=${path(before!.differences[stack]) ?? ''} />`;
  const curve = (stack: Stack, index: number): SVGTemplateResult =>
    svg`<path class="series colour-${COLOURS[index]} dash-${index}" d=${path(differences[stack]) ?? ''} data-stack=${stack} />
      <circle class="dot colour-${COLOURS[index]}" r="4" cx=${x(depth)} cy=${at(differences[stack][depth] ?? NaN)} />
      ${curveLabel(`colour-${COLOURS[index]} dash-${index}`, right + 8, heights[index] ?? 0, words.text(`depth.${stack}`))}`;
  const decade = (exponent: number): SVGTemplateResult =>
    svg`<line class="grid" x1=${MARGIN.left} x2=${right} y1=${y(10 ** exponent)} y2=${y(10 ** exponent)} />
      <text x=${MARGIN.left - 7} y=${y(10 ** exponent)} dy="0.35em" text-anchor="end">${exponent === 0 ? '1' : powerOfTen(exponent)}</text>`;
  const layer = (count: number): SVGTemplateResult =>
    svg`<text x=${x(count)} y=${height - MARGIN.bottom + 16} text-anchor="middle">${words.number(count)}</text>`;
  return svg`<svg height=${height} role="img" aria-label=${words.text('depth.plotLabel')}>
    ${DECADES.map(decade)}${[0, 6, 12, 18, 24].map(layer)}
    <text x="0" y="10">${words.text('depth.difference')}</text>
    <text x=${(MARGIN.left + right) / 2} y=${height - 3} text-anchor="middle">${words.text('depth.layers')}</text>
    <line class="cursor-line" x1=${x(depth)} x2=${x(depth)} y1=${MARGIN.top} y2=${height - MARGIN.bottom} />
    ${before && svg`${STACKS.map(faint)}<text x=${pixels} y="10" text-anchor="end">${before.name}</text>`}
    ${STACKS.map(curve)}
  </svg>`;
}
