import { css, html, nothing, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { toggle } from '../shared/controls/controls.js';
import { Width } from '../shared/controls/width.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import type { CellDetail } from '../package-types.js';
import { onCell } from '../shared/heat-map/heat-map.js';
import { mapAxesStyles, withAxes } from '../shared/heat-map/map-axes.js';
import '../shared/heat-map/ramp-legend.js';
import { barsOf, offsetBars, offsetBarStyles } from '../shared/plot/offset-bars.js';
import { plotStyles } from '../shared/plot/plot-styles.js';
import {
  biasOf,
  domainOf,
  NAMES,
  rowsOf,
  SCHEMES,
  settings,
  tableOf,
  TOKENS,
  valuesOf,
  type BiasSettings,
} from './bias.js';
import { biasCode } from './code.js';
import { longestRemark, readout, remark } from './words.js';

/**
 * `<relative-biases>`: the biases that ALiBi, T5 or Shaw's tables add to the score of each query and key, as a map and
 * over the offset between the two (Press et al. 2022, Raffel et al. 2020, Shaw et al. 2018).
 */
export class RelativeBiases extends figureWith(settings) {
  static override styles = [
    plotStyles,
    mapAxesStyles,
    offsetBarStyles,
    css`
      .pictures {
        align-items: start;
      }
      @container (min-width: 37.01rem) {
        .pictures {
          grid-template-columns: minmax(0, 17rem) minmax(0, 1fr);
        }
      }
    `,
  ];
  static override properties = { pointed: { state: true } };

  declare protected pointed: CellDetail | undefined;
  readonly #width = new Width(this, '.chart');

  get #given(): BiasSettings {
    const { scheme, heads, buckets, distance, bidirectional, clip, causal } = this;
    const head = Math.min(this.head, heads);
    return { scheme, heads, head, buckets, distance, bidirectional, clip, causal };
  }

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const bias = biasOf(library, this.#given);
    return html`
      <div class="pictures">
        ${this.#map(library, bias)}
        <div class="chart">${this.#chart(library, bias)}</div>
      </div>
      ${this.line(longestRemark(this.words), this.pointed && this.#readout(library, this.pointed))} ${this.#controls()}
    `;
  }

  protected override sentence(library: WasmAttention): string {
    return remark(library, this.words, this.#given);
  }

  #readout(library: WasmAttention, cell: CellDetail): string {
    return readout(library, this.words, this.#given, cell);
  }

  /** The meaning of the map's numbers and the bars' heights. */
  get #name(): string {
    return this.words.text(this.scheme === 'shaw' ? 'biases.index' : 'relative.score');
  }

  #map(library: WasmAttention, bias: Float32Array): TemplateResult {
    const { words } = this;
    const [low, high] = domainOf(library, this.#given);
    const pairs = Array.from({ length: TOKENS * TOKENS }, (_, at) => [Math.floor(at / TOKENS), at % TOKENS]);
    const label = words.text('biases.mapLabel', { scheme: NAMES[this.scheme] });
    return html`<div class="map">
      <p class="map-title" aria-hidden="true">${this.#name}</p>
      ${withAxes(
        `${words.text('query')} i`,
        `${words.text('key')} j`,
        html`<heat-map
          bare
          .values=${bias}
          .rows=${TOKENS}
          .columns=${TOKENS}
          .mask=${this.causal ? pairs.map(([i = 0, j = 0]) => j <= i) : undefined}
          .low=${low}
          .high=${high}
          label=${label}
          row-name=${words.text('query')}
          column-name=${words.text('key')}
          .cellText=${(cell: CellDetail) => this.#readout(library, cell)}
          .rowText=${
            // Offsets are no amounts, so that none of a row is the greatest.
            this.scheme === 'shaw' ? () => this.#readout(library, this.pointed!) : undefined
          }
          @cell-change=${onCell((cell) => (this.pointed = cell))}
        ></heat-map>`,
      )}
      <div class="legend"><ramp-legend .low=${low} .high=${high}></ramp-legend></div>
    </div>`;
  }

  #chart(library: WasmAttention, bias: Float32Array): TemplateResult {
    const { words, pointed } = this;
    const rows = rowsOf(library, this.#given);
    const table = this.scheme === 'alibi' ? valuesOf(bias, rows.length) : tableOf(this.#given);
    return html`${offsetBars({
      bars: barsOf(rows, table, 1 - TOKENS),
      target: pointed && pointed.column - pointed.row,
      tokens: TOKENS,
      causal: this.causal,
      label: words.text('biases.chartLabel', { name: this.#name }),
      name: this.#name,
      domain: domainOf(library, this.#given),
      pixels: this.#width.pixels,
      words,
    })}`;
  }

  #controls(): TemplateResult {
    const { words, scheme } = this;
    const sliders = {
      alibi: () => [
        this.slider('heads', words.text('biases.heads')),
        this.slider('head', words.text('biases.head'), {
          value: this.#given.head,
          text: words.number(this.#given.head),
          max: this.heads,
        }),
      ],
      t5: () => [
        this.slider('buckets', words.text('relative.buckets')),
        this.slider('distance', words.text('biases.distance')),
      ],
      shaw: () => [this.slider('clip', words.text('relative.clip'))],
    }[scheme]();
    return html`<div class="controls">
      ${this.choices('scheme', words.text('biases.scheme'), SCHEMES, (each) => NAMES[each])}
      <div class="sliders">${sliders}</div>
      <div class="switches">
        ${toggle(words.text('masks.useCausal'), this.causal, (causal) => this.change({ causal }))}
        ${
          scheme === 't5'
            ? toggle(words.text('biases.bidirectional'), this.bidirectional, (bidirectional) =>
                this.change({ bidirectional }),
              )
            : nothing
        }
      </div>
    </div>`;
  }

  protected override data(library: WasmAttention): FigureData {
    const { words } = this;
    const bias = biasOf(library, this.#given);
    return {
      columns: [
        `${words.text('query')} \\ ${words.text('key')}`,
        ...Array.from({ length: TOKENS }, (_, j) => String(j)),
      ],
      rows: Array.from({ length: TOKENS }, (_, i) => [
        i,
        ...Array.from(bias.subarray(i * TOKENS, (i + 1) * TOKENS), (value) =>
          value === -Infinity ? words.text('masks.keyHidden') : value,
        ),
      ]),
    };
  }

  protected override code(): FigureCode {
    return biasCode(this.#given);
  }
}

defineFigure('relative-biases', RelativeBiases);
