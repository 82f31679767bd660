/** What scaledDotProductAttentionBackward accepts and refuses, the shapes of its results, and its memory. */
import { describe, expect, test } from '@jest/globals';
import { sizeOf } from '../reference/tensor.js';
import { expectNoGrowth, heapBytes, scaledDotProductAttentionBackward as backward } from '../support/library.js';
import { Random } from '../support/random.js';
import { BROKEN_TENSORS, NOT_TENSORS, testRejections, type Kind, type Rejection } from '../support/rejections.js';

const random = new Random(1);
// B = 2, H = 4, Hkv = 2, L = 3, S = 5, E = 4, Ev = 6.
const query = random.tensor([2, 4, 3, 4]);
const key = random.tensor([2, 2, 5, 4]);
const value = random.tensor([2, 2, 5, 6]);
const gradOutput = random.tensor([2, 4, 3, 6]);

const tensors: Rejection[] = ['gradOutput', 'query', 'key', 'value'].flatMap((name, place) => {
  const call = (bad: unknown) => () => {
    const inputs = [gradOutput, query, key, value] as unknown[];
    inputs[place] = bad;
    return backward(...(inputs as [never, never, never, never]));
  };
  return [
    ...NOT_TENSORS.map(([what, bad]): Rejection => [`${name}: ${what}`, 'TypeError', call(bad)]),
    ...BROKEN_TENSORS.map(([what, bad]): Rejection => [`${name}: ${what}`, 'RangeError', call(bad)]),
  ];
});

const shapes: Rejection[] = [
  [2, 4, 3, 4],
  [2, 4, 5, 6],
  [2, 2, 3, 6],
  [1, 4, 3, 6],
  [4, 3, 6],
  [2, 3, 4, 6],
  [144],
].map((shape) => [
  `a gradOutput of shape ${shape.join()}`,
  'RangeError',
  () => backward(random.tensor(shape), query, key, value),
]);

const options: Rejection[] = (
  [
    ['options that are a number', 'TypeError', 5],
    ['a mask for more keys', 'RangeError', { mask: [new Array(6).fill(1)] }],
    ['a bias for another number of queries', 'RangeError', { bias: random.tensor([2, 5]) }],
    ['relativeKeys of another width', 'RangeError', { relativeKeys: random.tensor([3, 6]) }],
    ['a negative length', 'RangeError', { validLens: [1, -1] }],
    ['dropout 1', 'RangeError', { dropout: 1 }],
    ['past keys without values', 'RangeError', { pastKey: key }],
  ] satisfies [string, Kind, unknown][]
).map(([mistake, kind, given]) => [mistake, kind, () => backward(gradOutput, query, key, value, given as never)]);

testRejections('scaledDotProductAttentionBackward', [...tensors, ...shapes, ...options], () => {
  // The weight of a single key is 1, whatever the query.
  const result = backward([[3, 5]], [[1]], [[2]], [[7, 9]]);
  expect([...result.value.data]).toEqual([3, 5]);
  expect([...result.query.data, ...result.key.data]).toEqual([0, 0]);
});

describe('scaledDotProductAttentionBackward', () => {
  test('accepts the options of the forward call unchanged', () => {
    const plain = backward(gradOutput, query, key, value, { isCausal: true });
    const out = {
      output: new Float32Array(gradOutput.data.length),
      weights: new Float32Array(2 * 4 * 3 * 5),
    };
    const given = {
      isCausal: true,
      needWeights: true,
      needScores: 'masked',
      needLogSumExp: true,
      out,
    } as const;
    expect(backward(gradOutput, query, key, value, given)).toEqual(plain);
    expect(out.output.every((x) => x === 0)).toBe(true);
    expect(Object.keys(given)).toHaveLength(5);
  });

  test('returns a gradient of the same shape for every tensor, in new arrays, and does not change its inputs', () => {
    const given = {
      bias: random.tensor([4, 1, 6]),
      relativeKeys: random.tensor([4, 3, 4]),
      relativeValues: random.tensor([5, 6]),
      pastKey: random.tensor([2, 2, 2, 4]),
      pastValue: random.tensor([2, 2, 2, 6]),
    };
    const inputs = [gradOutput, query, key, value, ...Object.values(given)];
    const before = inputs.map(({ data }) => [...data]);
    const first = backward(gradOutput, query, key, value, given);
    const second = backward(gradOutput, query, key, value, given);
    expect(second).toEqual(first);
    expect(inputs.map(({ data }) => [...data])).toEqual(before);
    const shapesOf = (tensors: Record<string, { shape: readonly number[] }>) =>
      Object.fromEntries(Object.entries(tensors).map(([name, { shape }]) => [name, shape]));
    expect(shapesOf({ ...first })).toEqual(shapesOf({ query, key, value, ...given }));
    second.query.data.fill(7);
    expect(first.query.data).not.toEqual(second.query.data);
  });

  test.each([
    ['no queries', [2, 0, 3], [2, 5, 3], [2, 5, 4]],
    ['no keys', [2, 3, 3], [2, 0, 3], [2, 0, 4]],
    ['no sequences', [0, 2, 3], [0, 5, 3], [0, 5, 4]],
    ['no value width', [2, 3, 3], [2, 5, 3], [2, 5, 0]],
    ['no width', [2, 3, 0], [2, 5, 0], [2, 5, 0]],
    ['no heads of queries', [2, 0, 3, 4], [2, 2, 5, 4], [2, 2, 5, 6]],
    ['no heads', [2, 0, 3, 4], [2, 0, 5, 4], [2, 0, 5, 6]],
  ])('returns zeros of the right shape for %s', (_what, q, k, v) => {
    const result = backward(
      random.tensor([...q.slice(0, -1), v.at(-1)!]),
      random.tensor(q),
      random.tensor(k),
      random.tensor(v),
    );
    for (const [name, shape] of [
      ['query', q],
      ['key', k],
      ['value', v],
    ] as const) {
      expect(result[name]).toEqual({ data: new Float32Array(sizeOf(shape)), shape });
    }
  });

  test('does not grow the heap in a thousand calls', () => {
    expectNoGrowth(1000, () => backward(gradOutput, query, key, value, { isCausal: true, bias: [[1, 2, 3, 4, 5]] }));
  });

  test('needs memory linear in the length', () => {
    // A matrix of 8192² weights would take 256 MB. For each position the call needs 2·16 + 64 floats for blocks and
    // panels of scores, 24 for inputs, 24 for gradients and 7·8 for packed copies and sums: 200 floats, which is less
    // than 1 KB.
    const n = 8192;
    const [q, k, v, g] = [1, 2, 3, 4].map(() => random.tensor([n, 8])) as [never, never, never, never];
    const before = heapBytes();
    const bias = random.tensor([1, n]);
    backward(g, q, k, v, { isCausal: true, window: [300, 0], bias, dropout: 0.1, softcap: 20 });
    expect(heapBytes() - before).toBeLessThan(n * 1024);
  });
});
