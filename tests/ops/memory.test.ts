/** The heap: where it was after any number of calls, usable after running out. */
import { describe, expect, test } from '@jest/globals';
import { scaledDotProductAttention as reference } from '../reference/scaledDotProductAttention.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { attention, expectNoGrowth, heapBytes } from '../support/library.js';
import { Random } from '../support/random.js';

const CALLS = 1000;
const random = new Random(1);
// 64 KB and more an argument: a thousand leaks of the smallest would be 64 MB.
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
  [
    'rnn',
    () => attention.rnn({ data: sequence.data, shape: [256, 1, 64] }, { weightIh: weight, weightHh: weight }),
  ],
  ['MultiHeadAttention.forward', () => layer.forward(sequence, sequence, sequence, { validLens: [3] })],
  ['MultiHeadAttention.loadStateDict', () => layer.loadStateDict(layer.stateDict())],
  ['PositionalEncoding.forward', () => encoding.forward(sequence)],
];

/** Each fails as late as a mistake can be found. */
const rejected: [string, () => unknown][] = [
  ['maskedSoftmax', () => attention.maskedSoftmax(sequence, [-1])],
  [
    'scaledDotProductAttention',
    () => attention.scaledDotProductAttention(heads, heads, heads, { window: -2 }),
  ],
  [
    'scaledDotProductAttention, by its output',
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

describe(`a thousand calls leave the heap where it was`, () => {
  test.each(accepted)('accepted: %s', (_name, call) => {
    expectNoGrowth(CALLS, call);
  });

  test.each(rejected)('refused: %s', (_name, call) => {
    expectNoGrowth(CALLS, () => expect(call).toThrow(/expected .+, got /));
  });

  test('layers and caches that are made, used and disposed', () => {
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
    [
      'sinusoidalEncoding of 2^55 numbers',
      () => attention.sinusoidalEncoding({ length: 2 ** 31 - 1, dim: 2 ** 24 }),
    ],
    [
      'a MultiHeadAttention of 2^48 parameters',
      () => new attention.MultiHeadAttention({ numHiddens: 2 ** 24, numHeads: 1 }),
    ],
    ['a cache of 64 GB', () => layer.createCache({ batch: 128, maxLength: 2 ** 20 })],
  ])('is a RangeError with the byte count, and the module stays usable: %s', (_what, call) => {
    expect(call).toThrow(RangeError);
    const before = heapBytes(); // the inputs, which did fit, may have grown it
    expect(call).toThrow(/: expected \d{9,} .*bytes, got /);
    expect(heapBytes()).toBe(before);
    expect(attention.maskedSoftmax([[[0, 0]]]).data).toEqual(Float32Array.of(0.5, 0.5));
  });
});

describe('growth of the memory', () => {
  test('in the middle of a call does not lose what was copied before it', () => {
    // Larger than all before: each input that is copied in may move the views that the one before was written through.
    const query = random.tensor([3, 8]);
    const key = random.tensor([100_000, 8]);
    const value = random.tensor([100_000, 8]);
    const before = heapBytes();
    const { output } = attention.scaledDotProductAttention(query, key, value);
    expect(heapBytes()).toBeGreaterThan(before);
    const expected = reference(query, key, value).output;
    // A mean of 1e5 values: each of the weights is off by some EPS, and sums of 256 at a time by a few more.
    expectClose(output, expected, { rtol: 0, atol: 64 * EPS * maxAbs(value.data) });
  });

  test('leaves parameters and caches of layers where they are', () => {
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

describe('running out near the end of the address space', () => {
  test('refuses cleanly, and what was placed before stays whole', () => {
    const expected = layer.forward(sequence, sequence, sequence);
    // 1.9 GB of keys fit into 4 GB of addresses, 1.9 GB of values behind them do not: with what is there already, the end of
    // such a block would wrap around to small addresses.
    const maxLength = Math.floor(1.9e9 / 4 / 64);
    for (let i = 0; i < 2; ++i) {
      expect(() => layer.createCache({ batch: 1, maxLength: 2 * maxLength })).toThrow(
        /^createCache: expected \d+ free bytes, got out of memory$/,
      );
      expect(() => {
        const caches = [1, 2].map(() => layer.createCache({ batch: 1, maxLength }));
        for (const cache of caches) cache.dispose();
      }).toThrow(/^createCache: expected \d+ free bytes, got out of memory$/);
    }
    expect(layer.forward(sequence, sequence, sequence)).toEqual(expected);
  });
});
