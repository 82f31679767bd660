import type { Localised } from '../shared/localised.js';
import type { FormulaSymbol } from './symbols.js';

/** `2` as `₂`. */
export const lowered = (digit: number): string => String.fromCodePoint(0x2080 + digit);

/** A symbol of the formula of the output `query`: `x₃`, `α₂₃`. */
export function nameOf(symbol: FormulaSymbol, query: number): string {
  const i = lowered(query);
  const [kind] = symbol;
  if (kind === 'y') return `y${i}`;
  if (kind === 'q') return `x${i}`;
  const j = lowered(Number(symbol.slice(1)));
  return kind === 'a' ? `α${i}${j}` : `x${j}`;
}

/** What a symbol denotes, in words. */
export function described(symbol: FormulaSymbol, query: number, words: Localised): string {
  const j = symbol.length > 1 ? Number(symbol.slice(1)) : query;
  const kind = symbol[0] as 'y' | 'q' | 'k' | 'v' | 'a';
  return words.text(`formula.${kind}`, {
    name: nameOf(symbol, query),
    i: query,
    j,
    weight: `α${lowered(query)}${lowered(j)}`,
    y: `y${lowered(query)}`,
  });
}
