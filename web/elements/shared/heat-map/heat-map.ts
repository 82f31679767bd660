import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { CellDetail, MapArrays } from '../../package-types.js';
import { anew } from '../anew.js';
import { AttributeElement } from '../attribute-element.js';
import { controlStyles } from '../controls/control-styles.js';
import { hint } from '../controls/controls.js';
import { followHost } from '../dark-host.js';
import { define } from '../define.js';
import { isInFigure } from '../figure/figure-hosts.js';
import { Localised } from '../localised.js';
import { baseStyles } from '../styles.js';
import { tableStyles } from '../table-styles.js';
import { moveCursor, type Cell } from './cursor.js';
import { watchDevicePixels } from './device-pixels.js';
import { followScheme } from './follow-scheme.js';
import { heatMapStyles } from './heat-map-styles.js';
import { columnTicks, cursorMark, cursorValue, frames, frameStyles, hatching, rowTicks } from './marks.js';
import { matrixOf } from './matrix.js';
import { paintCells } from './paint-cells.js';
import './ramp-legend.js';
import { rampFor, rampStyles } from './ramps.js';
import { cellText, columnHead, headOf, rowHead, rowText, valueText } from './row-text.js';
import { isPlay, playRow, sound } from './sound.js';
import { valuesTable } from './values-table.js';

/** A figure's handler of its maps' events, which do not leave the figure. */
export function onCell(handle: (cell: CellDetail) => void): (event: CustomEvent<CellDetail>) => void {
  return (event) => {
    event.stopPropagation();
    handle(event.detail);
  };
}

/** The properties on which the canvas depends; everything else is drawn over it. */
const PAINTED = ['values', 'rows', 'columns', 'low', 'high', 'bare'] as const;

/**
 * `<heat-map>`: a matrix in colours on a canvas, with a cursor for pointer and keyboard, the value under it as text, a
 * legend and the whole matrix as a table; inside a figure, the figure makes the table.
 *
 * Set `values` (row-major), `rows` and `columns` from a script; the rest are attributes too (README.md lists them).
 *
 * @slot - controls, between the value under the cursor and the table
 * @slot over - a drawing over the cells
 * @fires cell-change - the cursor moved; `detail` is a {@link CellDetail}
 * @fires cell-pick - a cell was clicked, or Enter or Space pressed on it (only with `pickable`)
 */
export class HeatMap extends AttributeElement {
  /** What the shadow root adopts. */
  static override styles = [baseStyles, controlStyles, tableStyles, rampStyles, frameStyles, heatMapStyles];
  static override properties = {
    values: { attribute: false },
    rows: { type: Number },
    columns: { type: Number },
    low: { type: Number },
    high: { type: Number },
    label: { type: String },
    rowName: { type: String, attribute: 'row-name' },
    columnName: { type: String, attribute: 'column-name' },
    origin: { type: Number },
    digits: { type: Number },
    validColumns: { type: Number, attribute: 'valid-columns' },
    mask: { attribute: false },
    marked: { attribute: false },
    rowLabels: { attribute: false },
    columnLabels: { attribute: false },
    labelStep: { type: Number, attribute: 'label-step' },
    pickHelp: { type: String, attribute: 'pick-help' },
    bare: { type: Boolean },
    pickable: { type: Boolean },
    tell: { type: Boolean },
    cursor: { attribute: false },
    cellText: { attribute: false },
    rowText: { attribute: false },
    maskedText: { attribute: false },
    tableOpen: { state: true },
  };

  /** The matrix, row-major, `rows`·`columns` numbers. NaN and −∞ leave a cell empty. */
  declare values: ArrayLike<number>;
  declare rows: number;
  declare columns: number;
  /** The values at the ramp's ends; default −1 and 1. */
  declare low: number;
  declare high: number;
  /** The accessible name: what the matrix shows. */
  declare label: string;
  declare rowName: string;
  declare columnName: string;
  /** The number of the first row and column, 0 or 1; default 0. */
  declare origin: number;
  /** Decimals of a value as text; default 3. */
  declare digits: number;
  /** Columns from this one on are hatched as masked; default none. */
  declare validColumns: number | undefined;
  /** True (or 1) for a visible cell, row-major; the others are hatched as masked. Default: all visible. */
  declare mask: ArrayLike<boolean | number> | undefined;
  /**
   * Rows, columns or cells to mark: `{ row }`, `{ column }` or both. They are framed; thin rows have pointers beside
   * them.
   */
  declare marked: readonly Partial<Cell>[] | undefined;
  /**
   * Labels of rows and columns instead of numbers; `--heat-map-row-ticks` and `--heat-map-column-ticks` set the space
   * for them.
   */
  declare rowLabels: readonly string[] | undefined;
  declare columnLabels: readonly string[] | undefined;
  /** Draws every n-th label, and the cursor's; default 1. */
  declare labelStep: number;
  /** What Enter does, added to the description of the arrow keys; by default, drawing the column as a curve. */
  declare pickHelp: string | undefined;
  /** Only the map, without axis names, legend, readout or table, for small multiples that share them. */
  declare bare: boolean;
  /** Whether cells can be picked. */
  declare pickable: boolean;
  /** Whether to show the value under the cursor beside its cell, for bare maps whose figure does not. */
  declare tell: boolean;
  /** The cell under the cursor, or undefined. */
  declare cursor: Cell | undefined;
  /** What a cell says, in the readout and aloud; by default, its row, column and value, or that it is masked. */
  declare cellText: ((cell: CellDetail) => string) | undefined;
  /**
   * What a row says aloud; by default, where its values are greatest.
   *
   * @internal
   */
  declare rowText: ((row: number) => string) | undefined;
  /**
   * What a row says of its cells that the mask hides, from their number; by default, that they are masked.
   *
   * @internal
   */
  declare maskedText: ((count: number) => string) | undefined;
  declare protected tableOpen: boolean;

