import { css, html, nothing, type TemplateResult } from 'lit';
import type { Tensor, WasmAttention } from 'wasm-attention';
import { hint, slider } from '../shared/controls/controls.js';
import { pointerIn } from '../shared/controls/pointer-in.js';
import { Width } from '../shared/controls/width.js';
import { EncodingFigure } from '../shared/encoding/encoding-figure.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure } from '../shared/figure/figure-element.js';
import { moveCursor } from '../shared/heat-map/cursor.js';
import { plotCursorStyles, plotStyles } from '../shared/plot/plot-styles.js';
import { seriesOf, seriesStyles } from '../shared/plot/series.js';
import { axes, columnRanges, cursorMark, curves, entry, layoutOf, type Layout } from './drawing.js';

/**
 * `<positional-curves>`: columns of the matrix P of sine and cosine encodings over the positions, each curve labelled
 * at its end, with a cursor for pointer and keyboard that reads all of them at one position.
 */
export class PositionalCurves extends EncodingFigure {
  static override styles = [
    plotStyles,
    plotCursorStyles,
    seriesStyles,
    css`
      .plot {
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
      .values > span > span:not(.hint) {
        white-space: nowrap;
      }
    `,
  ];
  static override properties = { cursor: { state: true } };

  declare protected cursor: number | undefined;
  #spoken = '';
  readonly #width = new Width(this, '.plot');

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
      <div
        class="plot"
        role="application"
        tabindex="0"
        aria-label=${words.text('curves.label', { columns: list, length })}
        aria-describedby="help"
        @keydown=${(event: KeyboardEvent) => this.#onKey(event, P)}
        @pointermove=${(event: PointerEvent) => this.#onPoint(event, layout)}
        @pointerdown=${(event: PointerEvent) => this.#onPoint(event, layout)}
      >
        <svg height=${layout.height} aria-hidden="true">
          ${axes(layout, words)} ${curves(P, this.compared(library), series, layout, words)}
          ${cursor === undefined ? nothing : cursorMark(P, series, cursor, layout)}
        </svg>
      </div>
      <span id="help" hidden>${words.text('curves.help')}</span>
      <span class="spoken" role="status">${this.#spoken}</span>
      <p class="readout values" data-longest=${this.#longest(columns)}>
        <span>${cursor === undefined ? hint(words.text('curves.hint')) : this.#readout(P, columns, cursor)}</span>
      </p>
    `;
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

  #onKey(event: KeyboardEvent, P: Tensor): void {
    const from = { row: 0, column: this.cursor ?? 0 };
    const paged: Readonly<Record<string, number>> = { PageUp: 10, PageDown: -10 };
    const page = paged[event.key];
    const to =
      page === undefined
        ? moveCursor(from, event.key, event.ctrlKey, 1, this.length)
        : { row: 0, column: Math.max(0, Math.min(this.length - 1, from.column + page)) };
    if (to === undefined || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.cursor = to.column;
    const { words } = this;
    const values = this.drawnColumns.map(
      (column) => `${words.text('curves.column', { column })} ${words.value(entry(P, to.column, column))}`,
    );
    this.#spoken = `${words.text('position')} ${words.number(to.column)}: ${values.join(', ')}`;
  }

  #onPoint(event: PointerEvent, { x }: Layout): void {
    this.#spoken = '';
    this.cursor = Math.max(0, Math.min(this.length - 1, Math.round(x.invert(pointerIn(event).x))));
  }
}

defineFigure('positional-curves', PositionalCurves);
