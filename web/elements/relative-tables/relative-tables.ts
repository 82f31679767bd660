import { css, html, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { Width } from '../shared/controls/width.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import '../shared/heat-map/heat-map.js';
import { mapAxesStyles, withAxes } from '../shared/heat-map/map-axes.js';
import '../shared/heat-map/ramp-legend.js';
import { barsOf, offsetBars, offsetBarStyles, type Bar } from '../shared/plot/offset-bars.js';
import { plotStyles } from '../shared/plot/plot-styles.js';
import { oneOf, whole } from '../shared/settings.js';
import { relativeCode } from './code.js';
import { FARTHEST, learn, rowsOf, TOKENS } from './learning.js';

const settings = {
  /** `shaw`: a row for each offset up to the clip distance; `t5`: a row for each bucket. */
  kind: oneOf('shaw', 't5'),
  /** Shaw's clip distance k. */
  clip: whole(4, 1, FARTHEST),
  /** T5's number of buckets, even. */
  buckets: whole(16, 4, 32, 2),
  /** The offset that the table has learned to attend to. */
  target: whole(-3, -FARTHEST, FARTHEST),
};

/**
 * `<relative-tables>`: a table with a number for each distance, in Shaw's clipped offsets or T5's buckets, that has
 * learned to attend a given number of tokens away; and the resulting attention (Shaw et al. 2018, Raffel et al. 2020).
 */
export class RelativeTables extends figureWith(settings) {
  static override styles = [
    plotStyles,
    mapAxesStyles,
    offsetBarStyles,
    css`
      @container (min-width: 37.01rem) {
        .pictures {
          grid-template-columns: minmax(0, 1fr) clamp(13rem, 30%, 18rem);
        }
      }
    `,
  ];

  readonly #width = new Width(this, '.chart');

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words, kind, target } = this;
    const { table, weights, hit } = learn(library, this);
    const bars = this.#bars(library, table);
    const far = words.number(-10);
    const held = bars.find(({ first, last }) => first <= target && target <= last);
    const size =
      kind === 'shaw'
        ? this.slider('clip', words.text('relative.clip'))
        : this.slider('buckets', words.text('relative.buckets'));
    return html`
      <div class="pictures">
        <div class="chart">${this.#chart(bars)}</div>
        <div class="map">
          <p class="map-title" aria-hidden="true">${words.text('weights')}</p>
          ${withAxes(
            `${words.text('query')} i`,
            `${words.text('key')} j`,
            html`<heat-map
              bare
              tell
              .values=${weights}
              .rows=${TOKENS}
              .columns=${TOKENS}
              low="0"
              high="1"
              label=${words.text('weights')}
              row-name=${words.text('query')}
              column-name=${words.text('key')}
            ></heat-map>`,
          )}
          <div class="legend"><ramp-legend low="0" high="1"></ramp-legend></div>
        </div>
      </div>
      <p
        class="readout"
        role="status"
        data-longest="${words.text('relative.shared', { target: far, first: far, last: far })} ${words.value(0.1)}"
      >
        <span
          >${words.text(held?.first === held?.last ? 'relative.alone' : 'relative.shared', {
            target: words.number(target),
            first: words.number(held?.first ?? target),
            last: words.number(held?.last ?? target),
          })} <strong>${words.value(hit)}</strong></span
        >
      </p>
      <div class="controls">
        ${this.choices('kind', words.text('relative.table'), ['shaw', 't5'] as const, (each) => words.text(`relative.${each}`))}
        <div class="sliders">${size} ${this.slider('target', words.text('relative.target'))}</div>
      </div>
    `;
  }

  #bars(library: WasmAttention, table: Float32Array): Bar[] {
    return barsOf(rowsOf(library, this), table, 1 - TOKENS);
  }

  #chart(bars: readonly Bar[]): TemplateResult {
    const { words, target } = this;
    const values = bars.map(({ value }) => value);
    return html`${offsetBars({
      bars,
      target,
      tokens: TOKENS,
      label: words.text('relative.chartLabel', { count: bars.length }),
      name: words.text('relative.score'),
      domain: [Math.min(0, ...values), Math.max(0.1, ...values)],
      pixels: this.#width.pixels,
      words,
    })}`;
  }

  protected override data(library: WasmAttention): FigureData {
    const { words } = this;
    const { table } = learn(library, this);
    const names = ['row', 'relative.first', 'relative.last', 'relative.value'] as const;
    return {
      columns: names.map((name) => words.text(name)),
      rows: this.#bars(library, table).map(({ row, first, last, value }) => [row, first, last, value]),
    };
  }

  protected override code(): FigureCode {
    return relativeCode(this);
  }
}

defineFigure('relative-tables', RelativeTables);
