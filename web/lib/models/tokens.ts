/** Checks lists of tokens, masks and positions. */
import { checkRows, countOf } from '../check/elements.js';
import { toInt32, toMask } from '../check/arrays.js';
import { checkShape, kindOf, showShape, wrongKind, wrongUse, wrongValue } from '../check/values.js';
import { fresh } from '../runtime/memory.js';
import type { MaskLike, ValidLens } from '../types.js';

/** (T), (B, T), or rows of unequal length; tokenizers return whole numbers of 64 bits. */
export type TokenIds =
  | readonly number[]
  | readonly (readonly number[])[]
  | { readonly data: ArrayLike<number> | BigInt64Array; readonly shape: readonly number[] }
  | { readonly data: ArrayLike<number> | BigInt64Array; readonly dims: readonly number[] };

export interface Tokens {
  readonly batch: number;
  readonly tokens: number;
  /** (B, T) */
  readonly data: Int32Array;
  /** (B, T): 1 for a token, 0 for padding; undefined without padding. */
  readonly mask: Uint8Array | undefined;
}

/** The value with numbers instead of whole numbers of 64 bits, of which those above 2^53 are rounded. */
function withNumbers(value: unknown): unknown {
  if (kindOf(value) === 'BigInt64Array') return Array.from(value as BigInt64Array, Number);
  const data = Array.isArray(value) ? undefined : (Object(value) as { data?: unknown }).data;
  if (kindOf(data) !== 'BigInt64Array') return value;
  const { shape, dims } = value as { shape?: unknown; dims?: unknown };
  return { data: Array.from(data as BigInt64Array, Number), shape: shape ?? dims };
}

/** Numbers from 0 to `max`, of shape (B, T). */
export function toRows(
  operation: string,
  name: string,
  value: unknown,
  max: number,
): { readonly data: Int32Array; readonly batch: number; readonly tokens: number } {
  const { data, shape } = toInt32(operation, name, withNumbers(value) as ValidLens, 0, max);
  checkShape(operation, name, shape, ['B', 'T'], ['T']);
  const [batch, tokens] = shape.length === 2 ? (shape as [number, number]) : [1, shape[0]!];
  if (batch < 1 || tokens < 1) wrongValue(operation, `${name} of at least one token`, showShape(shape));
  return { data, batch, tokens };
}

/** Numbers from 0 to `max` for each token; rows may be of unequal length if those of the tokens are. */
export function toRowsLike(
  operation: string,
  name: string,
  value: TokenIds,
  max: number,
  { batch, tokens, mask }: Tokens,
): Int32Array {
  const given = toPadded(operation, name, value, max, 0);
  checkShape(operation, name, [given.batch, given.tokens], [batch, tokens]);
  if (given.mask && given.mask.join() !== mask?.join()) {
    wrongValue(operation, `${name} with rows as long as those of ids`, 'other lengths');
  }
  return given.data;
}

/** Ids, with shorter rows padded, and their padding mask. */
export function toTokens(
  operation: string,
  ids: TokenIds,
  vocab: number,
  pad: number,
  attentionMask: TokenIds | undefined,
): Tokens {
  // The config's padding id may be beyond the vocabulary.
  const rows = toPadded(operation, 'ids', ids, vocab - 1, pad < vocab ? pad : 0);
  if (attentionMask == null) return rows;
  if (rows.mask) wrongUse(operation, 'rows of equal length, or no attentionMask', 'both');
  const { data, shape } = toMask(operation, 'attentionMask', withNumbers(attentionMask) as MaskLike);
  checkShape(operation, 'attentionMask', shape.length === 1 ? [1, ...shape] : shape, [rows.batch, rows.tokens]);
  for (let b = 0; b < rows.batch; ++b) {
    if (!data.subarray(b * rows.tokens, (b + 1) * rows.tokens).includes(1)) {
      wrongValue(operation, 'attentionMask with a token in each row', `none in row ${b}`);
    }
  }
  return { ...rows, mask: data.includes(0) ? data : undefined };
}

/** Rows that may be of unequal length; shorter ones are padded. */
function toPadded(operation: string, name: string, value: TokenIds, max: number, pad: number): Tokens {
  const equal = (): Tokens => ({ ...toRows(operation, name, value, max), mask: undefined });
  if (!Array.isArray(value)) return equal();
  checkRows(operation, name, value as readonly unknown[]);
  const list = Array.from(value as readonly unknown[]);
  const isRow = (row: unknown): boolean => Array.isArray(row) || kindOf(row) !== undefined;
  if (list.length === 0 || !list.every(isRow)) return equal();
  const given = list.map(withNumbers);
  const lengths = given.map((row) => countOf(row) ?? wrongKind(operation, `${name} to be rows of numbers`, row));
  // Not Math.max(...), whose arguments may be too many.
  const tokens = lengths.reduce((max, length) => Math.max(max, length));
  if (lengths.every((length) => length === tokens)) return { ...toRows(operation, name, given, max), mask: undefined };
  const data = fresh(operation, Int32Array, given.length * tokens).fill(pad);
  const mask = fresh(operation, Uint8Array, data.length);
  given.forEach((row, b) => {
    const { data: ids } = toRows(operation, name, row, max);
    data.set(ids, b * tokens);
    mask.fill(1, b * tokens, b * tokens + ids.length);
  });
  return { batch: given.length, tokens, data, mask };
}
