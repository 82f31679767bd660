import { html, type TemplateResult } from 'lit';
import type { WasmAttention } from 'wasm-attention';
import { longest } from '../shared/controls/controls.js';
import type { Cell } from '../shared/heat-map/cursor.js';
import type { Localised } from '../shared/localised.js';
import { biasOf, MAX_HEADS, rowsOf, slopeOf, tableOf, TOKENS, type BiasSettings } from './bias.js';

/** ALiBi's slope, or how many rows of the table the map uses. */
export function remark(library: WasmAttention, words: Localised, settings: BiasSettings): string {
  const { scheme, heads, head } = settings;
  if (scheme === 'alibi')
    return words.text('biases.slope', { head, heads, slope: slopeText(library, words, settings) });
  const used = new Set(rowsOf(library, settings)).size;
  return words.text('biases.used', { used, count: tableOf(settings).length });
}

/** The longest remark of any setting. */
export function longestRemark(words: Localised): string {
  const slope = words.number(0.00391, 5);
  return longest(
    words.text('biases.slope', { head: MAX_HEADS, heads: MAX_HEADS, slope }),
    words.text('biases.used', { used: TOKENS, count: TOKENS }),
  );
}

/** The bias of a pair of query and key, and its row in the table. */
export function readout(
  library: WasmAttention,
  words: Localised,
  settings: BiasSettings,
  { row: i, column: j }: Cell,
): TemplateResult {
  const { scheme } = settings;
  const value = biasOf(library, settings)[i * TOKENS + j]!;
  const pair = words.text('biases.pair', { query: i, key: j, offset: words.number(j - i) });
  if (value === -Infinity) return html`${pair} ${words.text('biases.hidden')}`;
  if (scheme === 'alibi') {
    const slope = slopeText(library, words, settings);
    return html`${pair} −${slope} × ${Math.abs(j - i)} = <strong>${exact(words, value)}</strong>`;
  }
  const row = rowsOf(library, settings)[j - i + TOKENS - 1]!;
  if (scheme === 't5')
    return html`${pair} ${words.text('biases.bucket', { row })} <strong>${words.value(value)}</strong>`;
  return html`${pair} ${words.text('biases.row', { row })} <strong>a<sub>${words.number(value)}</sub></strong>`;
}

function slopeText(library: WasmAttention, words: Localised, settings: BiasSettings): string {
  return exact(words, slopeOf(library, settings));
}

/** With enough decimals for 1/256, and no trailing zeros. */
function exact(words: Localised, value: number): string {
  return words.value(value, 5).replace(/[.,]0+$|(?<=[.,]\d+?)0+$/, '');
}
