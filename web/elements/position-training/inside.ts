import { html, type TemplateResult } from 'lit';
import type { Positions, Snapshot } from '../../training/index.js';
import '../shared/heat-map/heat-map.js';
import { withAxes } from '../shared/heat-map/map-axes.js';
import '../shared/heat-map/ramp-legend.js';
import type { TrainingWords } from './texts.js';

/** A view into a model, whose weights are known to `decimals`, default 3. */
export type View = Snapshot & { readonly digits?: number };

/** The model's attention maps. */
export function insideOf(view: View, positions: Positions, words: TrainingWords): TemplateResult {
  const { weights } = view;
  const [heads = 0] = weights.shape;
  // One ramp for all heads, up to the largest weight, because an untrained model's attention is nearly uniform: about
  // 1/32 for each token.
  const high = Math.min(1, Math.ceil(100 * Math.max(...weights.data)) / 100);
  return html`<div class="inside">
    <div class="heads four">
      ${Array.from({ length: heads }, (_, head) => headMap(view, head, high, positions, words))}
    </div>
    <div class="legend"><span>${words.text('weights')}</span><ramp-legend low="0" .high=${high}></ramp-legend></div>
  </div>`;
}

function headMap(
  { weights: { data, shape }, digits = 3 }: View,
  head: number,
  high: number,
  positions: Positions,
  words: TrainingWords,
): TemplateResult {
  const [, n = 0] = shape;
  const name = words.text(`training.${positions}`);
  return html`<div>
    <p class="map-title" aria-hidden="true">${words.text('heads.head', { head: head + 1 })}</p>
    ${withAxes(
      words.text('query'),
      words.text('key'),
      html`<heat-map
        bare
        tell
        .values=${data.subarray(head * n * n, (head + 1) * n * n)}
        .rows=${n}
        .columns=${n}
        low="0"
        .high=${high}
        .digits=${digits}
        label=${words.text('training.headLabel', { head: head + 1, name })}
        row-name=${words.text('query')}
        column-name=${words.text('key')}
      ></heat-map>`,
    )}
  </div>`;
}
