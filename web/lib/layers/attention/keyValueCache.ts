/// <reference lib="esnext.disposable" preserve="true" />
import { toInt32 } from '../../check/arrays.js';
import { checkOptions, type Known } from '../../check/options.js';
import { checkInteger, checkShape } from '../../check/values.js';
import { checkWeightType, type WeightType } from '../../check/weightType.js';
import { disposeSymbol } from '../../runtime/dispose.js';
import { fresh } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { Parameters } from '../base/parameters.js';
import { addressesOf, release, rememberStore, type CacheStore } from './cacheStore.js';

/**
 * Keys and values of the tokens so far, in wasm memory, which is freed in the same way as a layer's. It has `length`
 * tokens and space for `maxLength`.
 */
export interface KeyValueCache {
  readonly length: number;
  readonly maxLength: number;
  /** Removes all tokens, and a decoder's memory; the space stays allocated. */
  reset(): void;
  /**
   * Removes the tokens behind the first `length`, for instance those that speculative decoding has guessed wrong.
   *
   * @throws RangeError unless `length` is a whole number from 0 to the present length
   */
  truncate(length: number): void;
  /**
   * Replaces row b of the batch by row order[b], for all rows at once: the beams that a beam search goes on with. A row
   * may occur several times.
   *
   * @param order (batch,), whole numbers below the batch
   */
  reorder(order: ArrayLike<number>): void;
  dispose(): void;
  [Symbol.dispose](): void;
}

/** What a cache has room for. */
export interface CacheOptions {
  /** B */
  batch: number;
  /** The largest number of tokens of each sequence. */
  maxLength: number;
  /**
   * How keys and values are kept. Default 'float32'. 'float16' rounds them and takes half of the memory; 'int8' keeps a
   * whole number from -127 to 127 of each and a scale for each head of each token, in about a quarter of the memory.
   */
  cacheType?: WeightType;
}

const CACHE_OPTIONS: Known<CacheOptions> = { batch: 1, maxLength: 1, cacheType: 1 };

const registry = new FinalizationRegistry<() => void>((release) => release());

/** Makes a cache for the heads of a layer with these parameters. */
export function createCache(
  wasm: Wasm,
  owner: object,
  parameters: Parameters,
  { kvHeads, width }: { readonly kvHeads: number; readonly width: number },
  options: CacheOptions,
): KeyValueCache {
  parameters.check('createCache');
  const { batch, maxLength, cacheType } = checkOptions('createCache', options, CACHE_OPTIONS);
  checkInteger('createCache', 'batch', batch, 1, 2 ** 24);
  checkInteger('createCache', 'maxLength', maxLength, 1, 2 ** 30);
  const type = checkWeightType('createCache', 'cacheType', cacheType);
  parameters.check('createCache');
  const { raw, memory } = wasm;
  const row = raw.cacheRowSize(width, type);
  // Keys and values in one block.
  const size = batch * kvHeads * maxLength * row;
  const keys = memory.allocate('createCache', 2 * size);
  const memoryStore = { addresses: [0, 0] as const, room: 0, length: 0 };
  const store: CacheStore = {
    batch,
    kvHeads,
    maxLength,
    row,
    type,
    owner,
    addresses: [keys, keys + 4 * size],
    length: 0,
    memory: memoryStore,
  };
  const cache = new Cache(wasm, store);
  rememberStore(cache, store);
  registry.register(cache, () => release(wasm, store), cache);
  return cache;
}

class Cache implements KeyValueCache {
  readonly #wasm: Wasm;
  readonly #store: CacheStore;

  constructor(wasm: Wasm, store: CacheStore) {
    this.#wasm = wasm;
    this.#store = store;
  }

  get length(): number {
    return this.#store.length;
  }

  get maxLength(): number {
    return this.#store.maxLength;
  }

  reset(): void {
    addressesOf('KeyValueCache.reset', this.#store);
    this.#store.length = 0;
    this.#store.memory.length = 0;
  }

  truncate(length: number): void {
    const operation = 'KeyValueCache.truncate';
    addressesOf(operation, this.#store);
    this.#store.length = checkInteger(operation, 'length', length, 0, this.#store.length);
  }

  reorder(order: ArrayLike<number>): void {
    const operation = 'KeyValueCache.reorder';
    const { batch, kvHeads, maxLength, row: floats, length, memory: kept } = this.#store;
    const { memory } = this.#wasm;
    const rows = toInt32(operation, 'order', order, 0, batch - 1);
    checkShape(operation, 'order', rows.shape, [batch]);
    const addresses = addressesOf(operation, this.#store);
    // All the room before the first row is replaced: one head of every row.
    const copy = fresh(operation, Float32Array, batch * Math.max(length, kept.length) * floats);
    const reorderTokens = (address: number, tokens: number, capacity: number): void => {
      const size = tokens * floats;
      for (let head = 0; head < kvHeads; ++head) {
        const place = (row: number): number => address + 4 * (row * kvHeads + head) * capacity * floats;
        const copied = (row: number): Float32Array => copy.subarray(row * size, (row + 1) * size);
        rows.data.forEach((from, row) => memory.read(place(from), size, copied(row)));
        rows.data.forEach((_, row) => memory.write(place(row), copied(row)));
      }
    };
    for (const address of addresses) reorderTokens(address, length, maxLength);
    for (const address of kept.addresses) reorderTokens(address, kept.length, kept.length);
  }

  dispose(): void {
    release(this.#wasm, this.#store);
    registry.unregister(this);
  }

  [disposeSymbol](): void {
    this.dispose();
  }
}
