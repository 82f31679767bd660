import { describe, expect, test } from '@jest/globals';
import { additiveAttention as reference, type AdditiveTensors } from '../reference/additiveAttention.js';
import { zeros } from '../reference/tensor.js';
import { additiveCases, additiveTolerance, positional, randomAdditive } from '../support/additiveCases.js';
import { expectClose, maxAbs, type Numbers } from '../support/close.js';
import { expectFixture } from '../support/fixtures.js';
import { additiveAttention } from '../support/library.js';
import { poisonPadding } from '../support/poison.js';
import { Random, type RandomTensor } from '../support/random.js';
import { NOT_TENSORS, testRejections } from '../support/rejections.js';
import { BLOCK_SIZES, SIZES } from '../support/sizes.js';

function expectAgreement(t: AdditiveTensors<RandomTensor>, validLens?: Numbers): void {
  const actual = additiveAttention(...positional(t), validLens && { validLens });
  const expected = reference(t, validLens);
  expectClose(actual.weights, expected.weights, additiveTolerance(t, expected.size, 1));
  expectClose(actual.output, expected.output, additiveTolerance(t, expected.size, maxAbs(t.values.data)));
}

describe("additiveAttention agrees with d2l's AdditiveAttention", () => {
  test.each(additiveCases())('on $name', ({ tensors, validLens, output, weights }) => {
    const actual = additiveAttention(...positional(tensors), validLens && { validLens });
    expectFixture(actual.output, output);
    expectFixture(actual.weights, weights);
  });

  test.each(additiveCases())('on $name, and so does the oracle', ({ tensors, validLens, output, weights }) => {
    // Both are computed in float64. d2l's masked weights are e^-1000000, which is 0.
    const expected = reference(tensors, validLens);
    expectClose(expected.output, output, { atol: 1e-11 * (1 + maxAbs(output.data)) });
    expectClose(expected.weights, weights, { atol: 1e-11 });
  });
});

describe('additiveAttention agrees with the float64 oracle', () => {
  test.each([
    ...SIZES.flatMap((n) => ['L', 'S', 'Dq', 'Dk', 'Dv', 'D'].map((axis) => [axis, n] as const)),
    ...BLOCK_SIZES.flatMap((n) => ['S', 'Dq', 'Dk', 'D'].map((axis) => [axis, n] as const)),
  ])('for %s = %i', (axis, n) => {
    const random = new Random(n);
    const t = randomAdditive(random, { [axis]: n });
    const [L, S] = [t.queries.shape[1]!, t.keys.shape[1]!];
    expectAgreement(t);
    expectAgreement(t, { data: Int32Array.of(S, random.integer(0, S)), shape: [2] });
    const lens = Int32Array.from({ length: 2 * L }, () => random.integer(0, S + 1));
    expectAgreement(t, { data: lens, shape: [2, L] });
  });
});

