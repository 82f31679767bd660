import { describe, expect, test } from '@jest/globals';
import { additiveAttention as forward } from '../reference/additiveAttention.js';
import { additiveAttentionBackward as reference } from '../reference/additiveAttentionBackward.js';
import { zeros } from '../reference/tensor.js';
import { additiveCases, NAMES, positional, randomAdditive } from '../support/additiveCases.js';
import { expectClose, maxAbs } from '../support/close.js';
import { expectAgreement, outputShape } from '../support/additiveGradients.js';
import { expectFixture } from '../support/fixtures.js';
import { dot, expectGradient } from '../support/differences.js';
import { additiveAttentionBackward, heapBytes } from '../support/library.js';
import { poisonRows } from '../support/poison.js';
import { Random, type RandomTensor } from '../support/random.js';
import { NOT_TENSORS, testRejections } from '../support/rejections.js';

describe("additiveAttentionBackward agrees with d2l's AdditiveAttention", () => {
  test.each(additiveCases())('on $name', ({ tensors, validLens, gradOutput, gradients }) => {
    const options = validLens && { validLens };
    const actual = additiveAttentionBackward(gradOutput, ...positional(tensors), options);
    for (const name of NAMES) expectFixture(actual[name], gradients[name]);
  });

  test.each(additiveCases())('on $name, and so does the oracle', ({ tensors, validLens, gradOutput, gradients }) => {
    const expected = reference(gradOutput, tensors, validLens);
    for (const name of NAMES) {
      expectClose(expected[name], gradients[name], { atol: 1e-11 * (1 + maxAbs(gradients[name].data)) });
    }
  });
});

test.each([
  ['no lengths', undefined],
  ['a length for each sequence', { data: [3, 0], shape: [2] }],
  ['a length for each query', { data: [1, 0, 4, 5, 2, 9], shape: [2, 3] }],
])("the gradients of additiveAttention's oracle agree with its differences: %s", (_, validLens) => {
  const random = new Random(8);
  const t = randomAdditive(random);
  const g = random.tensor(outputShape(t));
  const gradients = reference(g, t, validLens);
  for (const name of NAMES) {
    expectGradient(gradients[name], t[name], (x) => dot(forward({ ...t, [name]: x }, validLens).output.data, g.data));
  }
});

describe('additiveAttentionBackward', () => {
  const random = new Random(5);
  const t = randomAdditive(random, { L: 4 });
  const g = random.tensor(outputShape(t));
  const [Q, K, V, weights] = positional(t);

  test.each([NaN, Infinity, -Infinity, 3.4e38])('does not let %d in masked places reach a gradient', (poison) => {
    const validLens = [
      [0, 3, 0, 2],
      [4, 1, 1, 0],
    ];
    const fill = (x: RandomTensor, rows: readonly number[]) => poisonRows(x, rows, poison);
    const blind = [0, 2, 7];
    const unseen = [3, 4, 9];
    const poisoned = [fill(g, blind), fill(Q, blind), fill(K, unseen), fill(V, unseen)] as const;
    const actual = additiveAttentionBackward(...poisoned, weights, { validLens });
    expect(actual).toEqual(additiveAttentionBackward(g, Q, K, V, weights, { validLens }));
    for (const row of blind) expect(maxAbs(actual.queries.data.subarray(row * 4, row * 4 + 4))).toBe(0);
    for (const row of unseen) {
      expect(maxAbs(actual.keys.data.subarray(row * 3, row * 3 + 3))).toBe(0);
      expect(maxAbs(actual.values.data.subarray(row * 6, row * 6 + 6))).toBe(0);
    }
  });

  test('gives zeros if no query may attend to anything', () => {
    const actual = additiveAttentionBackward(g, Q, K, V, weights, { validLens: [0, 0] });
    for (const name of NAMES) expect(maxAbs(actual[name].data)).toBe(0);
  });

  test('accepts axes of length 0', () => {
    for (const sizes of [{ B: 0 }, { L: 0 }, { S: 0 }, { Dq: 0 }, { Dk: 0 }, { Dv: 0 }]) {
      const empty = randomAdditive(new Random(4), sizes);
      empty.Wq.data.fill(0.5);
      empty.Wk.data.fill(0.5);
      expectAgreement(new Random(6).tensor(outputShape(empty)), empty);
    }
  });

  test('needs memory linear in L and S', () => {
    const before = heapBytes();
    const n = 512;
    const large = randomAdditive(new Random(9), { B: 1, L: n, S: n, Dq: 8, Dk: 8, Dv: 8, D: 16 });
    additiveAttentionBackward(new Random(7).tensor([1, n, 8]), ...positional(large));
    // An (L, S) matrix would take 1 MB, (L, S, D) hidden units 16 MB. The tensors and 5 arrays of hidden units take 0.3
    // MB.
    expect(heapBytes() - before).toBeLessThan(4 * n * n);
  });

  const call = additiveAttentionBackward as (...args: unknown[]) => unknown;
  testRejections(
    'additiveAttentionBackward',
    [
      ...NOT_TENSORS.map(
        ([what, bad]) => [`gradOutput: ${what}`, 'TypeError', () => call(bad, Q, K, V, weights)] as const,
      ),
      ['a gradOutput for another number of queries', 'RangeError', () => call(zeros(2, 3, 6), Q, K, V, weights)],
      ['a gradOutput of another width', 'RangeError', () => call(zeros(2, 4, 5), Q, K, V, weights)],
      ['a gradOutput of rank 2', 'RangeError', () => call(zeros(8, 6), Q, K, V, weights)],
      ['no weights', 'TypeError', () => call(g, Q, K, V)],
      ['valid lengths instead of options', 'TypeError', () => call(g, Q, K, V, weights, [1, 2])],
      ['keys of another batch', 'RangeError', () => call(g, Q, zeros(3, 5, 3), V, weights)],
      ['wv with another number of hidden units', 'RangeError', () => call(g, Q, K, V, { ...weights, wv: zeros(1, 6) })],
      ['a negative length', 'RangeError', () => call(g, Q, K, V, weights, { validLens: [1, -1] })],
    ],
    () => expectAgreement(g, t),
  );
});
