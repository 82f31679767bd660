/** Packed sequences: the option `cuSeqlens`. */
import { toInt32 } from '../../check/arrays.js';
import { countOf } from '../../check/elements.js';
import { checkOptions } from '../../check/options.js';
import { showShape, wrongValue } from '../../check/values.js';
import { fresh, type Memory } from '../../runtime/memory.js';
import type { AttentionOptions } from '../../types.js';

/** Sequence n consists of queries [query[n], query[n + 1]) and keys [key[n], key[n + 1]). */
export interface Packed {
  readonly query: Int32Array;
  readonly key: Int32Array;
}

/** Options whose lengths or earlier tokens would be those of one sequence; the last is a layer's. */
const REFUSED = ['validLens', 'pastKey', 'pastValue', 'cache'];

/** Checks the option against these sizes; returns undefined if it is not given. */
export function checkPacked(
  operation: string,
  options: AttentionOptions,
  { batch, queries, keys }: { readonly batch: number; readonly queries: number; readonly keys: number },
): Packed | undefined {
  const { cuSeqlens } = options;
  if (cuSeqlens == null) return undefined;
  for (const name of REFUSED) {
    if ((options as Record<string, unknown>)[name] != null) {
      wrongValue(operation, `no ${name} with cuSeqlens`, 'one');
    }
  }
  if (batch !== 1) wrongValue(operation, 'a batch of 1 with cuSeqlens', batch);
  const check = (name: string, starts: Int32Array, rows: number): void => {
    const expected = `${name} to start at 0, never fall and end at ${rows}`;
    starts.forEach((start, n) => {
      if (n === 0 ? start !== 0 : start < starts[n - 1]!) wrongValue(operation, expected, start);
    });
    if (starts.at(-1) !== rows) wrongValue(operation, expected, starts.at(-1));
  };
  const read = (name: string, value: ArrayLike<number>): Int32Array => {
    const { data, shape } = toInt32(operation, name, value, 0, 2 ** 31 - 1);
    if (shape.length !== 1) wrongValue(operation, `${name} of shape (N + 1,)`, showShape(shape));
    return data;
  };
  if (countOf(cuSeqlens) !== undefined) {
    const both = read('cuSeqlens', cuSeqlens as ArrayLike<number>);
    check('cuSeqlens', both, queries);
    check('cuSeqlens', both, keys);
    return { query: both, key: both };
  }
  const apart = checkOptions(
    operation,
    cuSeqlens as Record<keyof Packed, ArrayLike<number>>,
    { query: 1, key: 1 },
    'options of cuSeqlens',
  );
  const query = read('cuSeqlens.query', apart.query);
  const key = read('cuSeqlens.key', apart.key);
  check('cuSeqlens.query', query, queries);
  check('cuSeqlens.key', key, keys);
  if (key.length !== query.length) {
    wrongValue(operation, `cuSeqlens.key of shape ${showShape([query.length])}`, showShape([key.length]));
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
  for (let n = 0; n + 1 < query.length; ++n) {
    const shift = key[n]! - query[n]! + (typeof offset === 'number' ? offset : offset[n]!);
    for (let i = query[n]!; i < query[n + 1]!; ++i) {
      rows[at++] = key[n]!;
      rows[at++] = key[n + 1]!;
      rows[at++] = i + shift;
    }
  }
  return memory.ints(rows);
}
