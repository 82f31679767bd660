import { html, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { Tensor } from 'wasm-attention';
import '../shared/heat-map/heat-map.js';
import type { CellDetail } from '../shared/heat-map/heat-map.js';
import type { Localised } from '../shared/localised.js';
import { NUM_HEADS, TOKENS, weightsOf } from './textbook-case.js';

/** A cell of one of the maps. */
export interface HeadCell extends CellDetail {
  readonly sequence: number;
  readonly head: number;
}

/** A sequence with each head's map. `visible` is true where a query may attend. */
export function headMaps(
  words: Localised,
  weights: Tensor,
  sequence: number,
  visible: readonly boolean[],
  onPoint: (cell: HeadCell) => void,
): TemplateResult {
  const map = (head: number): TemplateResult => {
    const names = { sequence: sequence + 1, head: head + 1 };
    const point = (event: CustomEvent<CellDetail>): void => {
      event.stopPropagation();
      onPoint({ ...event.detail, sequence, head });
    };
    return html`<div>
      <div class="map-title" aria-hidden="true">${words.text('heads.head', names)}</div>
      <heat-map
        bare
        tell
        .values=${weightsOf(weights, sequence, head)}
        .rows=${TOKENS}
        .columns=${TOKENS}
        .mask=${visible}
        low="0"
        high="1"
        origin="1"
        data-at="${sequence},${head}"
        label=${words.text('heads.mapLabel', names)}
        row-name=${words.text('query')}
        column-name=${words.text('key')}
        @cell-change=${point}
      ></heat-map>
    </div>`;
  };
  return html`<div class="sequence">
    <p class="sequence-title">${words.text('heads.sequence', { sequence: sequence + 1 })}</p>
    <div class="maps">
      ${Array.from({ length: NUM_HEADS }, (_, head) => {
        // A map is redrawn only if it changes: a slider changes the maps of one sequence.
        const shown = [words.language, ...visible, ...weightsOf(weights, sequence, head)];
        return guard(shown, () => map(head));
      })}
    </div>
  </div>`;
}
