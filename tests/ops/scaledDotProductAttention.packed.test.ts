/** The option `cuSeqlens`, forward and backward. The property tests combine it with the other options. */
import { describe, expect, test } from '@jest/globals';
import type { AttentionOptions, Tensor } from 'wasm-attention';
import { EPS, expectClose } from '../support/close.js';
import { scaledDotProductAttention, scaledDotProductAttentionBackward } from '../support/library.js';
import { Random } from '../support/random.js';

const random = new Random(9);
const starts = (lengths: readonly number[]) => lengths.reduce((cu, length) => [...cu, cu.at(-1)! + length], [0]);

/** Rows [from, to) of each head of a (1, H, T, E) tensor, or elements of a (1, H, T) one. */
function rowsOf({ data, shape }: Tensor, from: number, to: number): Tensor {
  const [, heads, T, width = 1] = shape as [number, number, number, number?];
  const size = (to - from) * width;
  const rows = new Float32Array(heads * size);
  for (let h = 0; h < heads; ++h) rows.set(data.subarray((h * T + from) * width, (h * T + to) * width), h * size);
  return { data: rows, shape: [1, heads, to - from, ...shape.slice(3)] };
}

// Sequences within a block of 8 queries, around strips of 32 and blocks of 256 keys, and empty ones.
const LENGTHS: Record<string, [query: number[], key: number[]]> = {
  'some short ones': [
    [1, 3, 0, 2, 9, 1],
    [1, 3, 0, 2, 9, 1],
  ],
  'long ones': [
    [33, 300, 7, 31],
    [33, 300, 7, 31],
  ],
  'queries and keys of other lengths': [
    [5, 40, 0, 12],
    [260, 3, 8, 0],
  ],
  'few queries': [
    [1, 1, 2],
    [5, 300, 9],
  ],
  one: [[17], [17]],
};

describe.each(Object.keys(LENGTHS))('packed sequences give the same as one call each: %s', (name) => {
  const [query, key] = LENGTHS[name]!.map(starts) as [number[], number[]];
  const [L, S] = [query.at(-1)!, key.at(-1)!];
  const tensors = [random.tensor([1, 4, L, 12]), random.tensor([1, 2, S, 12]), random.tensor([1, 2, S, 7])] as const;
  const g = random.tensor([1, 4, L, 7]);
  const cuSeqlens = query.join() === key.join() ? query : { query, key };
  const forEach = (f: (n: number, rows: { q: readonly [number, number]; k: readonly [number, number] }) => void) =>
    query.slice(0, -1).forEach((from, n) => f(n, { q: [from, query[n + 1]!], k: [key[n]!, key[n + 1]!] }));

  test.each<[string, AttentionOptions]>([
    ['no options', {}],
    ['causality', { isCausal: true }],
    ['a window from offsets', { window: [3, 1], causalOffset: 2 }],
    ['slopes and softcap', { isCausal: true, alibiSlopes: [0.5, 0.25, 0.1, 0], softcap: 3 }],
    ['relative tables', { relativeKeys: random.tensor([5, 12]), relativeValues: random.tensor([4, 7, 7]) }],
    ['sinks', { isCausal: true, sinks: [1, 0, -Infinity, 3] }],
  ])('with %s', (_name, options) => {
    const result = scaledDotProductAttention(...tensors, { ...options, cuSeqlens, needLogSumExp: true });
    const gradients = scaledDotProductAttentionBackward(g, ...tensors, { ...options, cuSeqlens });
    const sums: Partial<Record<'relativeKeys' | 'relativeValues' | 'sinks', Float64Array>> = {};
    forEach((_n, { q, k }) => {
      const own = [rowsOf(tensors[0], ...q), rowsOf(tensors[1], ...k), rowsOf(tensors[2], ...k)] as const;
      const alone = scaledDotProductAttention(...own, { ...options, needLogSumExp: true });
      const back = scaledDotProductAttentionBackward(rowsOf(g, ...q), ...own, options);
      // The same sums of at most 300 terms, in blocks with other boundaries.
      expectClose(rowsOf(result.output, ...q), alone.output, { atol: 64 * EPS });
      expectClose(rowsOf(result.logSumExp!, ...q), alone.logSumExp!, { atol: 64 * EPS });
      expectClose(rowsOf(gradients.query, ...q), back.query, { atol: 512 * EPS });
      expectClose(rowsOf(gradients.key, ...k), back.key, { atol: 512 * EPS });
      expectClose(rowsOf(gradients.value, ...k), back.value, { atol: 512 * EPS });
      for (const name of ['relativeKeys', 'relativeValues', 'sinks'] as const) {
        back[name]?.data.forEach((x, i) => {
          (sums[name] ??= new Float64Array(back[name]!.data.length))[i]! += x;
        });
      }
    });
    for (const name of ['relativeKeys', 'relativeValues', 'sinks'] as const) {
      expect(gradients[name] === undefined).toBe(options[name] === undefined);
      if (sums[name])
        expectClose(gradients[name], { data: sums[name], shape: gradients[name]!.shape }, { atol: 4096 * EPS });
    }
  });

  test('and NaN in one does not change the others', () => {
    const options = { isCausal: true, cuSeqlens, needWeights: true, needLogSumExp: true };
    const before = scaledDotProductAttention(...tensors, options);
    const gradients = scaledDotProductAttentionBackward(g, ...tensors, options);
    forEach((bad) => {
      const [from, to] = [query[bad]!, query[bad + 1]!];
      const poisoned = tensors.map(({ data, shape }, place) => {
        const [, heads, T, width] = shape as [number, number, number, number];
        const [first, last] = place === 0 ? [from, to] : [key[bad]!, key[bad + 1]!];
        const copy = data.slice();
        for (let h = 0; h < heads; ++h) copy.fill(NaN, (h * T + first) * width, (h * T + last) * width);
        return { data: copy, shape };
      }) as unknown as [Tensor, Tensor, Tensor];
      const after = scaledDotProductAttention(...poisoned, options);
      const back = scaledDotProductAttentionBackward(g, ...poisoned, options);
      forEach((n, { q, k }) => {
        if (n === bad) return;
        for (const name of ['output', 'weights', 'logSumExp'] as const) {
          expect(rowsOf(after[name]!, ...q)).toEqual(rowsOf(before[name]!, ...q));
        }
        expect(rowsOf(back.query, ...q)).toEqual(rowsOf(gradients.query, ...q));
        expect(rowsOf(back.key, ...k)).toEqual(rowsOf(gradients.key, ...k));
        expect(rowsOf(back.value, ...k)).toEqual(rowsOf(gradients.value, ...k));
      });
    });
  });
});

