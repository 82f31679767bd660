/** The padding of a pass and of the cache before it. */
import { checkShape, wrongValue } from '../../check/values.js';
import { fresh } from '../../runtime/memory.js';
import type { CacheStore } from '../../steps/cache.js';
import type { Tokens } from '../tokens.js';

export interface Padding {
  /** (B, past + T): 1 for a token of the cache or the pass, 0 for padding; undefined without padding. */
  readonly mask: Uint8Array | undefined;
  /** (B, T): the positions of the pass's tokens, unless they are those of an unpadded pass. */
  readonly positions: Int32Array | undefined;
  /** The most tokens of a row, in the cache and the pass. */
  readonly longest: number;
}

/**
 * The part, (B, T), of an attentionMask (B, past + T) for the pass's tokens; undefined without padding.
 *
 * @throws RangeError for another shape, and for entries that differ from those of the cache's tokens
 */
export function maskOfTokens(
  operation: string,
  { data, shape }: { readonly data: Uint8Array; readonly shape: readonly number[] },
  { batch, tokens }: Tokens,
  store: CacheStore | undefined,
): Uint8Array | undefined {
  const past = store?.length ?? 0;
  checkShape(operation, 'attentionMask', shape.length === 1 ? [1, ...shape] : shape, [batch, past + tokens]);
  const mask = fresh(operation, Uint8Array, batch * tokens);
  for (let b = 0; b < batch; ++b) {
    const row = data.subarray(b * (past + tokens), (b + 1) * (past + tokens));
    const before = store && maskOfRow(store, b);
    const changed = row.findIndex((entry, t) => t < past && entry !== (before ? before[t] : 1));
    if (changed >= 0) {
      wrongValue(operation, 'attentionMask to keep the entries of the cache', `another entry ${changed} of row ${b}`);
    }
    mask.set(row.subarray(past), b * tokens);
  }
  return mask.includes(0) ? mask : undefined;
}

/**
 * The padding of a pass. The positions of a row's tokens are counted from the cache's tokens on; padding has that of the
 * token before it, or 0.
 *
 * @throws RangeError for a row of padding alone
 */
export function paddingOf(
  operation: string,
  { batch, tokens, mask }: Tokens,
  store: CacheStore | undefined,
  maxLength: number,
): Padding {
  const past = store?.length ?? 0;
  const columns = past + tokens;
  const none = { mask: undefined, positions: undefined, longest: columns };
  if (!mask && !store?.mask) return none;
  const whole = fresh(operation, Uint8Array, batch * columns).fill(1);
  for (let b = 0; b < batch; ++b) {
    if (store?.mask) whole.set(maskOfRow(store, b)!, b * columns);
    if (mask) whole.set(mask.subarray(b * tokens, (b + 1) * tokens), b * columns + past);
  }
  if (!whole.includes(0)) return none;
  const positions = fresh(operation, Int32Array, batch * tokens);
  // An unpadded pass would have positions that the model lacks.
  let isShifted = columns > maxLength;
  let longest = 0;
  for (let b = 0, i = 0; b < batch; ++b) {
    let count = 0;
    for (let t = 0; t < columns; ++t, ++i) {
      if (whole[i] === 1) {
        isShifted ||= t >= past && count < t;
        count += 1;
      }
      if (t >= past) positions[b * tokens + t - past] = Math.max(count - 1, 0);
    }
    if (count === 0) wrongValue(operation, 'attentionMask with a token in each row', `none in row ${b}`);
    longest = Math.max(longest, count);
  }
  return { mask: whole, positions: isShifted ? positions : undefined, longest };
}

/** How many tokens that are no padding a row of a cache has. */
export function countOf(store: CacheStore, b: number): number {
  return maskOfRow(store, b)?.reduce((sum, entry) => sum + entry, 0) ?? store.length;
}

/** The mask of a row of a cache's tokens; undefined without padding. */
function maskOfRow({ mask, length }: CacheStore, b: number): Uint8Array | undefined {
  return mask?.data.subarray(b * mask.columns, b * mask.columns + length);
}
