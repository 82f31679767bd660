import { clearedAttentionArgs, type AttentionArgs } from '../../ops/attention/args.js';
import * as AT from '../../ops/attention/fields.js';
import type { StoredPast } from './past.js';

/** The sizes of a layer's attention; `keys` counts past ones, `width` is a head's. */
export interface HeadSizes {
  readonly batch: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly queries: number;
  readonly keys: number;
  readonly width: number;
}

/** The addresses of rows whose heads lie side by side. */
export interface HeadRows {
  /** (B, L, H·E), as the output */
  readonly query: number;
  readonly output: number;
  /** (B, S, Hkv·E), as the values; not read where they are stored */
  readonly key: number;
  readonly value: number;
}

/** Sizes, addresses and strides of the attention between a layer's projections. */
export function attentionOfHeads(sizes: HeadSizes, rows: HeadRows, stored?: StoredPast): AttentionArgs {
  const { batch, heads, kvHeads, queries, keys, width } = sizes;
  const args = clearedAttentionArgs();
  const { words } = args;
  words[AT.batch] = batch;
  words[AT.heads] = heads;
  words[AT.kvHeads] = kvHeads;
  words[AT.queries] = queries;
  words[AT.keys] = keys;
  words[AT.width] = width;
  words[AT.valueWidth] = width;
  const row = heads * width;
  args.setStack(AT.query, rows.query, queries * row, width, row);
  args.setStack(AT.output, rows.output, queries * row, width, row);
  if (stored?.keys) {
    const head = stored.capacity * width;
    args.setStack(AT.key, stored.keys, kvHeads * head, head, width);
    args.setStack(AT.value, stored.values, kvHeads * head, head, width);
  } else {
    const kvRow = kvHeads * width;
    args.setStack(AT.key, rows.key, keys * kvRow, width, kvRow);
    args.setStack(AT.value, rows.value, keys * kvRow, width, kvRow);
  }
  return args;
}
