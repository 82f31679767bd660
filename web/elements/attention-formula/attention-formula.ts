import { html, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { hint } from '../shared/controls/controls.js';
import type { FigureCode, FigureData } from '../shared/figure/figure-data.js';
import { defineFigure, figureWith } from '../shared/figure/figure-element.js';
import { onCell, type CellDetail, type HeatMap } from '../shared/heat-map/heat-map.js';
import '../shared/heat-map/ramp-legend.js';
import { oneOf, whole } from '../shared/settings.js';
import { formulaCode } from './code.js';
import { formulas } from './formulas.js';
import { formulaStyles } from './styles.js';
import {
  attend,
  denoted,
  described,
  lowered,
  nameOf,
  SYMBOLS,
  symbolsAt,
  TOKENS,
  WIDTH,
  type Area,
  type FormulaSymbol,
  type Matrix,
} from './symbols.js';

const MATRICES = ['X', 'A', 'Y'] as const;
/** The colours of X and Y range from −REACH to REACH. */
const REACH = 2.5;

const settings = {
  /** The token i whose output the formula gives. */
  query: whole(2, 1, TOKENS),
  /** The highlighted symbol: `y`, `q`, `k1` to `k4`, `v1` to `v4`, `a1` to `a4`, or `none`. */
  symbol: oneOf<FormulaSymbol | 'none'>('k3', 'none', ...SYMBOLS),
};

/**
 * `<attention-formula>`: y_i = f(x_i, (x_1, x_1), …, (x_4, x_4)) beside the tokens X, the weights and the outputs Y. A
 * symbol highlights what it denotes, and the query or a key also the weights that depend on it; a cell highlights the
 * symbols connected with it.
 */
export class AttentionFormula extends figureWith(settings) {
  static override styles = formulaStyles;
  static override properties = { pointed: { state: true } };

  /** What the reader points at or has focused. */
  declare protected pointed: FormulaSymbol | (CellDetail & { matrix: Matrix }) | undefined;

  protected override renderFigure(library: WasmAttention): TemplateResult {
    const { words } = this;
    const matrices = attend(library);
    const tokens = Array.from({ length: TOKENS }, (_, t) => t + 1);
    return html`
      <div class="formulas">
        ${formulas({
          query: this.query,
          words,
          chosen: this.symbol,
          lit: this.#lit(),
          point: (symbol) => (this.pointed = symbol),
          // A cell that the reader now points at stays when a symbol loses the focus.
          leave: (symbol) => {
            if (this.pointed === symbol) this.pointed = undefined;
          },
          choose: (symbol) => this.change({ symbol: this.symbol === symbol ? 'none' : symbol }),
        })}
      </div>
      <div class="matrices">${MATRICES.map((matrix) => this.#map(matrix, matrices[matrix]))}</div>
      <p class="readout" role="status" data-longest=${described('q', this.query, words)}>
        <span>${this.#readout()}</span>
      </p>
      <div class="controls">${this.choices('query', words.text('formula.query'), tokens, String)}</div>
    `;
  }

  #map(matrix: Matrix, values: Float32Array): TemplateResult {
    const { words } = this;
    const weights = matrix === 'A';
    const titles = { X: 'X', A: 'A = softmax(XXᵀ\u2060/\u2060√d)', Y: 'Y = AX' };
    const point = onCell((cell) => (this.pointed = { ...cell, matrix }));
    const leave = (event: Event): void => {
      // A lifted finger leaves its cell highlighted, and so does pointing at another map.
      if ((event as PointerEvent).pointerType === 'touch') return;
      (event.currentTarget as HeatMap).cursor = undefined;
      if (typeof this.pointed === 'object' && this.pointed.matrix === matrix) this.pointed = undefined;
    };
    return html`<div>
      <p aria-hidden="true">${titles[matrix]}</p>
      <heat-map
        bare
        class=${weights ? '' : 'wide'}
        .values=${values}
        .rows=${TOKENS}
        .columns=${weights ? TOKENS : WIDTH}
        .low=${weights ? 0 : -REACH}
        .high=${weights ? 1 : REACH}
        .marked=${this.#areas().filter((area) => area.matrix === matrix)}
        origin="1"
        data-matrix=${matrix}
        label=${words.text(`formula.${matrix}`)}
        row-name=${weights ? words.text('query') : words.text('formula.token')}
        column-name=${weights ? words.text('key') : words.text('column')}
        @cell-change=${point}
        @pointerleave=${leave}
        @focusout=${leave}
      ></heat-map>
      <ramp-legend .low=${weights ? 0 : -REACH} .high=${weights ? 1 : REACH}></ramp-legend>
    </div>`;
  }

  /** What is pointed at, or else the chosen symbol. */
  get #active(): FormulaSymbol | (CellDetail & { matrix: Matrix }) | undefined {
    return this.pointed ?? (this.symbol === 'none' ? undefined : this.symbol);
  }

  #lit(): readonly FormulaSymbol[] {
    const active = this.#active;
    if (active === undefined) return [];
    return typeof active === 'string' ? [active] : symbolsAt(active.matrix, active.row, active.column, this.query - 1);
  }

  #areas(): readonly Area[] {
    const active = this.#active;
    return typeof active === 'string' ? denoted(active, this.query - 1) : [];
  }

  #readout(): string | TemplateResult {
    const active = this.#active;
    if (active === undefined) return hint(this.words.text('formula.hint'));
    if (typeof active === 'string') return described(active, this.query, this.words);
    const { matrix, row, column, value } = active;
    const entry = `${matrix}${lowered(row + 1)}${lowered(column + 1)}`;
    const symbols = this.#lit().map((symbol) => nameOf(symbol, this.query));
    return html`${entry} = <strong>${this.words.value(value)}</strong> ${
        symbols.length === 0
          ? this.words.text('formula.elsewhere', { i: lowered(this.query) })
          : this.words.text('formula.part', { symbols: [...new Set(symbols)].join(', ') })
      }`;
  }

  protected override data(library: WasmAttention): FigureData {
    const { A, Y } = attend(library);
    const tokens = Array.from({ length: TOKENS }, (_, t) => t);
    const columns = Array.from({ length: WIDTH }, (_, c) => `Y${lowered(c + 1)}`);
    return {
      columns: [this.words.text('query'), ...tokens.map((t) => `A${lowered(t + 1)}`), ...columns],
      rows: tokens.map((t) => [
        t + 1,
        ...A.subarray(t * TOKENS, (t + 1) * TOKENS),
        ...Y.subarray(t * WIDTH, (t + 1) * WIDTH),
      ]),
    };
  }

  protected override code(): FigureCode {
    return formulaCode(this.query);
  }
}

defineFigure('attention-formula', AttentionFormula);
