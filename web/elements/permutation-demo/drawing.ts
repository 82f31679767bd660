import { html, svg, type TemplateResult } from 'lit';
import { COUNT, ROUNDING, WIDTH, type Order } from './permutation.js';

/**
 * One row of a matrix as squares whose areas are the numbers' sizes (Hinton's diagram): filled where positive, outlined where
 * negative. `most` is the size of a full cell.
 */
export function squares(row: Float32Array, most: number): TemplateResult {
  return html`<svg class="squares" viewBox="0 0 ${WIDTH} 1" aria-hidden="true">
    ${Array.from(row, (value, i) => {
      const side = 0.86 * Math.sqrt(Math.min(1, Math.abs(value) / most));
      const at = (1 - side) / 2;
      return svg`<rect class=${value < 0 ? 'negative' : 'positive'} x=${i + at} y=${at} width=${side} height=${side} />`;
    })}
  </svg>`;
}

/** A line for each token, from its place on the left to that on the right; dashed where its output has changed. */
export function links(order: Order, differences: readonly number[]): TemplateResult {
  return html`<svg class="links" viewBox="0 0 100 ${COUNT}" preserveAspectRatio="none" aria-hidden="true">
    ${order.map((number, place) => {
      const [from, to] = [number - 0.5, place + 0.5];
      return svg`<path class=${isRounding(differences[place] ?? NaN) ? 'link' : 'link changed'}
        d="M 2 ${from} C 40 ${from} 60 ${to} 98 ${to}" vector-effect="non-scaling-stroke" />`;
    })}
  </svg>`;
}

/** Whether a difference is what another order of float32 sums leaves. */
export function isRounding(difference: number): boolean {
  return difference <= ROUNDING;
}
