/// <reference lib="esnext.disposable" preserve="true" />
/** The keys and values of earlier tokens, for layers and for models. */
import { toInt32 } from '../check/arrays.js';
import { checkInteger, checkShape, wrongKind, wrongUse, wrongValue } from '../check/values.js';
import { FLOAT16, INT8 } from '../check/weightType.js';
import { disposeSymbol } from '../runtime/dispose.js';
import { fresh } from '../runtime/memory.js';
import type { Wasm } from '../runtime/wasm.js';

/**
 * Keys and values of the tokens so far, in wasm memory, which is freed on `dispose()`, at the end of a `using` block, or
 * when the cache is garbage-collected. It has `length` tokens and space for `maxLength`.
 */
export interface KeyValueCache {
  readonly length: number;
  readonly maxLength: number;
  /** Removes all tokens and a decoder's memory; the space stays allocated. */
  reset(): void;
  /**
   * Keeps the first `length` tokens and removes the rest, such as wrong guesses of speculative decoding.
   *
   * @throws RangeError unless `length` is a whole number from 0 to the present length
   */
  truncate(length: number): void;
  /**
   * Replaces row b of the batch with row order[b], for all rows at once, as a beam search does to keep its best beams.
   * A row may occur several times.
   *
   * @param order (batch,), whole numbers below the batch
   */
  reorder(order: ArrayLike<number>): void;
  dispose(): void;
  [Symbol.dispose](): void;
}

/** The sizes of a cache. */
export interface CacheSizes {
  readonly layers: number;
  readonly batch: number;
  readonly kvHeads: number;
  /** Of a head. */
  readonly width: number;
  /** The largest number of tokens. */
  readonly capacity: number;
  /** Its number in C++. */
  readonly type: number;
}

/** Where keys or values are: the floats that a head of a token takes, and their type as its number in C++. */
export interface CachedRows {
  readonly address: number;
  readonly row: number;
  readonly type: number;
}

/** Where the keys and values of a layer are: (B, Hkv, capacity, row) each. */
export interface CachePlace {
  readonly keys: CachedRows;
  readonly values: CachedRows;
  /** Tokens that are there already. */
  readonly length: number;
  readonly capacity: number;
}

/**
 * The memory of a cache: keys and then values, (layers, B, Hkv, capacity, row) each. In int8 the keys are float16,
 * because a few large numbers of a key decide where attention goes, and rounding the others with them changes that.
 */
export class CacheStore {
  readonly sizes: CacheSizes;
  /** The layer or model that made it; no other may use it. */
  readonly owner: object;
  length = 0;
  /** Counts changes, so that a generation notices those that the caller makes between two tokens. */
  changes = 0;
  /** Whether a pass uses it, whose hooks must not change it. */
  isBusy = false;
  /** (B, columns): 1 for a token, 0 for padding, for at least `length` columns; undefined without padding. */
  mask: { readonly data: Uint8Array; readonly columns: number } | undefined;
  /** The projected keys and values of a decoder's memory, in use while their length is above 0. */
  memory: CacheStore | undefined;
  readonly #wasm: Wasm;
  /** Keys and values; their addresses are 0 after `release`. */
  #sides: readonly [CachedRows, CachedRows];

  constructor(operation: string, wasm: Wasm, owner: object, sizes: CacheSizes) {
    this.#wasm = wasm;
    this.owner = owner;
    this.sizes = sizes;
    const { layers, width, type } = sizes;
    const side = (type: number) => ({ address: 0, row: wasm.raw.cacheRowSize(width, type), type });
    const [keys, values] = [side(type === INT8 ? FLOAT16 : type), side(type)];
    const address = wasm.memory.allocate(operation, layers * this.#heads * sizes.capacity * (keys.row + values.row));
    this.#sides = [
      { ...keys, address },
      { ...values, address: address + 4 * layers * this.#heads * sizes.capacity * keys.row },
    ];
  }

  /** The number of heads of a layer's keys. */
  get #heads(): number {
    return this.sizes.batch * this.sizes.kvHeads;
  }

