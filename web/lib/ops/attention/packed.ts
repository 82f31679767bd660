/** Packed sequences: the option `cuSeqlens`. */
import { toInt32 } from '../../check/arrays.js';
import { checkOptions } from '../../check/options.js';
import { wrongValue } from '../../check/values.js';
import { fresh, type Memory } from '../../runtime/memory.js';
import type { AttentionOptions } from '../../types.js';

type Starts = ArrayLike<number>;

/** Sequence n consists of queries [query[n], query[n + 1]) and keys [key[n], key[n + 1]). */
export interface Packed {
  readonly query: Int32Array;
  readonly key: Int32Array;
}

const STARTS = { query: 1, key: 1 } as const;

/** Checks the option against these sizes; returns undefined if it is not given. */
export function checkPacked(
  operation: string,
  options: AttentionOptions,
  { batch, queries, keys }: Readonly<Record<'batch' | 'queries' | 'keys', number>>,
): Packed | undefined {
  const { cuSeqlens } = options;
  if (cuSeqlens == null) return undefined;
  // They describe a single sequence; `cache` is an option of layers.
  for (const name of ['validLens', 'pastKey', 'cache']) {
    if (options[name as keyof AttentionOptions] != null) wrongValue(operation, `no ${name} with cuSeqlens`, 'one');
  }
  if (batch !== 1) wrongValue(operation, 'a batch of 1 with cuSeqlens', batch);
  const read = (name: string, value: Starts, rows: number): Int32Array => {
    const { data, shape } = toInt32(operation, name, value, 0, rows);
    const falls = data.some((start, n) => start < data[n - 1]!);
    if (shape.length !== 1 || data[0] !== 0 || falls || data.at(-1) !== rows) {
      wrongValue(operation, `${name} to start at 0, never fall and end at ${rows}`, data.subarray(0, 99).join());
    }
    return data;
  };
  const apart =
    'query' in (Object(cuSeqlens) as object)
      ? checkOptions(operation, cuSeqlens as Record<keyof Packed, Starts>, STARTS, 'cuSeqlens')
      : undefined;
  // A single list is read once and serves both.
  const query = read('cuSeqlens (query)', apart ? apart.query : (cuSeqlens as Starts), queries);
  const key = apart ? read('cuSeqlens (key)', apart.key, keys) : query;
  if (key.length !== query.length || key.at(-1) !== keys) {
    const expected = `cuSeqlens (key) of length ${query.length} that ends at ${keys}`;
    wrongValue(operation, expected, `${key.length} that ends at ${key.at(-1)}`);
  }
  return { query, key };
}

/** Writes a PackedQuery of C++ for each query; returns the address. */
export function placePacked(
  operation: string,
  memory: Memory,
  { query, key }: Packed,
  offset: number | Int32Array,
): number {
  const rows = fresh(operation, Int32Array, 3 * query.at(-1)!);
  let at = 0;
  query.forEach((from, n) => {
    const shift = key[n]! - from + (typeof offset === 'number' ? offset : offset[n]!);
    for (let i = from; i < query[n + 1]!; ++i) {
      rows[at++] = key[n]!;
      rows[at++] = key[n + 1]!;
      rows[at++] = i + shift;
    }
  });
  return memory.ints(rows);
}
