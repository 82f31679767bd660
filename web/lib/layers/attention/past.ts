import { sizeOf, wrongKind, wrongUse, wrongValue } from '../../check/values.js';
import { checkPast, writeMatrices } from '../../ops/attention/past.js';
import type { Memory } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import type { AttentionOptions, Tensor } from '../../types.js';
import { addressesOf, makeRoom, storeOf } from './cacheStore.js';
import type { KeyValueCache } from './keyValueCache.js';

/** The addresses of keys and values, (B, Hkv, capacity, row) each; 0 if there is no past. */
export interface StoredPast {
  readonly keys: number;
  readonly values: number;
  readonly length: number;
  readonly capacity: number;
  /** Floats that a head of a token takes, and their type as C++ calls it. */
  readonly row: number;
  readonly type: number;
}

/** Keys and values from before this call: none, a cache's, or the caller's tensors. */
export interface Past {
  readonly length: number;
  place(memory: Memory): StoredPast;
  read(memory: Memory, stored: StoredPast, result: { presentKey?: Tensor; presentValue?: Tensor }): void;
  /** To be called after a successful call: makes its tokens part of the past. */
  commit(tokens: number): void;
}

interface Heads {
  readonly batch: number;
  readonly kvHeads: number;
  readonly width: number;
}

interface PastOptions extends AttentionOptions {
  readonly cache?: KeyValueCache;
}

/** Checks the options `cache`, `pastKey` and `pastValue` of a call that adds `tokens` tokens. */
export function pastOf(operation: string, options: PastOptions, owner: object, heads: Heads, tokens: number): Past {
  const { cache, pastKey, pastValue } = options;
  if (cache == null) return ofTensors(operation, options, heads, tokens);
  if (pastKey != null || pastValue != null) wrongValue(operation, 'cache or pastKey and pastValue', 'both');
  const store = storeOf(cache) ?? wrongKind(operation, 'cache to be of createCache', cache);
  if (store.owner !== owner) wrongValue(operation, 'a cache of this layer', "another layer's");
  if (store.batch !== heads.batch) wrongValue(operation, `inputs of the cache's batch ${store.batch}`, heads.batch);
  addressesOf(operation, store);
  const { length, maxLength, row, type } = store;
  if (length + tokens > maxLength) {
    wrongValue(operation, `at most ${maxLength - length} more tokens in a cache of ${maxLength}`, tokens);
  }
  return {
    length,
    place() {
      const [keys, values] = addressesOf(operation, store);
      // Reading the other arguments may have run code of the caller's.
      if (store.length !== length) wrongUse(operation, 'a cache that the call alone changes', 'another change');
      return { keys, values, length, capacity: maxLength, row, type };
    },
    read: () => undefined,
    commit: (added) => void (store.length += added),
  };
}

/**
 * The past of a cross-attention over a memory of `tokens` tokens, after `pastOf` of the same options. With a cache the
 * projected memory of the first call is in use until `reset`; `length` is then that of the memory.
 */
export function memoryOf(operation: string, wasm: Wasm, cache: KeyValueCache | undefined, tokens: number): Past {
  if (cache == null) return NONE;
  const store = storeOf(cache)!;
  const { row, type } = store;
  const { length } = store.memory;
  if (length > 0 && length !== tokens) wrongValue(operation, `memory of the cache's ${length} tokens`, tokens);
  return {
    length,
    place() {
      addressesOf(operation, store);
      if (store.memory.length !== length) wrongUse(operation, 'a cache that the call alone changes', 'another change');
      if (length === 0) makeRoom(operation, wasm, store, tokens);
      const [keys, values] = store.memory.addresses;
      return { keys, values, length, capacity: tokens, row, type };
    },
    read: () => undefined,
    commit: (added) => void (store.memory.length = added),
  };
}

const NONE: Past = {
  length: 0,
  place: () => ({ keys: 0, values: 0, length: 0, capacity: 0, row: 0, type: 0 }),
  read: () => undefined,
  commit: () => undefined,
};

function ofTensors(operation: string, options: PastOptions, { batch, kvHeads, width }: Heads, tokens: number): Past {
  const past = checkPast(operation, options, {
    rank: 4,
    batch,
    kvHeads,
    width,
    valueWidth: width,
    fresh: tokens,
  });
  if (!past) return NONE;
  const { length, key, value } = past;
  const capacity = length + tokens;
  const shape = [batch, kvHeads, capacity, width];
  const place = (memory: Memory, { data }: Tensor): number => {
    const address = memory.reserve(sizeOf(shape));
    writeMatrices(memory, address, data, batch * kvHeads, capacity * width);
    return address;
  };
  return {
    length,
    place: (memory) => ({
      keys: place(memory, key),
      values: place(memory, value),
      length,
      capacity,
      row: width,
      type: 0,
    }),
    read(memory, { keys, values }, result) {
      result.presentKey = memory.tensor(keys, shape);
      result.presentValue = memory.tensor(values, shape);
    },
    commit: () => undefined,
  };
}