  readonly #words = new Localised(this);
  #stopWatching: (() => void) | undefined;
  #spoken = '';

  constructor() {
    super();
    followScheme(this);
    this.values = [];
    this.rows = this.columns = this.origin = 0;
    this.low = -1;
    this.high = 1;
    this.label = this.rowName = this.columnName = '';
    this.digits = 3;
    this.labelStep = 1;
    this.bare = this.pickable = this.tell = this.tableOpen = false;
  }

  /**
   * Shows a matrix, on a ramp from 0 to the value farthest from it.
   *
   * @throws TypeError, RangeError for an invalid array or shape, without any change
   */
  loadArrays(arrays: MapArrays): void {
    Object.assign(this, matrixOf(arrays));
  }

  override connectedCallback(): void {
    if (!this.hasUpdated && !isInFigure(this)) followHost(this);
    super.connectedCallback();
    if (this.hasUpdated) this.#watch();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stopWatching?.();
    this.#stopWatching = undefined;
  }

  /** Repaints the cells. Needed only after the page has changed `color-scheme` itself. */
  readonly repaint = (): void => {
    const canvas = this.#canvas('.cells');
    if (canvas === null) return;
    paintCells(canvas, this, rampFor(canvas, this.low), devicePixelRatio);
    this.renderRoot.querySelector('ramp-legend')?.repaint();
  };

  protected override willUpdate(): void {
    const { cursor, rows, columns } = this;
    if (cursor !== undefined && (cursor.row >= rows || cursor.column >= columns)) {
      this.cursor = rows * columns === 0 ? undefined : moveCursor(cursor, 'none', false, rows, columns);
    }
  }

  protected override updated(changed: PropertyValues<HeatMap>): void {
    if (this.#stopWatching === undefined) this.#watch();
    else if (PAINTED.some((name) => changed.has(name))) this.repaint();
  }

  protected override render(): TemplateResult {
    const { rows, columns, origin, bare, labelStep: step, cursor, marked } = this;
    return html`
      <div class=${this.bare ? 'frame bare' : 'frame'}>
        ${this.bare ? nothing : html`<div class="row-name">${this.rowName}</div>`}
        <svg class="row-ticks" aria-hidden="true">
          ${rowTicks({ count: rows, origin, bare, words: this.rowLabels, step, cursor: cursor?.row, marked })}
        </svg>
        <div
          class="plot"
          role="application"
          tabindex="0"
          aria-label=${this.label}
          aria-describedby="help"
          @keydown=${this.#onKey}
          @focus=${this.#onFocus}
          @blur=${this.#onBlur}
          @pointermove=${this.#onPoint}
          @pointerdown=${this.#onPoint}
          @click=${this.#pick}
        >
          <canvas class="cells" aria-hidden="true"></canvas>
          <slot name="over"></slot>
          <svg class="overlay" aria-hidden="true">
            ${hatching(this)}${frames(this)}${cursorMark(this)}${this.tell ? cursorValue(this, this.#words.value(this.#detail().value, this.digits)) : nothing}
          </svg>
        </div>
        <svg class="column-ticks" aria-hidden="true">
          ${columnTicks({ count: columns, origin, bare, words: this.columnLabels, step, cursor: cursor?.column })}
        </svg>
        ${this.bare ? nothing : html`<div class="column-name">${this.columnName}</div>`}
      </div>
      <span id="help" hidden>${this.#help()}</span>
      <span class="spoken" role="status">${this.#spoken}</span>
      ${this.bare ? nothing : this.#below()}
    `;
  }

  #help(): string {
    const pick = this.pickable ? (this.pickHelp ?? this.#words.text('map.helpPick')) : '';
    return `${this.#words.text('map.help')} ${this.#words.text('map.play')} ${pick}`;
  }

  #below(): TemplateResult {
    const { low, high } = this;
    return html`
      <div class="under">
        <p class="readout hinted" data-longest=${this.#words.text('map.hint')}>
          <span>${this.cursor === undefined ? hint(this.#words.text('map.hint')) : this.#readout()}</span>
        </p>
        <ramp-legend .low=${low} .high=${high}></ramp-legend>
      </div>
      <slot></slot>
      ${isInFigure(this) ? nothing : this.#details()}
    `;
  }

