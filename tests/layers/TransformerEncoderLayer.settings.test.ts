/** The settings of TransformerEncoderLayer, and decoding with a cache. long/ compares each with float64. */
import { describe, expect, test } from '@jest/globals';
import type { TransformerEncoderLayerOptions } from 'wasm-attention';
import { BLOCK_ATOL, MODERN, encoderOf } from '../support/blockCases.js';
import { expectClose } from '../support/close.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { expectRejected, testRejections, type Rejection } from '../support/rejections.js';
import { tokens } from '../support/tokens.js';

const NAME = 'TransformerEncoderLayer';
const random = new Random(1);
const [x, g] = [random.tensor([2, 5, 8]), random.tensor([2, 5, 8])];
const make = (options: Partial<TransformerEncoderLayerOptions> = {}) => encoderOf(random, options);

describe(NAME, () => {
  test("has GatedFeedForward's names, and those of normed heads", () => {
    const { feedForward, normType, bias, qkNorm } = MODERN;
    expect(Object.keys(make({ feedForward, normType, bias, qkNorm }).stateDict())).toEqual([
      'self_attn.in_proj_weight',
      'self_attn.out_proj.weight',
      'self_attn.q_norm.weight',
      'self_attn.k_norm.weight',
      'gate_proj.weight',
      'up_proj.weight',
      'down_proj.weight',
      'norm1.weight',
      'norm2.weight',
    ]);
    const shapes = make(MODERN).stateDict();
    expect(shapes['self_attn.in_proj_weight']!.shape).toEqual([4 * 6 + 2 * 2 * 6, 8]);
    expect(shapes['self_attn.out_proj.weight']!.shape).toEqual([8, 24]);
    expect(shapes['up_proj.weight']!.shape).toEqual([10, 8]);
  });

  test('uses new weights of one projection of a gated network', () => {
    const layer = make(MODERN);
    const before = layer.forward(x).output;
    const up = layer.parameters().find(({ name }) => name === 'up_proj.weight')!;
    up.set(new Float32Array(80));
    // The gates are closed.
    const attended = layer.forward(x).output;
    expect(attended).not.toEqual(before);
    layer
      .parameters()
      .find(({ name }) => name === 'down_proj.weight')!
      .set(random.tensor([80]).data);
    expect(layer.forward(x).output).toEqual(attended);
  });

  test.each<[string, Partial<TransformerEncoderLayerOptions>]>([
    ['after the norm', { rotary: {} }],
    ['with all that language models have', MODERN],
  ])('gives with a cache what the whole sequence gives, %s', (_name, options) => {
    const layer = make(options);
    const full = layer.forward(x, { isCausal: true, needWeights: true });
    const cache = layer.createCache({ batch: 2, maxLength: 6 });
    for (const [from, to] of [
      [0, 2],
      [2, 3],
      [3, 5],
    ] as const) {
      const { output, weights } = layer.forward(tokens(x, from, to), {
        isCausal: true,
        cache,
        needWeights: true,
      });
      expectClose(output, tokens(full.output, from, to), { atol: BLOCK_ATOL });
      expect(weights!.shape).toEqual([2, 4, to - from, to]);
    }
    expect(cache.length).toBe(5);
    cache.truncate(3);
    const again = layer.forward(tokens(x, 3, 5), { isCausal: true, cache });
    expectClose(again.output, tokens(full.output, 3, 5), { atol: BLOCK_ATOL });
    expectRejected(NAME, 'RangeError', () => layer.forward(tokens(x, 3, 5), { cache }));
    expect(layer.forward(tokens(x, 4, 5), { cache, training: true }).backward).toBeUndefined();
    cache.dispose();
  });

  test('a pass with a cache in between does not affect a training pass', () => {
    const layer = make(MODERN);
    const twin = new attention.TransformerEncoderLayer({
      numHiddens: 8,
      numHeads: 4,
      ffnHiddens: 10,
      seed: 3,
      ...MODERN,
    });
    twin.loadStateDict(layer.stateDict());
    const { backward } = layer.forward(x, { training: true });
    const cache = layer.createCache({ batch: 2, maxLength: 5 });
    layer.forward(x, { cache });
    layer.forward(x, { training: true });
    expect(backward!(g)).toEqual(twin.forward(x, { training: true }).backward!(g));
    cache.dispose();
  });
});

const layer = make();
const wrong = (options: object) => () => make(options);
const rows: Rejection[] = [
  ['another type of norm', 'RangeError', wrong({ normType: 'batch' })],
  ['another network', 'RangeError', wrong({ feedForward: 'mixture' })],
  ['a negative eps', 'RangeError', wrong({ eps: -1 })],
  ['an eps that is a string', 'TypeError', wrong({ eps: '1' })],
  ['key/value heads that do not divide the heads', 'RangeError', wrong({ numKvHeads: 3 })],
  ['headDim 0', 'RangeError', wrong({ headDim: 0 })],
  ['rotary heads of an odd width', 'RangeError', wrong({ headDim: 3, rotary: {} })],
  ['a bias of queries but not of keys', 'RangeError', wrong({ bias: { query: true } })],
  ['a bias of an unknown projection', 'TypeError', wrong({ bias: { gate: true } })],
  [
    "another layer's cache",
    'RangeError',
    () => layer.forward(x, { cache: make().createCache({ batch: 2, maxLength: 9 }) }),
  ],
  [
    'a cache of another batch',
    'RangeError',
    () => layer.forward(x, { cache: layer.createCache({ batch: 3, maxLength: 9 }) }),
  ],
  ['a cache that is none', 'TypeError', () => layer.forward(x, { cache: {} as never })],
  [
    'packed sequences with a cache',
    'RangeError',
    () =>
      layer.forward(tokens(random.tensor([1, 5, 8]), 0, 5), {
        cuSeqlens: [0, 5],
        cache: layer.createCache({ batch: 1, maxLength: 9 }),
      }),
  ],
];
testRejections(NAME, rows, () => expect(layer.forward(x).output.shape).toEqual([2, 5, 8]));
