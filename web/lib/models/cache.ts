/// <reference lib="esnext.disposable" preserve="true" />
import type { Tools } from '../check/tools.js';
import { wrongUse, wrongValue } from '../check/values.js';
import type { Core } from '../runtime/cores.js';
import { disposeSymbol } from '../runtime/dispose.js';
import type { Architecture } from './config/architecture.js';

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
  readonly capacity: number;
  length: number;
  /** Counts what has been done to it, so that a pass notices what its hooks do. */
  changes: number;
  /** (layers, B, Hkv, capacity, E) each; undefined after `dispose`. */
  addresses: readonly [keys: number, values: number] | undefined;
}

const stores = new WeakMap<object, CacheStore>();
const registry = new FinalizationRegistry<() => void>((release) => release());

export function createModelCache(
  { wasm, tools }: Core,
  owner: object,
  a: Architecture,
  batch: number,
  capacity: number,
): ModelCache {
  const operation = 'createCache';
  const floats = a.layers * batch * a.kvHeads * capacity * a.headDim;
  const { memory } = wasm;
  const keys = memory.allocate(operation, floats);
  let values: number;
  try {
    values = memory.allocate(operation, floats);
  } catch (error) {
    memory.release(keys);
    throw error;
  }
  const store: CacheStore = { owner, batch, capacity, length: 0, changes: 0, addresses: [keys, values] };
  const release = (): void => {
    store.addresses?.forEach((address) => memory.release(address));
    store.addresses = undefined;
    store.changes += 1;
  };
  const cache = new Cache(tools, store, release);
  stores.set(cache, store);
  registry.register(cache, release, cache);
  return cache;
}

/** The store of a cache of this model, for a batch. */
export function storeOf(operation: string, cache: unknown, owner: object, batch: number): CacheStore {
  // A WeakMap has nothing for what is no object.
  const store = stores.get(cache as object);
  if (!store) return wrongUse(operation, "cache to be from the model's createCache", 'something else');
  if (store.owner !== owner) wrongUse(operation, 'a cache of this model', 'one of another');
  if (!store.addresses) wrongUse(operation, 'a cache in use', 'a disposed one');
  if (store.batch !== batch) wrongValue(operation, `ids of ${store.batch} rows, as in the cache`, batch);
  return store;
}

class Cache implements ModelCache {
  readonly #tools: Tools;
  readonly #store: CacheStore;
  readonly #release: () => void;

  constructor(tools: Tools, store: CacheStore, release: () => void) {
    this.#tools = tools;
    this.#store = store;
    this.#release = release;
  }

  get length(): number {
    return this.#store.length;
  }

  get maxLength(): number {
    return this.#store.capacity;
  }

  truncate(length: number): void {
    const operation = 'ModelCache.truncate';
    this.#check(operation);
    this.#store.length = this.#tools.checkInteger(operation, 'length', length, 0, this.#store.length);
    this.#store.changes += 1;
  }

  reset(): void {
    this.#check('ModelCache.reset');
    this.#store.length = 0;
    this.#store.changes += 1;
  }

  dispose(): void {
    this.#release();
    registry.unregister(this);
  }

  [disposeSymbol](): void {
    this.dispose();
  }

  #check(operation: string): void {
    if (!this.#store.addresses) wrongUse(operation, 'a cache in use', 'a disposed one');
  }
}
