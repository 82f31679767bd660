import type { WasmAttention } from 'wasm-attention';
import { longest } from '../shared/controls/controls.js';
import type { Cell } from '../shared/heat-map/cursor.js';
import type { Localised } from '../shared/localised.js';
import { barsOf } from '../shared/plot/offset-bars.js';
import { biasOf, MAX_HEADS, NAMES, rowsOf, slopeOf, tableOf, TOKENS, type BiasSettings } from './bias.js';

/** ALiBi's slope, or how many rows of the table the map uses and which offsets share one, and whether keys are masked. */
export function remark(library: WasmAttention, words: Localised, settings: BiasSettings): string {
  const { scheme, heads, head, causal } = settings;
  const masked = causal ? ` ${words.text('biases.causal')}` : '';
  if (scheme === 'alibi') {
    const distance = TOKENS - 1;
    const slope = slopeOf(library, settings);
    const given = { head, heads, distance, slope: exact(words, slope), least: exact(words, -slope * distance) };
    return words.text('biases.slope', given) + masked;
  }
  const rows = rowsOf(library, settings);
  const table = tableOf(settings);
  const { first, last } = barsOf(rows, table, 1 - TOKENS).reduce((widest, bar) =>
    bar.last - bar.first > widest.last - widest.first ? bar : widest,
  );
  const given = { first: words.number(first), last: words.number(last), used: new Set(rows).size, count: table.length };
  return words.text('biases.used', { scheme: NAMES[scheme], ...given }) + masked;
}

/** The longest remark of any setting. */
export function longestRemark(words: Localised): string {
  const alibi = { slope: words.number(0.00391, 5), least: words.number(-16.26346, 5), distance: TOKENS };
  const remark = longest(
    words.text('biases.slope', { head: MAX_HEADS, heads: MAX_HEADS, ...alibi }),
    words.text('biases.used', { scheme: NAMES.shaw, used: TOKENS, count: TOKENS, first: -TOKENS, last: -TOKENS }),
  );
  return `${remark} ${words.text('biases.causal')}`;
}

/** The bias of a pair of query and key, and its row in the table. */
export function readout(
  library: WasmAttention,
  words: Localised,
  settings: BiasSettings,
  { row: i, column: j }: Cell,
): string {
  const { scheme } = settings;
  const value = biasOf(library, settings)[i * TOKENS + j]!;
  const pair = words.text('biases.pair', { query: i, key: j, offset: words.number(j - i) });
  if (value === -Infinity) return `${pair} ${words.text('biases.hidden')}`;
  if (scheme === 'alibi')
    return `${pair} −${exact(words, slopeOf(library, settings))} × ${Math.abs(j - i)} = ${exact(words, value)}`;
  const row = rowsOf(library, settings)[j - i + TOKENS - 1]!;
  if (scheme === 't5') return `${pair} ${words.text('biases.bucket', { row })} ${words.value(value)}`;
  return `${pair} ${words.text('biases.row', { row })} a${lowered(words.number(value))}`;
}

/** A whole number as a subscript. */
function lowered(number: string): string {
  return number.replace('−', '₋').replace(/\d/g, (digit) => '₀₁₂₃₄₅₆₇₈₉'[Number(digit)]!);
}

/** With enough decimals for 1/256, and no trailing zeros. */
function exact(words: Localised, value: number): string {
  return words.value(value, 5).replace(/[.,]0+$|(?<=[.,]\d+?)0+$/, '');
}
