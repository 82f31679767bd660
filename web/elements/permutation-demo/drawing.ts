import { html, svg, type TemplateResult } from 'lit';
import type { Localised } from '../shared/localised.js';
import { COUNT, ROUNDING, WIDTH, type Order, type PermutationScene } from './permutation.js';

/** The names of the four matrices, above their columns. */
export function heads(): TemplateResult {
  return html`
    <div class="side head">
      <div class="x"><b>X</b></div>
      <div class="y"><i>f</i>&hairsp;(<b>X</b>)</div>
    </div>
    <div class="side right head">
      <div class="z"><i>f</i>&hairsp;(Π<b>X</b>)</div>
      <div class="px">Π<b>X</b></div>
    </div>
  `;
}

/** A row of each of the four matrices, between the tokens at this place before and after. */
export function rowSquares(
  { X, Y, PX, Z }: PermutationScene,
  place: number,
  before: string,
  after: TemplateResult,
): TemplateResult {
  const most = (...all: Float32Array[]): number => Math.max(...all.map((a) => Math.max(...a.map(Math.abs))));
  const row = (matrix: Float32Array, size: number): TemplateResult =>
    squares(matrix.subarray(place * WIDTH, (place + 1) * WIDTH), size);
  return html`
    <div class="side">
      <div class="before">${before}</div>
      <div class="x">${row(X, most(X))}</div>
      <div class="y">${row(Y, most(Y, Z))}</div>
    </div>
    <div class="side right">
      <div class="z">${row(Z, most(Y, Z))}</div>
      <div class="px">${row(PX, most(X))}</div>
      ${after}
    </div>
  `;
}

/**
 * One row of a matrix as squares whose areas are the absolute values (a Hinton diagram), filled if positive and
 * outlined if negative. `most` is the absolute value of a full cell.
 */
function squares(row: Float32Array, most: number): TemplateResult {
  return html`<svg class="squares" viewBox="0 0 ${WIDTH} 1" aria-hidden="true">
    ${Array.from(row, (value, i) => {
      const side = 0.86 * Math.sqrt(Math.min(1, Math.abs(value) / most));
      const at = (1 - side) / 2;
      return svg`<rect class=${value < 0 ? 'negative' : 'positive'} x=${i + at} y=${at} width=${side} height=${side} />`;
    })}
  </svg>`;
}

/** A line per token from its place on the left to its place on the right; dashed if its output has changed. */
export function links(order: Order, differences: readonly number[]): TemplateResult {
  return html`<svg class="links" viewBox="0 0 100 ${COUNT}" preserveAspectRatio="none" aria-hidden="true">
    ${order.map((number, place) => {
      const [from, to] = [number - 0.5, place + 0.5];
      return svg`<path class=${isRounding(differences[place] ?? NaN) ? 'link' : 'link changed'}
        d="M 2 ${from} C 40 ${from} 60 ${to} 98 ${to}" vector-effect="non-scaling-stroke" />`;
    })}
  </svg>`;
}

/** The legend of squares and lines. */
export function legend(words: Localised): TemplateResult {
  const sample = (mark: unknown): TemplateResult => html`<svg viewBox="0 0 24 12">${mark}</svg>`;
  return html`
    <span>${sample(svg`<path class="link" d="M 0 6 h 24" />`)}${words.text('permute.equal')}</span>
    <span>${sample(svg`<path class="link changed" d="M 0 6 h 24" />`)}${words.text('permute.unequal')}</span>
    <span
      >${sample(svg`<rect class="positive" x="7" y="1" width="10" height="10" />`)}${words.text('permute.positive')}</span
    >
    <span
      >${sample(svg`<rect class="negative" x="7" y="1" width="10" height="10" />`)}${words.text('permute.negative')}</span
    >
  `;
}

/** Whether a difference can come from the order of float32 sums. */
export function isRounding(difference: number): boolean {
  return difference <= ROUNDING;
}
