import { wrongUse } from '../../check/values.js';
import type { Wasm } from '../../runtime/wasm.js';

/** What the library knows of a cache. Keys and values are (batch, kvHeads, maxLength, row) each. */
export interface CacheStore {
  readonly batch: number;
  readonly kvHeads: number;
  readonly maxLength: number;
  /** Floats that a head of a token takes. */
  readonly row: number;
  /** The layer that made it; no other may use it. */
  readonly owner: object;
  /** The cache's type, as C++ calls it. */
  readonly type: number;
  /** Of keys and values; undefined after `dispose`. */
  addresses: readonly [number, number] | undefined;
  length: number;
  /** The projected keys and values of a decoder's memory, from its first call on; in use while `length` is above 0. */
  memory: { addresses: readonly [number, number]; room: number; length: number };
}

/** By cache: a caller can neither read it nor change it. */
const stores = new WeakMap<object, CacheStore>();

/** Remembers the store of a cache. */
export function rememberStore(cache: object, store: CacheStore): void {
  stores.set(cache, store);
}

/** The store of a cache; undefined for what is none. */
export function storeOf(cache: object): CacheStore | undefined {
  return stores.get(cache);
}

/** The addresses of its keys and values. */
export function addressesOf(operation: string, { addresses }: CacheStore): readonly [number, number] {
  return addresses ?? wrongUse(operation, 'a cache in use', 'a disposed one');
}

/** Makes room in a cache for the keys and values of a memory of `tokens` tokens. */
export function makeRoom(operation: string, { memory }: Wasm, store: CacheStore, tokens: number): void {
  const size = store.batch * store.kvHeads * tokens * store.row;
  if (size <= store.memory.room) {
    const [keys] = store.memory.addresses;
    store.memory.addresses = [keys, keys + 4 * size];
    return;
  }
  const keys = memory.allocate(operation, 2 * size);
  if (store.memory.room > 0) memory.release(store.memory.addresses[0]);
  store.memory = { addresses: [keys, keys + 4 * size], room: size, length: 0 };
}

/** Frees a cache's memory, once. */
export function release({ memory }: Wasm, store: CacheStore): void {
  if (!store.addresses) return;
  memory.release(store.addresses[0]);
  if (store.memory.room > 0) memory.release(store.memory.addresses[0]);
  store.addresses = undefined;
}
