import type { WasmAttention } from 'wasm-attention';
import type { Localised } from '../shared/localised.js';
import { normalDraws } from '../shared/normal-draws.js';

/** The number of tokens, and their width. */
export const TOKENS = 4;
export const WIDTH = 6;

/** X, (TOKENS, WIDTH): normal numbers rounded to one decimal, so that code can contain them. */
export const X: readonly (readonly number[])[] = Array.from({ length: TOKENS }, (_, row) =>
  [...normalDraws(TOKENS * WIDTH, 5)].slice(row * WIDTH, (row + 1) * WIDTH).map((value) => Math.round(10 * value) / 10),
);

/** The formula's symbols: the output, the query, and each token's key, value and weight. */
export const SYMBOLS = ['y', 'q', 'k1', 'k2', 'k3', 'k4', 'v1', 'v2', 'v3', 'v4', 'a1', 'a2', 'a3', 'a4'] as const;
export type FormulaSymbol = (typeof SYMBOLS)[number];

export type Matrix = 'X' | 'A' | 'Y';

/** A row of a matrix, or with `column` a cell, counted from 0. */
export interface Area {
  readonly matrix: Matrix;
  readonly row: number;
  readonly column?: number;
}

/** What a symbol of y_i = f(x_i, (x_1, x_1), …) = Σ α_ij x_j denotes if the query is row `i`. */
export function denoted(symbol: FormulaSymbol, i: number): readonly Area[] {
  const j = Number(symbol.slice(1)) - 1;
  switch (symbol[0]) {
    case 'y':
      return [
        { matrix: 'Y', row: i },
        { matrix: 'A', row: i },
      ];
    case 'q':
      return [
        { matrix: 'X', row: i },
        { matrix: 'A', row: i },
      ];
    case 'k':
      return [
        { matrix: 'X', row: j },
        { matrix: 'A', row: i, column: j },
      ];
    case 'v':
      return [{ matrix: 'X', row: j }];
    default:
      return [{ matrix: 'A', row: i, column: j }];
  }
}

/** The inverse: the symbols that denote a cell, alone or as part of a row. */
export function symbolsAt(matrix: Matrix, row: number, column: number, i: number): FormulaSymbol[] {
  return SYMBOLS.filter((symbol) =>
    denoted(symbol, i).some((area) => area.matrix === matrix && area.row === row && (area.column ?? column) === column),
  );
}

/** The weights A and the outputs Y of X attending to itself. */
export function attend(library: WasmAttention): Readonly<Record<Matrix, Float32Array>> {
  const { output, weights } = library.scaledDotProductAttention(X, X, X, { needWeights: true });
  return { X: Float32Array.from(X.flat()), A: weights?.data ?? new Float32Array(), Y: output.data };
}

/** `2` as `₂`. */
export const lowered = (digit: number): string => String.fromCodePoint(0x2080 + digit);

/** A symbol of the formula for the output `query`: `x₃`, `α₂₃`. */
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