describe('additiveAttention', () => {
  test.each([NaN, Infinity, -Infinity, 3.4e38])('does not let %d in the padding reach the result', (poison) => {
    for (const n of SIZES) {
      const t = randomAdditive(new Random(n), { S: n + 2, D: n });
      const validLens = [n, 0];
      const poisoned = (x: RandomTensor) => poisonPadding(x, validLens, poison);
      const [q, k, v, weights] = positional(t);
      expect(additiveAttention(q, poisoned(k), poisoned(v), weights, { validLens })).toEqual(
        additiveAttention(q, k, v, weights, { validLens }),
      );
    }
  });

  test('does not let a key affect queries that may not attend to it', () => {
    const [q, k, v, weights] = positional(randomAdditive(new Random(2), { B: 1, L: 2, S: 5 }));
    const poisoned = { data: k.data.slice().fill(NaN, 3 * 3), shape: k.shape };
    const options = { validLens: [[3, 5]] };
    const clean = additiveAttention(q, k, v, weights, options);
    const { output } = additiveAttention(q, poisoned, v, weights, options);
    expect(output.data.subarray(0, 6)).toEqual(clean.output.data.subarray(0, 6));
    expect(output.data.subarray(6).every(Number.isNaN)).toBe(true);
  });

  test('gives zeros for a query that may attend to nothing', () => {
    const [q, k, v, weights] = positional(randomAdditive(new Random(3)));
    const validLens = [
      [0, 1, 2],
      [5, 0, 9],
    ];
    const result = additiveAttention(q, k, v, weights, { validLens });
    for (const row of [0, 4]) {
      expect(result.output.data.subarray(row * 6, (row + 1) * 6)).toEqual(new Float32Array(6));
      expect(result.weights.data.subarray(row * 5, (row + 1) * 5)).toEqual(new Float32Array(5));
    }
  });

  test('accepts axes of length 0', () => {
    for (const sizes of [{ B: 0 }, { L: 0 }, { S: 0 }, { Dq: 0 }, { Dk: 0 }, { Dv: 0 }]) {
      const t = randomAdditive(new Random(4), sizes);
      t.Wq.data.fill(0.5);
      t.Wk.data.fill(0.5);
      expectAgreement(t);
    }
  });

  test('accepts nested arrays and views, and does not change them', () => {
    const nested = [
      [[1, 2]],
      [
        [3, 4],
        [5, 6],
      ],
      [[7], [8]],
      [[0.5, 1]],
      [[1, -0.25]],
      [[2]],
    ] as const;
    const [Q, K, V, Wq, Wk, wv] = nested;
    const result = additiveAttention([Q], [K], [V], { Wq, Wk, wv }, { validLens: Int32Array.of(2) });
    const buffer = Float32Array.of(9, 1, 2, 9);
    const query = { data: buffer.subarray(1, 3), shape: [1, 1, 2] };
    expect(additiveAttention(query, [K], [V], { Wq, Wk, wv })).toEqual(result);
    expect([...buffer]).toEqual([9, 1, 2, 9]);
  });

  const [Q, K, V, weights] = positional(randomAdditive(new Random(1)));
  const call = additiveAttention as (...args: unknown[]) => unknown;
  testRejections(
    'additiveAttention',
    [
      ...NOT_TENSORS.flatMap(([what, bad]) => [
        [`queries: ${what}`, 'TypeError', () => call(bad, K, V, weights)] as const,
        [`keys: ${what}`, 'TypeError', () => call(Q, bad, V, weights)] as const,
        [`values: ${what}`, 'TypeError', () => call(Q, K, bad, weights)] as const,
        ...['Wq', 'Wk', 'wv'].map(
          (name) => [`${name}: ${what}`, 'TypeError', () => call(Q, K, V, { ...weights, [name]: bad })] as const,
        ),
      ]),
      ['no weights', 'TypeError', () => call(Q, K, V)],
      ['weights that are null', 'TypeError', () => call(Q, K, V, null)],
      ['valid lengths instead of options', 'TypeError', () => call(Q, K, V, weights, [1, 2])],
      ['options that are null', 'TypeError', () => call(Q, K, V, weights, null)],
      ['queries of rank 2', 'RangeError', () => call(zeros(3, 4), K, V, weights)],
      ['queries of rank 4', 'RangeError', () => call(zeros(1, 2, 3, 4), K, V, weights)],
      ['queries of another batch', 'RangeError', () => call(zeros(1, 3, 4), K, V, weights)],
      ['keys of another batch', 'RangeError', () => call(Q, zeros(3, 5, 3), V, weights)],
      ['another number of values than of keys', 'RangeError', () => call(Q, K, zeros(2, 4, 6), weights)],
      ['Wq of another width', 'RangeError', () => call(Q, K, V, { ...weights, Wq: zeros(7, 5) })],
      ['Wk of another width', 'RangeError', () => call(Q, K, V, { ...weights, Wk: zeros(7, 4) })],
      ['Wk with another number of hidden units', 'RangeError', () => call(Q, K, V, { ...weights, Wk: zeros(6, 3) })],
      ['wv with another number of hidden units', 'RangeError', () => call(Q, K, V, { ...weights, wv: zeros(1, 6) })],
      ['wv of rank 1', 'RangeError', () => call(Q, K, V, { ...weights, wv: zeros(7) })],
      ['no hidden units', 'RangeError', () => call(Q, K, V, { Wq: zeros(0, 4), Wk: zeros(0, 3), wv: zeros(1, 0) })],
      ['too few lengths', 'RangeError', () => call(Q, K, V, weights, { validLens: [1] })],
      ['a negative length', 'RangeError', () => call(Q, K, V, weights, { validLens: [1, -1] })],
      ['a fractional length', 'RangeError', () => call(Q, K, V, weights, { validLens: [1, 1.5] })],
      ['a length that is a string', 'TypeError', () => call(Q, K, V, weights, { validLens: [1, '2'] })],
    ],
    () => {
      const { output } = additiveAttention([[[1]]], [[[2], [2]]], [[[3], [5]]], { Wq: [[1]], Wk: [[1]], wv: [[1]] });
      expect(output.data).toEqual(Float32Array.of(4));
    },
  );
});
