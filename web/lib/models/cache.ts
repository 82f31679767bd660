/// <reference lib="esnext.disposable" preserve="true" />
import type { WeightType } from '../check/weightType.js';
import { checkInteger, wrongUse, wrongValue } from '../check/values.js';
import { disposeSymbol } from '../runtime/dispose.js';
import type { Memory } from '../runtime/memory.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Architecture } from './config/architecture.js';

/** What a model's cache has room for, and how. */
export interface ModelCacheOptions {
  /** B. Default 1. */
  batch?: number;
  /** The largest number of tokens of each sequence. Default: the model's, whose memory is taken at once. */
  maxLength?: number;
  /**
   * How keys and values are kept. 'float16' rounds them and takes half of the memory; 'int8' keeps a whole number from
   * -127 to 127 of each and a scale for each head of each token, in about a quarter of the memory. Default: `cacheType`
   * of `openModel`.
   */
  cacheType?: WeightType;
}

/** All layers' keys and values. */
export interface ModelCache {
  /** The number of tokens that it holds. */
  readonly length: number;
  readonly maxLength: number;
  /** Forgets what came after `length` tokens. */
  truncate(length: number): void;
  /** Forgets everything. */
  reset(): void;
  /** Frees its memory. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** What a pass sees of a cache. */
export interface CacheStore {
  /** The model that it belongs to. */
  readonly owner: object;
  readonly batch: number;
  length: number;
  /** Counts what has been done to it, so that a pass notices what its hooks do. */
  changes: number;
  readonly capacity: number;
  /** Undefined after `dispose`. */
  place: CachePlace | undefined;
  readonly release: () => void;
}

/** Where a cache is: keys and values are (layers, B, Hkv, capacity, row) each. */
export interface CachePlace {
  readonly keys: number;
  readonly values: number;
  readonly capacity: number;
  /** Floats that a head of a token takes, and their type as C++ calls it. */
  readonly row: number;
  readonly type: number;
}

const stores = new WeakMap<object, CacheStore>();
const registry = new FinalizationRegistry<() => void>((release) => release());

export function createModelCache(
  { raw, memory }: Wasm,
  owner: object,
  a: Architecture,
  batch: number,
  capacity: number,
  type: number,
): ModelCache {
  const operation = 'createCache';
  const row = raw.cacheRowSize(a.headDim, type);
  const floats = a.layers * batch * a.kvHeads * capacity * row;
  // Keys and values in one block.
  const keys = memory.allocate(operation, 2 * floats);
  const place = { keys, values: keys + 4 * floats, capacity, row, type };
  const store: CacheStore = {
    owner,
    batch,
    capacity,
    length: 0,
    changes: 0,
    place,
    release: () => release(memory, store),
  };
  const cache = new Cache(store);
  stores.set(cache, store);
  registry.register(cache, store.release, cache);
  return cache;
}

function release(memory: Memory, store: CacheStore): void {
  if (store.place) memory.release(store.place.keys);
  store.place = undefined;
  store.changes += 1;
}

/** The store of a cache of this model, for a batch. */
export function storeOf(operation: string, cache: unknown, owner: object, batch: number): CacheStore {
  // A WeakMap has nothing for what is no object.
  const store = stores.get(cache as object);
  if (!store) return wrongUse(operation, "cache to be from the model's createCache", 'something else');
  if (store.owner !== owner) wrongUse(operation, 'a cache of this model', 'one of another');
  if (!store.place) wrongUse(operation, 'a cache in use', 'a disposed one');
  if (store.batch !== batch) wrongValue(operation, `ids of ${store.batch} rows, as in the cache`, batch);
  return store;
}

class Cache implements ModelCache {
  readonly #store: CacheStore;

  constructor(store: CacheStore) {
    this.#store = store;
  }

  get length(): number {
    return this.#store.length;
  }

  get maxLength(): number {
    return this.#store.capacity;
  }

  truncate(length: number): void {
    this.#truncate('truncate', length);
  }

  reset(): void {
    this.#truncate('reset', 0);
  }

  dispose(): void {
    this.#store.release();
    registry.unregister(this);
  }

  [disposeSymbol](): void {
    this.dispose();
  }

  #truncate(method: string, length: number): void {
    const store = this.#store;
    const operation = `ModelCache.${method}`;
    if (!store.place) wrongUse(operation, 'a cache in use', 'a disposed one');
    store.length = checkInteger(operation, 'length', length, 0, store.length);
    store.changes += 1;
  }
}
