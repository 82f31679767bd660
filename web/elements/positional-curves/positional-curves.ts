import { css, html, nothing, svg, type TemplateResult } from 'lit';
import type { Tensor, WasmAttention } from 'wasm-attention';
import { slider } from '../shared/controls/controls.js';
import { Width } from '../shared/controls/width.js';
import { EncodingFigure } from '../shared/encoding/encoding-figure.js';
import { periodOf } from '../shared/encoding/period.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure } from '../shared/figure/figure-element.js';
import { plotCursorStyles, plotStyles } from '../shared/plot/plot-styles.js';
import { readable, readingStyles } from '../shared/plot/reading.js';
import { seriesOf, seriesStyles } from '../shared/plot/series.js';
import { axes, columnRanges, cursorMark, curves, entry, layoutOf } from './drawing.js';

/**
 * `<positional-curves>`: columns of the matrix P of sine and cosine encodings over the positions, each curve labelled
 * at its end, with a cursor for pointer and keyboard that reads all of them at one position.
 */
export class PositionalCurves extends EncodingFigure {
  static override styles = [
    plotStyles,
    plotCursorStyles,
    seriesStyles,
    readingStyles,
    css`
      .readable {
        cursor: crosshair;
        touch-action: pan-y pinch-zoom;
      }
      svg {
        overflow: visible;
      }
      path.faint {
        stroke-width: 1;
        stroke-opacity: 0.3;
      }
      path.dots:not(.faint) {
        stroke-width: 2.5;
        stroke-linecap: round;
      }
      path.sample.dots {
        stroke-dasharray: 0 5.5;
      }
      path.ticks:not(.faint) {
        stroke-width: 1.25;
      }
      path.sample.ticks {
        stroke-width: 4;
        stroke-dasharray: 1.25 4;
      }
      .readout > span > span {
        white-space: nowrap;
      }
    `,
  ];
  static override properties = { cursor: { state: true } };

  declare protected cursor: number | undefined;
  readonly #width = new Width(this, '.readable');

  protected override renderFigure(library: WasmAttention): TemplateResult {
    return html`${this.curves(library)} ${this.columnSliders()}`;
  }

  /** The curves, and what is read of them. */
  protected curves(library: WasmAttention): TemplateResult {
    const P = this.encoding(library);
    const { words, length, drawnColumns: columns } = this;
    const series = seriesOf(columns, this.looks);
    const layout = layoutOf(this.#width.pixels, length);
    const cursor = this.cursor === undefined ? undefined : Math.min(this.cursor, length - 1);
    const list = columns.map((column) => words.number(column)).join(', ');
    return html`
      ${readable(
        svg`<svg height=${layout.height} aria-hidden="true">
          ${axes(layout, words)} ${curves(P, this.compared(library), series, layout, words)}
          ${cursor === undefined ? nothing : cursorMark(P, series, cursor, layout)}
        </svg>`,
        {
          label: words.text('curves.label', { columns: list, length }),
          min: 0,
          max: length - 1,
          at: cursor,
          text: (position) => this.#values(P, columns, position),
          below: ({ x }) => Math.max(0, Math.min(length - 1, Math.round(layout.x.invert(x)))),
          // The last position stays, with its values below.
          read: (position) => (this.cursor = position ?? cursor),
        },
      )}
      ${this.line(this.#longest(columns), cursor === undefined ? this.periods() : this.#readout(P, columns, cursor))}
    `;
  }

  protected override sentence(_library: WasmAttention): string {
    return this.periods();
  }

  /** After how many positions each pair of the drawn columns begins again. */
  protected periods(): string {
    const { words, length, width, base, drawnColumns } = this;
    const pairs = [...new Set(drawnColumns.map((column) => column >> 1))];
    const periods = pairs.map((pair) => {
      const columns = drawnColumns.filter((column) => column >> 1 === pair);
      return `${columns.join(', ')}: ${words.number(periodOf(pair, width, base), 1)}`;
    });
    return words.text('curves.shown', { length, periods: periods.join('; ') });
  }

  /** About as long as the longest readout of these columns. */
  #longest(columns: readonly number[]): string {
    const values = columns.map((column) => `${this.words.text('curves.column', { column })} −0.123`);
    return `${this.words.text('position')} 255: ${values.join(' · ')}`;
  }

  #readout(P: Tensor, columns: readonly number[], cursor: number): TemplateResult {
    const { words } = this;
    return html`${words.text('position')} <strong>${words.number(cursor)}</strong>:
      ${columns.map(
        (column, index) =>
          html`<span
              >${words.text('curves.column', { column })}
              <strong>${words.value(entry(P, cursor, column))}</strong></span
            >${index < columns.length - 1 ? ' · ' : ''}`,
      )}`;
  }

  /** The sliders, the first of which moves all drawn columns along the width and keeps the distances between them. */
  protected columnSliders(): TemplateResult {
    const { width, drawnColumns: columns } = this;
    const [first = 0] = columns;
    const span = Math.max(...columns) - first;
    const moved = slider({
      name: 'columns',
      label: this.words.text('curves.columns'),
      value: first,
      min: 0,
      max: Math.max(0, width - 1 - span),
      text: columnRanges(columns),
      onInput: (value) => this.change({ columns: columns.map((column) => column - first + value) }),
    });
    return this.sliders(moved);
  }

  protected override data(library: WasmAttention): FigureData {
    const { words, length, drawnColumns: columns } = this;
    const P = this.encoding(library);
    return {
      columns: [words.text('position'), ...columns.map((column) => words.text('curves.column', { column }))],
      rows: Array.from({ length }, (_, i) => [i, ...columns.map((column) => entry(P, i, column))]),
    };
  }

  protected override code(): FigureCode {
    const list = `[${this.drawnColumns.join(', ')}]`;
    return {
      javascript: `${this.javascriptOfP()}
for (let i = 0; i < length; ++i) {
  console.log(i, ...${list}.map((column) => P[i * dim + column]));
}
`,
      pytorch: `${this.pytorchOfP()}
print(P[:, ${list}])
`,
    };
  }

  /** What `#readout` shows, in words. */
  #values(P: Tensor, columns: readonly number[], position: number): string {
    const { words } = this;
    const values = columns.map(
      (column) => `${words.text('curves.column', { column })} ${words.value(entry(P, position, column))}`,
    );
    return `${words.text('position')} ${words.number(position)}: ${values.join(', ')}`;
  }
}

defineFigure('positional-curves', PositionalCurves);
