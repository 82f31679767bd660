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
import { FARTHEST, learn, rowsOf, TOKENS, type LearnedTable } from './learning.js';

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
  #learned: (LearnedTable & { readonly task: string }) | undefined;

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words, kind } = this;
    const { table, weights } = this.#learn(library);
    const size =
      kind === 'shaw'
        ? this.slider('clip', words.text('relative.clip'))
        : this.slider('buckets', words.text('relative.buckets'));
    return html`
      <div class="pictures">
        <div class="chart">${this.#chart(this.#bars(library, table))}</div>
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
      ${this.line(this.#shown({ first: -10, last: -11 }, 0.01))}
      <div class="controls">
        ${this.choices('kind', words.text('relative.table'), ['shaw', 't5'] as const, (each) => words.text(`relative.${each}`))}
        <div class="sliders">${size} ${this.slider('target', words.text('relative.target'))}</div>
      </div>
    `;
  }

  protected override sentence(library: WasmAttention): string {
    const { table, hit } = this.#learn(library);
    const { target } = this;
    return this.#shown(
      this.#bars(library, table).find(({ first, last }) => first <= target && target <= last)!,
      hit,
    );
  }

  protected override outcome(library: WasmAttention): string {
    return this.words.percent(this.#learn(library).hit, 1);
  }

  /** The kind and size of the table, the offsets of the target's row, and the mean weight on the target. */
  #shown({ first, last }: Pick<Bar, 'first' | 'last'>, hit: number): string {
    const { words, kind, clip, buckets } = this;
    const [target, from, to] = [this.target, first, last].map((offset) => words.number(offset));
    const given = { target: target!, first: from!, last: to!, weight: words.percent(hit, 1) };
    const size = { table: words.text(`relative.${kind}`), count: kind === 'shaw' ? 2 * clip + 1 : buckets };
    const row = first === last ? 'relative.alone' : 'relative.shared';
    return `${words.text('relative.size', size)} ${words.text(row, given)}`;
  }

  /** The table for the present settings, and the attention that it causes. */
  #learn(library: WasmAttention): LearnedTable {
    const { kind, clip, buckets, target } = this;
    const task = JSON.stringify([kind, clip, buckets, target]);
    if (this.#learned?.task !== task) this.#learned = { task, ...learn(library, this) };
    return this.#learned;
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
    const { table } = this.#learn(library);
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
