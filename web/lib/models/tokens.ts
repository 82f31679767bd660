/** Checks lists of tokens, masks and positions. */
import { checkRows, countOf } from '../check/elements.js';
import { toInt32, toMask } from '../check/arrays.js';
import { checkShape, kindOf, showShape, wrongKind, wrongValue } from '../check/values.js';
import { fresh } from '../runtime/memory.js';
import type { MaskLike, Tensor, ValidLens } from '../types.js';

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

/** Ids, with shorter rows padded at their ends. */
export function toTokens(operation: string, ids: TokenIds, vocab: number, pad: number): Tokens {
  // The config's padding id may be beyond the vocabulary.
  return toPadded(operation, 'ids', ids, vocab - 1, pad < vocab ? pad : 0);
}

/** A sequence of tokens, or a list of sequences of any length. */
export type Prompts = readonly number[] | readonly (readonly number[])[];

/** Prompts without padding, and whether they came as a list. */
export function toPrompts(
  operation: string,
  ids: Prompts,
  vocab: number,
): { readonly prompts: readonly (readonly number[])[]; readonly isList: boolean } {
  const { batch, tokens, data, mask } = toPadded(operation, 'ids', ids, vocab - 1, 0);
  const isList = Array.isArray(ids) && typeof ids[0] === 'object';
  if (batch !== 1 && !isList) wrongValue(operation, 'ids of one sequence, or a list of sequences', batch);
  const row = (b: number) => Array.from(data.subarray(b * tokens, (b + 1) * tokens));
  const prompts = Array.from({ length: batch }, (_, b) => row(b).filter((_, t) => mask?.[b * tokens + t] !== 0));
  return { prompts, isList };
}

/** 1 for a token, 0 for padding. */
export function toAttentionMask(operation: string, value: TokenIds): Tensor<Uint8Array> {
  return toMask(operation, 'attentionMask', withNumbers(value) as MaskLike);
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
