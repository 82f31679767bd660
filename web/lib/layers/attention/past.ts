import { toTensorOfRank } from '../../check/arrays.js';
import { showShape, wrongKind, wrongValue } from '../../check/values.js';
import type { Memory } from '../../runtime/memory.js';
import type { AttentionOptions, Tensor, TensorLike } from '../../types.js';
import { Cache, type KeyValueCache } from './keyValueCache.js';

/** Where keys and values stand, (B, Hkv, capacity, width) each. */
export interface StoredPast {
  readonly keys: number;
  readonly values: number;
  readonly length: number;
  readonly capacity: number;
}

/** Keys and values from before this call: none, a cache's, or the caller's tensors. */
export interface Past {
  readonly length: number;
  place(memory: Memory): StoredPast;
  read(memory: Memory, stored: StoredPast, result: { presentKey?: Tensor; presentValue?: Tensor }): void;
  /** The call went well: its tokens are now part of the past. */
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

/** Checks the options `cache`, `pastKey` and `pastValue` for a call that adds `tokens`. */
export function checkPast(
  operation: string,
  options: PastOptions,
  owner: object,
  heads: Heads,
  tokens: number,
): Past {
  const { cache, pastKey, pastValue } = options;
  if (cache == null && pastKey == null && pastValue == null) return NONE;
  if (cache == null) return checkTensors(operation, pastKey, pastValue, heads, tokens);
  if (pastKey != null || pastValue != null) wrongValue(operation, 'cache or pastKey and pastValue', 'both');
  if (!(cache instanceof Cache)) wrongKind(operation, 'cache to be of createCache', cache);
  if (cache.owner !== owner) wrongValue(operation, 'a cache of this layer', "another layer's");
  if (cache.batch !== heads.batch)
    wrongValue(operation, `inputs of the cache's batch ${cache.batch}`, heads.batch);
  const [keys, values] = cache.addresses(operation);
  const { length, maxLength } = cache;
  if (length + tokens > maxLength) {
    wrongValue(operation, `at most ${maxLength - length} more tokens in a cache of ${maxLength}`, tokens);
  }
  return {
    length,
    place: () => ({ keys, values, length, capacity: maxLength }),
    read: () => undefined,
    commit: (added) => cache.grow(added),
  };
}

const NONE: Past = {
  length: 0,
  place: () => ({ keys: 0, values: 0, length: 0, capacity: 0 }),
  read: () => undefined,
  commit: () => undefined,
};

function checkTensors(
  operation: string,
  pastKey: TensorLike | undefined,
  pastValue: TensorLike | undefined,
  { batch, kvHeads, width }: Heads,
  tokens: number,
): Past {
  if (pastKey == null || pastValue == null) {
    wrongValue(
      operation,
      'pastKey and pastValue together',
      pastKey == null ? 'pastValue alone' : 'pastKey alone',
    );
  }
  const check = (name: string, given: TensorLike, rows?: number): Tensor => {
    const tensor = toTensorOfRank(operation, name, given, 4);
    const [b, h, n, e] = tensor.shape;
    if (b !== batch || h !== kvHeads || e !== width || (rows !== undefined && n !== rows)) {
      const expected = `${name} of shape (${batch}, ${kvHeads}, ${rows ?? 'past'}, ${width})`;
      wrongValue(operation, expected, showShape(tensor.shape));
    }
    return tensor;
  };
  const key = check('pastKey', pastKey);
  const length = key.shape[2]!;
  const value = check('pastValue', pastValue, length);
  const total = length + tokens;
  const shape = [batch, kvHeads, total, width];
  const count = batch * kvHeads * total * width;
  const place = (memory: Memory, { data }: Tensor): number => {
    const address = memory.reserve(count);
    const size = length * width;
    for (let head = 0; head < batch * kvHeads; ++head) {
      memory.write(address + 4 * head * total * width, data.subarray(head * size, (head + 1) * size));
    }
    return address;
  };
  return {
    length,
    place: (memory) => ({ keys: place(memory, key), values: place(memory, value), length, capacity: total }),
    read(memory, { keys, values }, result) {
      result.presentKey = { data: memory.read(keys, count), shape };
      result.presentValue = { data: memory.read(values, count), shape };
    },
    commit: () => undefined,
  };
}