  /** Throws if the cache was disposed, or belongs to a pass that is not over. */
  check(operation: string): void {
    if (this.#sides[0].address === 0) wrongUse(operation, 'a cache in use', 'a disposed one');
    this.checkIdle(operation);
  }

  checkIdle(operation: string): void {
    if (this.isBusy) wrongUse(operation, 'a cache between passes', "a hook's call in one");
  }

  /** Where a layer's keys and values are. */
  place(layer = 0): CachePlace {
    const { capacity } = this.sizes;
    const [keys, values] = this.#sides.map((side) => ({
      ...side,
      address: side.address + 4 * layer * this.#heads * capacity * side.row,
    })) as [CachedRows, CachedRows];
    return { keys, values, length: this.length, capacity };
  }

  /** The store for the keys and values of a decoder's memory of `tokens` tokens. */
  memoryOf(operation: string, tokens: number): CacheStore {
    if (this.memory && this.memory.sizes.capacity !== tokens) {
      this.memory.release();
      this.memory = undefined;
    }
    return (this.memory ??= new CacheStore(operation, this.#wasm, this.owner, { ...this.sizes, capacity: tokens }));
  }

  truncate(length: number): void {
    this.length = length;
    this.changes += 1;
  }

  /**
   * Adds `tokens` tokens, whose keys and values a pass has stored.
   *
   * @param mask of all tokens then: (B, length); undefined without padding
   * @throws RangeError if one of these numbers is too large for float16
   */
  append(operation: string, tokens: number, mask?: Uint8Array): void {
    const [keys, values] = this.#sides;
    this.#checkHalves(operation, 'keys', keys, tokens);
    this.#checkHalves(operation, 'values', values, tokens);
    this.truncate(this.length + tokens);
    this.mask = mask && { data: mask, columns: this.length };
  }

  #checkHalves(operation: string, name: string, { address, row, type }: CachedRows, tokens: number): void {
    if (type !== FLOAT16) return;
    const { layers, capacity } = this.sizes;
    for (let head = 0; head < layers * this.#heads; ++head) {
      const rows = this.#wasm.memory.read(address + 4 * (head * capacity + this.length) * row, tokens * row);
      if (!new Uint16Array(rows.buffer).some((half) => (half & 0x7fff) === 0x7c00)) continue;
      const place = layers > 1 ? ` of layer ${Math.floor(head / this.#heads)}` : '';
      wrongValue(operation, `${name}${place} within float16, below 65520, as cacheType rounds them`, Infinity);
    }
  }

  reorder(order: Int32Array): void {
    const { memory } = this.#wasm;
    const { layers, batch, kvHeads, capacity } = this.sizes;
    for (const { address, row: width } of this.#sides) {
      const size = this.length * width;
      // One head of each row at a time: all are read before the first is replaced.
      const copy = fresh('KeyValueCache.reorder', Float32Array, batch * size);
      const copied = (row: number): Float32Array => copy.subarray(row * size, (row + 1) * size);
      for (let layer = 0; layer < layers; ++layer) {
        for (let head = 0; head < kvHeads; ++head) {
          const place = (row: number): number =>
            address + 4 * (((layer * batch + row) * kvHeads + head) * capacity * width);
          order.forEach((from, row) => memory.read(place(from), size, copied(row)));
          order.forEach((_, row) => memory.write(place(row), copied(row)));
        }
      }
    }
    if (this.mask) {
      const { data, columns } = this.mask;
      const rows = Array.from(order, (row) => Array.from(data.subarray(row * columns, (row + 1) * columns)));
      this.mask = { data: Uint8Array.from(rows.flat()), columns };
    }
    this.memory?.reorder(order);
    this.changes += 1;
  }

  /** Copies all tokens to an empty cache of the same sizes, except for its capacity. */
  copyTo(other: CacheStore): void {
    const { memory } = this.#wasm;
    const { layers, capacity } = this.sizes;
    this.#sides.forEach(({ address, row }, i) => {
      const to = other.#sides[i]!.address;
      for (let head = 0; head < layers * this.#heads; ++head) {
        const rows = memory.read(address + 4 * head * capacity * row, this.length * row);
        memory.write(to + 4 * head * other.sizes.capacity * row, rows);
      }
    });
    other.length = this.length;
    other.mask = this.mask;
  }

  /** Frees the memory, once. */
  release(): void {
    this.memory?.release();
    const [keys, values] = this.#sides;
    if (keys.address !== 0) this.#wasm.memory.release(keys.address);
    this.#sides = [
      { ...keys, address: 0 },
      { ...values, address: 0 },
    ];
    this.changes += 1;
  }
}

const registry = new FinalizationRegistry<CacheStore>((store) => store.release());

class Cache implements KeyValueCache {
  readonly #store: CacheStore;

  constructor(store: CacheStore) {
    this.#store = store;
    registry.register(this, store, this);
  }

  /** The store of a cache; undefined for anything else. */
  static storeOf(cache: unknown): CacheStore | undefined {
    return typeof cache === 'object' && cache !== null && #store in cache ? cache.#store : undefined;
  }

  get length(): number {
    return this.#store.length;
  }

  get maxLength(): number {
    return this.#store.sizes.capacity;
  }

  reset(): void {
    this.#store.check('KeyValueCache.reset');
    this.#store.truncate(0);
    this.#store.memory?.truncate(0);
  }

  truncate(length: number): void {
    const operation = 'KeyValueCache.truncate';
    this.#store.check(operation);
    this.#store.truncate(checkInteger(operation, 'length', length, 0, this.#store.length));
  }

  reorder(order: ArrayLike<number>): void {
    const operation = 'KeyValueCache.reorder';
    const { batch } = this.#store.sizes;
    const { data, shape } = toInt32(operation, 'order', order, 0, batch - 1);
    checkShape(operation, 'order', shape, [batch]);
    this.#store.check(operation);
    this.#store.reorder(data);
  }

  dispose(): void {
    this.#store.checkIdle('KeyValueCache.dispose');
    this.#store.release();
    registry.unregister(this);
  }

  [disposeSymbol](): void {
    this.dispose();
  }
}

/** Makes a cache that only its layer or model can use. */
export function createCache(operation: string, wasm: Wasm, owner: object, sizes: CacheSizes): KeyValueCache {
  return new Cache(new CacheStore(operation, wasm, owner, sizes));
}

/** Checks that a cache belongs to this layer or model and has room for `tokens` more tokens; returns its store. */
export function storeOf(operation: string, cache: unknown, owner: object, batch: number, tokens: number): CacheStore {
  const store = Cache.storeOf(cache) ?? wrongKind(operation, 'a cache from createCache', cache);
  if (store.owner !== owner) wrongValue(operation, 'a cache of this layer or model', "another's");
  store.check(operation);
  const { length } = store;
  const { batch: rows, capacity } = store.sizes;
  if (rows !== batch) wrongValue(operation, `inputs of the cache's batch ${rows}`, batch);
  if (length + tokens > capacity) {
    wrongValue(operation, `at most ${capacity - length} more tokens in a cache of ${capacity}`, tokens);
  }
  return store;
}