describe('packed sequences', () => {
  test('have weights of 0 for each other, and their own offsets', () => {
    const x = random.tensor([5, 4]);
    const { weights } = scaledDotProductAttention(x, x, x, {
      cuSeqlens: { query: Int32Array.of(0, 2, 5), key: [0, 3, 5] },
      isCausal: true,
      causalOffset: [1, -1],
      needWeights: true,
    });
    const seen = Array.from({ length: 5 }, (_, i) =>
      [...weights!.data.subarray(5 * i, 5 * i + 5)].map((weight) => Number(weight > 0)),
    );
    expect(seen).toEqual([
      [1, 1, 0, 0, 0],
      [1, 1, 1, 0, 0],
      [0, 0, 0, 0, 0],
      [0, 0, 0, 1, 0],
      [0, 0, 0, 1, 1],
    ]);
  });

  test('drop different weights in each sequence', () => {
    const T = 64;
    const x = random.tensor([1, 1, T, 4]);
    const options = { cuSeqlens: [0, 32, 64], dropout: 0.5, seed: 1, needWeights: true };
    const { weights } = scaledDotProductAttention(x, x, x, options);
    const dropped = (from: number) =>
      Array.from({ length: 32 }, (_, i) =>
        [...weights!.data.subarray((from + i) * T + from, (from + i) * T + from + 32)].map((w) => Number(w === 0)),
      ).flat();
    expect(dropped(0)).not.toEqual(dropped(32));
    // Half of 1024, with a standard deviation of 16.
    for (const from of [0, 32]) {
      const count = dropped(from).reduce((sum, x) => sum + x);
      expect(Math.abs(count - 512)).toBeLessThan(5 * 16);
    }
  });

  test('may be empty', () => {
    const none = { data: new Float32Array(0), shape: [1, 2, 0, 4] };
    expect(scaledDotProductAttention(none, none, none, { cuSeqlens: [0] }).output).toEqual(none);
    expect(scaledDotProductAttentionBackward(none, none, none, none, { cuSeqlens: [0] }).key).toEqual(none);
  });
});
