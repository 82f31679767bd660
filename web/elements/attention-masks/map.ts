import { html, nothing, svg, type TemplateResult } from 'lit';
import type { Cell } from '../shared/heat-map/cursor.js';
import { LENGTH } from './scene.js';

/**
 * A mask as a small map: visible cells are filled, masked ones empty with a stroke. `at` is the cell that the reader
 * points at, `marked` are queries whose rows are framed, from 1.
 */
export function maskMap(
  mask: readonly boolean[],
  label: string,
  at: Cell | undefined,
  marked: readonly number[],
): TemplateResult {
  const cells = mask.map((visible, i) => {
    const [x, y] = [i % LENGTH, Math.floor(i / LENGTH)];
    return visible
      ? svg`<rect class="visible" x=${x + 0.06} y=${y + 0.06} width="0.88" height="0.88" />`
      : svg`<path class="masked" d="M ${x + 0.28} ${y + 0.72} l 0.44 -0.44" />`;
  });
  return html`<svg class="mask" viewBox="-0.1 -0.1 ${LENGTH + 0.2} ${LENGTH + 0.2}" role="img" aria-label=${label}>
    <rect class="frame" width=${LENGTH} height=${LENGTH} />
    ${cells} ${marked.map((query) => svg`<rect class="held" y=${query - 1} width=${LENGTH} height="1" />`)}
    ${at === undefined ? nothing : svg`<rect class="held" x=${at.column} y=${at.row} width="1" height="1" />`}
  </svg>`;
}
