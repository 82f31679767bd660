/** The wasm heap: calls do not leak, and it stays usable after running out of memory. */
import { describe, expect, test } from '@jest/globals';
import { scaledDotProductAttention as reference } from '../../reference/scaledDotProductAttention.js';
import { EPS, expectClose, maxAbs } from '../../support/close.js';
import { attention, expectNoGrowth, heapBytes } from '../../support/library.js';
import { Random } from '../../support/random.js';

const CALLS = 1000;
const random = new Random(1);
// Each argument takes at least 64 KB, so a thousand leaks would be at least 64 MB.
const sequence = random.tensor([1, 256, 64]);
const heads = random.tensor([1, 4, 64, 64]);
const weight = random.tensor([64, 64]);
const kernel = random.tensor([64, 256, 1]);
const layer = new attention.MultiHeadAttention({ numHiddens: 64, numHeads: 4, seed: 1 });
const encoding = new attention.PositionalEncoding({ numHiddens: 64 });

const accepted: [string, () => unknown][] = [
  ['maskedSoftmax', () => attention.maskedSoftmax(sequence, [40])],
  [
    'scaledDotProductAttention',
    () =>
      attention.scaledDotProductAttention(heads, heads, heads, {
        isCausal: true,
        needWeights: true,
        needLogSumExp: true,
        pastKey: heads,
        pastValue: heads,
      }),
  ],
  ['sinusoidalEncoding', () => attention.sinusoidalEncoding({ length: 256, dim: 64 })],
  ['encodingRotation', () => attention.encodingRotation({ delta: 3, dim: 2 ** 14 })],
  ['conv1d', () => attention.conv1d(sequence, kernel)],
  ['rnn', () => attention.rnn({ data: sequence.data, shape: [256, 1, 64] }, { weightIh: weight, weightHh: weight })],
  ['MultiHeadAttention.forward', () => layer.forward(sequence, sequence, sequence, { validLens: [3] })],
  ['MultiHeadAttention.loadStateDict', () => layer.loadStateDict(layer.stateDict())],
  ['PositionalEncoding.forward', () => encoding.forward(sequence)],
];

/** Each contains the mistake that the library finds last. */
const rejected: [string, () => unknown][] = [
  ['maskedSoftmax', () => attention.maskedSoftmax(sequence, [-1])],
  ['scaledDotProductAttention', () => attention.scaledDotProductAttention(heads, heads, heads, { window: -2 })],
  [
    'scaledDotProductAttention with a wrong output',
    () => attention.scaledDotProductAttention(heads, heads, heads, { out: { output: new Float32Array(1) } }),
  ],
  ['sinusoidalEncoding', () => attention.sinusoidalEncoding({ length: 256, dim: 64, base: NaN })],
  ['encodingRotation', () => attention.encodingRotation({ delta: NaN, dim: 2 ** 14 })],
  ['conv1d', () => attention.conv1d(sequence, kernel, { bias: [1] })],
  ['rnn', () => attention.rnn(sequence, { weightIh: weight, weightHh: weight, biasHh: [1] })],
  ['MultiHeadAttention', () => new attention.MultiHeadAttention({ numHiddens: 512, numHeads: 7 })],
  ['MultiHeadAttention.forward', () => layer.forward(sequence, sequence, sequence, { validLens: [1.5] })],
  ['MultiHeadAttention.loadStateDict', () => layer.loadStateDict({ ...layer.stateDict(), extra: [[1]] })],
  ['MultiHeadAttention.createCache', () => layer.createCache({ batch: 1, maxLength: -1 })],
  ['PositionalEncoding.forward', () => encoding.forward(sequence, { offset: -1 })],
];

describe('the heap does not grow', () => {
  test.each(accepted)('in a thousand calls of %s', (_name, call) => {
    expectNoGrowth(CALLS, call);
  });

  test.each(rejected)('in a thousand refused calls of %s', (_name, call) => {
    const messages = new Set<string>();
    expectNoGrowth(CALLS, () => {
      try {
        call();
        messages.add('none');
      } catch (error) {
        messages.add((error as Error).message);
      }
    });
    expect([...messages]).toEqual([expect.stringMatching(/expected .+, got /)]);
  });

  test('when layers and caches are made, used and disposed', () => {
    expectNoGrowth(150, () => {
      const made = new attention.MultiHeadAttention({ numHiddens: 64, numHeads: 4, bias: true, seed: 1 });
      const cache = made.createCache({ batch: 1, maxLength: 256 });
      made.forward(sequence, sequence, sequence, { cache });
      cache.dispose();
      made.dispose();
    });
  });
});

describe('out of memory', () => {
  const many = { data: new Float32Array(40_000), shape: [40_000, 1] };
  test.each<[string, () => unknown]>([
    [
      'scaledDotProductAttention with 6.4 GB of weights',
      () => attention.scaledDotProductAttention(many, many, many, { needWeights: true }),
    ],
    ['conv1d with 4 GB of padding', () => attention.conv1d([[[1]]], [[[1]]], { padding: 2 ** 29 })],
    ['sinusoidalEncoding of 2^54 numbers', () => attention.sinusoidalEncoding({ length: 2 ** 30, dim: 2 ** 24 })],
    [
      'a MultiHeadAttention of 2^48 parameters',
      () => new attention.MultiHeadAttention({ numHiddens: 2 ** 24, numHeads: 1 }),
    ],
    ['a cache of 64 GB', () => layer.createCache({ batch: 128, maxLength: 2 ** 20 })],
  ])('is a RangeError with the byte count and leaves the module usable: %s', (_what, call) => {
    expect(call).toThrow(RangeError);
    const before = heapBytes(); // the first call may have grown the heap for its inputs
    expect(call).toThrow(/: expected \d{9,} .*bytes, got /);
    expect(heapBytes()).toBe(before);
    expect(attention.maskedSoftmax([[[0, 0]]]).data).toEqual(Float32Array.of(0.5, 0.5));
  });
});

describe('growth of the memory', () => {
  test('during a call does not lose what was copied before', () => {
    // The inputs are larger than all before, so copying each of them grows the memory and detaches the earlier views.
    const query = random.tensor([3, 8]);
    const key = random.tensor([100_000, 8]);
    const value = random.tensor([100_000, 8]);
    const before = heapBytes();
    const { output } = attention.scaledDotProductAttention(query, key, value);
    expect(heapBytes()).toBeGreaterThan(before);
    const expected = reference(query, key, value).output;
    // A weighted mean of 1e5 values: the weights are each off by up to 32·EPS, and the sums over blocks of 256 keys by
    // as much again.
    expectClose(output, expected, { rtol: 0, atol: 64 * EPS * maxAbs(value.data) });
  });

  test('does not move parameters and caches of layers', () => {
    const x = random.tensor([1, 2, 64]);
    const cache = layer.createCache({ batch: 1, maxLength: 4 });
    layer.forward(x, x, x, { cache });
    const expected = layer.forward(x, x, x);
    const before = heapBytes();
    const large = { data: new Float32Array(before / 2), shape: [1, before / 2] };
    attention.maskedSoftmax(large);
    expect(heapBytes()).toBeGreaterThan(before);
    expect(layer.forward(x, x, x)).toEqual(expected);
    expect(layer.forward(x, x, x, { cache, needWeights: true }).weights!.shape).toEqual([1, 4, 2, 4]);
  });
});
