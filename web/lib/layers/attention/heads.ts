import * as AT from '../../generated/bindings/attentionArgs.js';
import { clearArgs, setStack, words } from '../../runtime/args.js';
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
export function attentionOfHeads(sizes: HeadSizes, rows: HeadRows, stored?: StoredPast): void {
  const { batch, heads, kvHeads, queries, keys, width } = sizes;
  clearArgs();
  words[AT.batch] = batch;
  words[AT.heads] = heads;
  words[AT.kvHeads] = kvHeads;
  words[AT.queries] = queries;
  words[AT.keys] = keys;
  words[AT.width] = width;
  words[AT.valueWidth] = width;
  const row = heads * width;
  setStack(AT.query, AT.queryStrides, rows.query, queries * row, width, row);
  setStack(AT.output, AT.outputStrides, rows.output, queries * row, width, row);
  if (stored?.keys) {
    const head = stored.capacity * width;
    setStack(AT.key, AT.keyStrides, stored.keys, kvHeads * head, head, width);
    setStack(AT.value, AT.valueStrides, stored.values, kvHeads * head, head, width);
  } else {
    const kvRow = kvHeads * width;
    setStack(AT.key, AT.keyStrides, rows.key, keys * kvRow, width, kvRow);
    setStack(AT.value, AT.valueStrides, rows.value, keys * kvRow, width, kvRow);
  }
}
