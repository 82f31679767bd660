import { scaleLog } from 'd3-scale';
import { line } from 'd3-shape';
import { html, svg, type TemplateResult } from 'lit';
import type { Localised } from '../shared/localised.js';
import { MOST } from './draws.js';

/** In the plot's own units. */
export const PLOT_WIDTH = 300;

/** About as high as wide, like the maps beside it. The margins fit the longest labels. */
const SIZE = { width: PLOT_WIDTH, height: 270, left: 50, right: 20, top: 12, bottom: 44 };

/** The error of the mean against the number of draws, log–log, with the law 1/√N dashed. */
export function errorPlot(words: Localised, errors: readonly number[], expected: number): TemplateResult {
  const { width, height, left, right, top, bottom } = SIZE;
  const x = scaleLog([1, MOST], [left, width - right]);
  const y = scaleLog([1e-4, 1], [height - bottom, top]);
  const inside = (error: number): number => y(Math.min(1, Math.max(1e-4, error)));
  // Beyond a hundred, neighbours share a pixel, so only every tenth draw and the last one are drawn.
  const shown = errors
    .map((error, i) => ({ error, n: i + 1 }))
    .filter(({ n }) => n <= 100 || n % 10 === 0 || n === errors.length);
  const path = line<{ error: number; n: number }>(
    ({ n }) => x(n),
    ({ error }) => inside(error),
  )(shown);
  const last = errors.at(-1);
  const value = (at: number): string => words.number(at, Math.max(0, -Math.log10(at)));
  return html`<svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label=${words.text('dropout.plot')}>
    ${[1e-4, 1e-3, 1e-2, 0.1, 1].map(
      (at) => svg`<line class="grid" x1=${left} x2=${width - right} y1=${y(at)} y2=${y(at)} />
        <text x=${left - 6} y=${y(at)} dy="0.35em" text-anchor="end">${value(at)}</text>`,
    )}
    ${[1, 10, 100, 1000].map(
      (at) => svg`<text x=${x(at)} y=${height - bottom + 22} text-anchor="middle">${words.number(at)}</text>`,
    )}
    <text x=${(left + width - right) / 2} y=${height - 3} text-anchor="middle">${words.text('dropout.draws')}</text>
    ${
      expected === 0
        ? svg`<text x=${(left + width - right) / 2} y=${y(1e-2)} dy="-1em" text-anchor="middle">${words.text('dropout.none')}</text>`
        : svg`<line class="law" x1=${x(1)} x2=${x(MOST)} y1=${inside(expected)} y2=${inside(expected / Math.sqrt(MOST))} />
      <text x=${x(30)} y=${inside(expected / Math.sqrt(30))} dy="-1em">∝ 1/√N</text>
      <path class="errors" d=${path ?? ''} />
      ${last === undefined ? '' : svg`<circle class="last" r="4.5" cx=${x(errors.length)} cy=${inside(last)} />`}`
    }
  </svg>`;
}
