import { html, type TemplateResult } from 'lit';
import type { Localised } from '../shared/localised.js';
import { described, TOKENS, type FormulaSymbol } from './symbols.js';

/** The formulas of one output, and their events. */
export interface Formulas {
  /** The token whose output the formulas give, counted from 1. */
  readonly query: number;
  readonly words: Localised;
  /** The highlighted symbol. */
  readonly chosen: FormulaSymbol | 'none';
  readonly lit: readonly FormulaSymbol[];
  /** The reader points at a symbol or focuses it. */
  readonly point: (symbol: FormulaSymbol) => void;
  /** The reader no longer does. */
  readonly leave: (symbol: FormulaSymbol) => void;
  readonly choose: (symbol: FormulaSymbol) => void;
}

/** The definition of attention for one query, and the sum that it is. Every symbol is a button. */
export function formulas(shown: Formulas): TemplateResult {
  const { words } = shown;
  const button = (symbol: string): TemplateResult => symbolButton(shown, symbol as FormulaSymbol);
  const tokens = Array.from({ length: TOKENS }, (_, t) => t + 1);
  // A line may break only between pairs, so that a comma or a bracket stays with its pair.
  const pair = (j: number): TemplateResult =>
    html`<span>(${button(`k${j}`)}${', '}${button(`v${j}`)}${j === tokens.length ? '))' : '), '}</span>`;
  const term = (j: number): TemplateResult =>
    html`<span>${j === 1 ? ' = ' : ' + '}${button(`a${j}`)}${button(`v${j}`)}</span>`;
  return html`<div class="formula" role="group" aria-label=${words.text('formula.definition')}>
      <span>${button('y')} = 𝑓(</span><span>${button('q')}${', '}</span>${tokens.map(pair)}
    </div>
    <div class="formula" role="group" aria-label=${words.text('formula.sum')}>
      <span>${button('y')}</span>${tokens.map(term)}
    </div>`;
}

/** A symbol as a button; the same symbol may have several buttons. */
function symbolButton(shown: Formulas, symbol: FormulaSymbol): TemplateResult {
  const { query, words } = shown;
  const [kind = ''] = symbol;
  const index = kind === 'y' || kind === 'q' ? String(query) : symbol.slice(1);
  // Not MathML, whose subscripts stay on the baseline without a font with a MATH table. Text fonts have no mathematical
  // italic Greek letters.
  const letter = kind === 'y' ? '𝐲' : kind === 'a' ? html`<i>α</i>` : '𝐱';
  const lowered = kind === 'a' ? `${query}${index}` : index;
  const point = (): void => shown.point(symbol);
  const leave = (): void => shown.leave(symbol);
  return html`<button
    type="button"
    data-picture
    class=${shown.lit.includes(symbol) ? 'lit' : ''}
    data-symbol=${symbol}
    aria-pressed=${shown.chosen === symbol}
    aria-label=${described(symbol, query, words)}
    @click=${() => shown.choose(symbol)}
    @pointerenter=${point}
    @pointerleave=${leave}
    @focus=${point}
    @blur=${leave}
  >
    ${letter}<sub>${lowered}</sub>
  </button>`;
}