  #details(): TemplateResult {
    return html`
      <details @toggle=${(event: Event) => (this.tableOpen = (event.target as HTMLDetailsElement).open)}>
        <summary>${this.#words.text('table')}</summary>
        ${this.tableOpen ? this.#table() : nothing}
      </details>
    `;
  }

  #table(): TemplateResult {
    const { rows, columns, rowName, columnName, origin } = this;
    const heads = Array.from({ length: columns }, (_, column) => headOf(column, origin, this.columnLabels));
    const rowHead = (row: number): string => headOf(row, origin, this.rowLabels);
    const format = (at: number): string => valueText(this, at, this.#words);
    const part = (shown: { rows: number; columns: number }): string => this.#words.text('table.part', shown);
    return html`<div class="scroller" role="region" tabindex="0" aria-label=${this.label}>
      ${valuesTable({ rows, rowName, columnName, rowHead, heads, format, part, caption: this.label })}
    </div>`;
  }

  #readout(): TemplateResult {
    if (this.cellText) return html`${this.cellText(this.#detail())}`;
    const { row, column } = this.#detail();
    const value = valueText(this, row * this.columns + column, this.#words);
    return html`${rowHead(this, row)}, ${columnHead(this, column)}: <strong>${value}</strong>`;
  }

  #cellText(withRow = false): string {
    const cell = this.#detail();
    if (this.cellText) return this.cellText(cell);
    return (withRow ? `${rowHead(this, cell.row)}, ` : '') + cellText(this, cell, this.#words);
  }

  #detail(): CellDetail {
    const { row, column } = this.cursor ?? { row: 0, column: 0 };
    return { row, column, value: this.values[row * this.columns + column] ?? NaN };
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    if (this.rows * this.columns === 0 || event.altKey || event.metaKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      if (!this.pickable) return;
      event.preventDefault();
      this.#pick();
      return;
    }
    const from = this.cursor ?? { row: 0, column: 0 };
    if (isPlay(event)) void playRow(this, from.row);
    const to = moveCursor(from, event.key, event.ctrlKey, this.rows, this.columns);
    if (to === undefined) return;
    event.preventDefault();
    const isRow = /Up|Down/.test(event.key);
    const row = (): string => this.rowText?.(to.row) ?? rowText(this, to.row, this.#words);
    this.#moveTo(to, isRow ? row : () => this.#cellText(event.ctrlKey));
    if (sound.on && to.row !== from.row) void playRow(this, to.row);
  };

  readonly #onFocus = (event: FocusEvent): void => {
    // A click moves the cursor first.
    if (!(event.target as Element).matches(':focus-visible') || this.rows * this.columns === 0) return;
    this.#moveTo(this.cursor ?? { row: 0, column: 0 }, () => this.#cellText(true));
  };

  /** Whoever comes back to the same cell hears it again. */
  readonly #onBlur = (): void => this.#say('');

  readonly #onPoint = (event: PointerEvent): void => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * this.rows);
    const column = Math.floor(((event.clientX - box.left) / box.width) * this.columns);
    if (row < 0 || column < 0 || row >= this.rows || column >= this.columns) return;
    if (row !== this.cursor?.row || column !== this.cursor.column) this.#moveTo({ row, column });
  };

  readonly #pick = (): void => {
    if (!this.pickable || this.cursor === undefined) return;
    this.dispatchEvent(new CustomEvent('cell-pick', { detail: this.#detail(), bubbles: true, composed: true }));
  };

  /** Only moves by keyboard are announced: a pointer that crosses a hundred cells would announce a hundred values. */
  #moveTo(cursor: Cell, text?: () => string): void {
    this.cursor = cursor;
    this.dispatchEvent(new CustomEvent('cell-change', { detail: this.#detail(), bubbles: true, composed: true }));
    this.#say(text === undefined ? '' : anew(text(), this.#spoken));
  }

  #say(text: string): void {
    this.#spoken = text;
    this.requestUpdate();
  }

  #watch(): void {
    const canvas = this.#canvas('.cells');
    if (canvas === null) return;
    this.#stopWatching = watchDevicePixels(canvas, (width, height) => {
      canvas.width = width;
      canvas.height = height;
      this.repaint();
    });
  }

  #canvas(selector: string): HTMLCanvasElement | null {
    return this.renderRoot.querySelector<HTMLCanvasElement>(selector);
  }
}

define('heat-map', HeatMap);

declare global {
  interface HTMLElementTagNameMap {
    'heat-map': HeatMap;
  }
}
