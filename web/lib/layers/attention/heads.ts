import * as AT from '../../generated/bindings/attentionArgs.js';
import { clearArgs, setStack, words } from '../../runtime/args.js';
import type { StoredPast } from './past.js';

/** The sizes of a layer's attention. `keys` includes past ones; `width` is the width of a head. */
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
  /** (B, L, H·E), like the output */
  readonly query: number;
  readonly output: number;
  /** (B, S, Hkv·E), like the values; not read if keys and values are stored */
  readonly key: number;
  readonly value: number;
}

/** Sets the sizes, addresses and strides of the attention between a layer's projections. */
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
  const side = (tokens: number, heads: number) => ({
    batch: tokens * heads * width,
    head: width,
    row: heads * width,
  });
  const query = side(queries, heads);
  setStack(AT.query, AT.queryStrides, rows.query, query);
  setStack(AT.output, AT.outputStrides, rows.output, query);
  const kept = stored?.keys ? stored : undefined;
  const head = kept ? kept.capacity * kept.row : 0;
  const key = kept ? { batch: kvHeads * head, head, row: kept.row } : side(keys, kvHeads);
  words[AT.cacheType] = stored?.type ?? 0;
  setStack(AT.key, AT.keyStrides, kept?.keys ?? rows.key, key);
  setStack(AT.value, AT.valueStrides, kept?.values ?? rows.value, key);
}
