/** The part of an attention layer between its projections, as steps, for models and for layer classes. */
import * as AttentionArgs from '../generated/bindings/attentionArgs.js';
import { clearArgs, setStack, words } from '../runtime/args.js';
import type { CachedRows, CachePlace } from './cache.js';
import type { Norm, Rotary, Steps } from './steps.js';

/** The sizes of a layer's attention. */
export interface HeadSizes {
  readonly batch: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly queries: number;
  /** All keys, past ones included. */
  readonly keys: number;
  /** Of a head. */
  readonly width: number;
}

/** The addresses of rows whose heads lie side by side. */
export interface HeadRows {
  /** (B, L, H·E), like the output */
  readonly query: number;
  readonly output: number;
  /** (B, S, Hkv·E), like the values; not read if keys and values are in a cache */
  readonly key: number;
  readonly value: number;
}

/** Sets the sizes, addresses and strides of AttentionArgs. */
export function setHeads(sizes: HeadSizes, rows: HeadRows, cache?: CachePlace): void {
  const { batch, heads, kvHeads, queries, keys, width } = sizes;
  clearArgs();
  words[AttentionArgs.batch] = batch;
  words[AttentionArgs.heads] = heads;
  words[AttentionArgs.kvHeads] = kvHeads;
  words[AttentionArgs.queries] = queries;
  words[AttentionArgs.keys] = keys;
  words[AttentionArgs.width] = width;
  words[AttentionArgs.valueWidth] = width;
  const side = (tokens: number, heads: number) => ({
    batch: tokens * heads * width,
    head: width,
    row: heads * width,
  });
  const query = side(queries, heads);
  setStack(AttentionArgs.query, AttentionArgs.queryStrides, rows.query, query);
  setStack(AttentionArgs.output, AttentionArgs.outputStrides, rows.output, query);
  if (!cache) {
    setStack(AttentionArgs.key, AttentionArgs.keyStrides, rows.key, side(keys, kvHeads));
    setStack(AttentionArgs.value, AttentionArgs.valueStrides, rows.value, side(keys, kvHeads));
    return;
  }
  const cached = ({ row }: CachedRows) => {
    const head = cache.capacity * row;
    return { batch: kvHeads * head, head, row };
  };
  words[AttentionArgs.keyType] = cache.keys.type;
  words[AttentionArgs.valueType] = cache.values.type;
  setStack(AttentionArgs.key, AttentionArgs.keyStrides, cache.keys.address, cached(cache.keys));
  setStack(AttentionArgs.value, AttentionArgs.valueStrides, cache.values.address, cached(cache.values));
}

/** Norms of each head's queries and keys, and the addresses of their results, which may be the rows themselves. */
export interface HeadNorms {
  readonly query: Norm;
  readonly key: Norm;
  readonly to: { readonly query: number; readonly key: number };
}

/** How queries and keys are rotated. */
export interface HeadRotation {
  readonly query: Rotary;
  readonly key: Rotary;
}

/** The arguments of `attend`. */
export interface Attend {
  readonly sizes: HeadSizes;
  readonly rows: HeadRows;
  /** The number of new keys; 0 if all keys are in the cache. */
  readonly tokens: number;
  readonly norms?: HeadNorms | undefined;
  readonly rotation?: HeadRotation | undefined;
  readonly cache?: CachePlace | undefined;
  /** Sets attention's options in AttentionArgs. */
  readonly setOptions: () => void;
  /** Called after queries and keys have been normed and rotated, before attention. */
  readonly onRotated?: () => void;
}

/** Norms and rotates queries and keys, appends the new keys and values to the cache, and attends. */
export function attend(steps: Steps, call: Attend): void {
  const { sizes, tokens, norms, rotation, cache } = call;
  const { batch, heads, kvHeads, queries, width } = sizes;
  const querySizes = { batch, tokens: queries, heads, width };
  const keySizes = { batch, tokens, heads: kvHeads, width };
  let { rows } = call;
  if (norms) {
    const { query, key, to } = norms;
    steps.norm(rows.query, query, to.query, batch * queries * heads, width);
    if (tokens > 0) steps.norm(rows.key, key, to.key, batch * tokens * kvHeads, width);
    rows = { ...rows, ...to };
  }
  if (rotation) {
    steps.rotary(rows.query, querySizes, rotation.query);
    if (tokens > 0) steps.rotary(rows.key, keySizes, rotation.key);
  }
  call.onRotated?.();
  if (cache && tokens > 0) {
    steps.append(rows.key, keySizes, cache.keys, cache);
    steps.append(rows.value, keySizes, cache.values, cache);
  }
  setHeads(sizes, rows, cache);
  call.setOptions();
  steps.attention();
}
