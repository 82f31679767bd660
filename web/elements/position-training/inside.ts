import { html, type TemplateResult } from 'lit';
import type { Tensor } from 'wasm-attention';
import type { Positions, Snapshot } from '../../training/index.js';
import '../shared/heat-map/heat-map.js';
import { withAxes } from '../shared/heat-map/map-axes.js';
import '../shared/heat-map/ramp-legend.js';
import type { Localised } from '../shared/localised.js';

/** A look into the model: the table of positions, if it has one, and where each head looks. */
export function insideOf(
  { table, weights }: Snapshot,
  positions: Positions,
  words: Localised,
): TemplateResult {
  const [heads = 0] = weights.shape;
  // One ramp for all heads, up to the largest weight, because an untrained model spreads its attention: about 1/32 for each
  // token.
  const high = Math.min(1, Math.ceil(100 * largestOf(weights)) / 100);
  // ALiBi's bias is (H, n, n); its effect is visible in the weights.
  const shown = table?.shape.length === 2 ? tableMap(table, positions, words) : noTable(positions, words);
  return html`<div class="inside">
    <div class="table">${shown}</div>
    <div>
      <div class="heads">
        ${Array.from({ length: heads }, (_, head) => headMap(weights, head, high, positions, words))}
      </div>
      ${legend(words.text('training.weights'), 0, high)}
    </div>
  </div>`;
}

function largestOf({ data }: Tensor): number {
  return data.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

function legend(what: string, low: number, high: number): TemplateResult {
  return html`<div class="legend">
    <span>${what}</span><ramp-legend .low=${low} .high=${high}></ramp-legend>
  </div>`;
}

function headMap(
  { data, shape }: Tensor,
  head: number,
  high: number,
  positions: Positions,
  words: Localised,
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
        .values=${data.subarray(head * n * n, (head + 1) * n * n)}
        .rows=${n}
        .columns=${n}
        low="0"
        .high=${high}
        label=${words.text('training.headLabel', { head: head + 1, name })}
        row-name=${words.text('query')}
        column-name=${words.text('key')}
      ></heat-map>`,
    )}
  </div>`;
}

function tableMap(table: Tensor, positions: Positions, words: Localised): TemplateResult {
  const [rows = 0, columns = 0] = table.shape;
  const largest = Math.ceil(10 * largestOf(table)) / 10;
  const row = words.text(positions === 'shaw' ? 'training.distance' : 'position');
  const title = words.text(positions === 'shaw' ? 'training.shawTable' : 'training.table');
  return html`<p class="map-title" aria-hidden="true">${title}</p>
    ${withAxes(
      row,
      words.text('column'),
      html`<heat-map
        bare
        .values=${table.data}
        .rows=${rows}
        .columns=${columns}
        .low=${-largest}
        .high=${largest}
        label=${title}
        row-name=${row}
        column-name=${words.text('column')}
      ></heat-map>`,
    )}
    ${legend(words.text('training.value'), -largest, largest)}`;
}

function noTable(positions: Positions, words: Localised): TemplateResult {
  const why = {
    none: 'training.noneUntabled',
    rotary: 'training.rotaryUntabled',
    alibi: 'training.alibiUntabled',
  } as const;
  const key = why[positions as keyof typeof why];
  return html`<p class="map-title" aria-hidden="true">&nbsp;</p>
    <p class="untabled">${words.text(key)}</p>`;
}
