import { css, html, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { EncodingFigure } from '../shared/encoding/encoding-figure.js';
import { MAX_COLUMNS } from '../shared/encoding/encoding-group.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure } from '../shared/figure/figure-element.js';
import '../shared/heat-map/heat-map.js';
import type { CellDetail } from '../shared/heat-map/heat-map.js';
import { seriesMarks, seriesStyles } from '../shared/plot/series.js';
import { several, whole } from '../shared/settings.js';

/**
 * `<positional-heatmap>`: the matrix P of sine and cosine encodings as a heat map, positions down, columns across.
 * Picking a cell adds its column to the curves of the same `group`, or removes it.
 */
export class PositionalHeatmap extends EncodingFigure {
  static override settings = { ...EncodingFigure.settings, marked: several([], whole(0, 0, 255)) };
  static override styles = [
    seriesStyles,
    css`
      /* As wide as leaves the sliders on the same screen. */
      :host {
        --heat-map-width: 44rem;
      }
      heat-map {
        --heat-map-aspect: 1.5;
      }
      .marks {
        display: block;
        box-sizing: border-box;
        width: min(100%, var(--heat-map-width));
        margin-inline: auto;
        height: 7px;
        padding-inline-start: calc(1.75rem + 1.125rem);
        margin-bottom: 2px;
        overflow: visible;
      }
      @container (max-width: 28rem) {
        heat-map {
          --heat-map-aspect: 0.85;
        }
      }
    `,
  ];

  /** Positions whose rows are marked, 0 to 255; default none. */
  declare marked: readonly number[];

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words } = this;
    const { data, shape } = this.encoding(library);
    const [rows = 0, columns = 0] = shape;
    return html`
      ${seriesMarks(this.drawnColumns, columns, this.looks)}
      <heat-map
        .values=${data}
        .rows=${rows}
        .columns=${columns}
        .marked=${this.marked.filter((row) => row < rows).map((row) => ({ row }))}
        label=${words.text('encoding.mapLabel', { length: rows, width: columns })}
        row-name=${words.text('position')}
        column-name=${words.text('column')}
        pickable
        @cell-pick=${this.#toggleColumn}
        >${this.sliders()}</heat-map
      >
    `;
  }

  protected override data(library: WasmAttention): FigureData {
    const { words, length, width } = this;
    const { data } = this.encoding(library);
    return {
      columns: [
        `${words.text('position')} \\ ${words.text('column')}`,
        ...Array.from({ length: width }, (_, column) => String(column)),
      ],
      rows: Array.from({ length }, (_, i) => [i, ...data.subarray(i * width, (i + 1) * width)]),
    };
  }

  protected override code(): FigureCode {
    return {
      javascript: `${this.javascriptOfP()}
for (let i = 0; i < length; ++i) console.log(i, ...P.subarray(i * dim, (i + 1) * dim));
`,
      pytorch: `${this.pytorchOfP()}
print(P)
`,
    };
  }

  readonly #toggleColumn = (event: CustomEvent<CellDetail>): void => {
    const { column } = event.detail;
    const drawn = this.drawnColumns;
    const without = drawn.filter((other) => other !== column);
    if (without.length === drawn.length) {
      this.change({ columns: [...drawn, column].slice(-MAX_COLUMNS).sort((a, b) => a - b) });
    } else if (without.length > 0) {
      this.change({ columns: without });
    }
  };
}

defineFigure('positional-heatmap', PositionalHeatmap);
