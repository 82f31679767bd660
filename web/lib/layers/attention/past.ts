/** Keys and values from before a layer's call: none, a cache's, or the caller's tensors. */
import { checkOptions, type Known } from '../../check/options.js';
import { checkInteger, sizeOf, wrongValue } from '../../check/values.js';
import { checkWeightType, type WeightType } from '../../check/weightType.js';
import { checkPast, writeMatrices } from '../../ops/attention/past.js';
import type { Memory } from '../../runtime/memory.js';
import type { Wasm } from '../../runtime/wasm.js';
import { createCache, storeOf, type CachedRows, type CachePlace, type KeyValueCache } from '../../steps/cache.js';
import type { AttentionOptions, Tensor } from '../../types.js';
import type { Parameters } from '../base/parameters.js';

/** What a cache has room for. */
export interface CacheOptions {
  /** B */
  batch: number;
  /** The largest number of tokens of each sequence. */
  maxLength: number;
  /**
   * How keys and values are stored. Default 'float32'. 'float16' rounds them and takes half the memory; 'int8' stores
   * each as a whole number from -127 to 127, with a scale for each head of each token, in about a quarter.
   */
  cacheType?: WeightType;
}

const CACHE_OPTIONS: Known<CacheOptions> = { batch: 1, maxLength: 1, cacheType: 1 };

interface Heads {
  readonly kvHeads: number;
  readonly width: number;
}

/** Makes a cache for the heads of a layer with these parameters. */
export function createLayerCache(
  wasm: Wasm,
  owner: object,
  parameters: Parameters,
  { kvHeads, width }: Heads,
  options: CacheOptions,
): KeyValueCache {
  const operation = 'createCache';
  parameters.check(operation);
  const { batch, maxLength, cacheType } = checkOptions(operation, options, CACHE_OPTIONS);
  checkInteger(operation, 'batch', batch, 1, 2 ** 24);
  checkInteger(operation, 'maxLength', maxLength, 1, 2 ** 30);
  const type = checkWeightType(operation, 'cacheType', cacheType);
  return createCache(operation, wasm, owner, { layers: 1, batch, kvHeads, width, capacity: maxLength, type });
}

export interface Past {
  readonly length: number;
  /** Where keys and values are, if there is a past or a cache; within a scope. */
  place(memory: Memory): CachePlace | undefined;
  /** Reads what `place` placed. */
  read(memory: Memory, stored: CachePlace, result: { presentKey?: Tensor; presentValue?: Tensor }): void;
  /** Adds the tokens of a successful call to the past. */
  commit(tokens: number): void;
}

const NONE: Past = {
  length: 0,
  place: () => undefined,
  read: () => undefined,
  commit: () => undefined,
};

interface PastOptions extends AttentionOptions {
  readonly cache?: KeyValueCache;
}

/** Checks the options `cache`, `pastKey` and `pastValue` of a call that adds `tokens` tokens. */
export function pastOf(
  operation: string,
  options: PastOptions,
  owner: object,
  heads: Heads & { readonly batch: number },
  tokens: number,
): Past {
  const { cache, pastKey, pastValue } = options;
  if (cache == null) return ofTensors(operation, options, heads, tokens);
  if (pastKey != null || pastValue != null) wrongValue(operation, 'cache or pastKey and pastValue', 'both');
  const store = storeOf(operation, cache, owner, heads.batch, tokens);
  return {
    ...NONE,
    length: store.length,
    place: () => store.place(),
    commit: (added) => store.append(operation, added),
  };
}

/**
 * The past of a cross-attention over a memory of `tokens` tokens, after `pastOf` of the same options. With a cache, the
 * first call's projected memory is used until `reset`, and `length` is its length.
 */
export function memoryPast(
  operation: string,
  cache: KeyValueCache | null | undefined,
  owner: object,
  batch: number,
  tokens: number,
): Past {
  if (cache == null) return NONE;
  const store = storeOf(operation, cache, owner, batch, 0);
  const length = store.memory?.length ?? 0;
  if (length > 0 && length !== tokens) wrongValue(operation, `memory of the cache's ${length} tokens`, tokens);
  return {
    ...NONE,
    length,
    place: () => store.memoryOf(operation, tokens).place(),
    commit: () => store.memory!.append(operation, tokens - length),
  };
}

function ofTensors(
  operation: string,
  options: PastOptions,
  { batch, kvHeads, width }: Heads & { readonly batch: number },
  tokens: number,
): Past {
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
  const place = (memory: Memory, { data }: Tensor): CachedRows => {
    const address = memory.reserve(sizeOf(shape));
    writeMatrices(memory, address, data, batch * kvHeads, capacity * width);
    return { address, row: width, type: 0 };
  };
  return {
    ...NONE,
    length,
    place: (memory) => ({
      keys: place(memory, key),
      values: place(memory, value),
      length,
      capacity,
    }),
    read(memory, { keys, values }, result) {
      result.presentKey = memory.tensor(keys.address, shape);
      result.presentValue = memory.tensor(values.address, shape);
    },
  };
}
