/** Unknown options are refused. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { load, type AttentionOptions, type Layer } from 'wasm-attention';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { expectRejected } from '../support/rejections.js';
import { zeros } from '../reference/tensor.js';

const random = new Random(1);
const q = random.tensor([2, 3, 4]);
const square = random.tensor([4, 4]);
const weights = { Wq: square, Wk: square, wv: [[1, 2, 3, 4]] };
const states = { weightIh: square, weightHh: square };
const heads = { numHiddens: 4, numHeads: 2 };

const mha = new attention.MultiHeadAttention(heads);
const layers: [name: string, Layer, unknown][] = [
  ['Linear', new attention.Linear({ inFeatures: 4, outFeatures: 4 }), q],
  ['LayerNorm', new attention.LayerNorm({ normalizedShape: 4 }), q],
  ['FeedForward', new attention.FeedForward({ numHiddens: 4, ffnHiddens: 3 }), q],
  ['RMSNorm', new attention.RMSNorm({ normalizedShape: 4 }), q],
  ['GatedFeedForward', new attention.GatedFeedForward({ numHiddens: 4, ffnHiddens: 3 }), q],
  [
    'Embedding',
    new attention.Embedding({ numEmbeddings: 4, dim: 4 }),
    [
      [0, 1, 2],
      [3, 0, 1],
    ],
  ],
  ['PositionalEncoding', new attention.PositionalEncoding({ numHiddens: 4 }), q],
  ['LearnedPositionalEncoding', new attention.LearnedPositionalEncoding({ numHiddens: 4, maxLen: 3 }), q],
  ['TransformerEncoderLayer', new attention.TransformerEncoderLayer({ ...heads, ffnHiddens: 3 }), q],
];
afterAll(() => {
  mha.dispose();
  for (const [, layer] of layers) layer.dispose();
});

type Options = Record<string, unknown>;
/** A call, an unknown option, the nearest known one, and the options that it is added to. */
type Row = readonly [call: string, (options: never) => unknown, typo: string, nearest: string, rest?: Options];

const ROWS: readonly Row[] = [
  ['scaledDotProductAttention', (o) => attention.scaledDotProductAttention(q, q, q, o), 'is_causal', 'isCausal'],
  ['scaledDotProductAttention', (o) => attention.scaledDotProductAttention(q, q, q, o), 'attn_mask', 'mask'],
  ['scaledDotProductAttention', (o) => attention.scaledDotProductAttention(q, q, q, o), 'dropOut', 'dropout'],
  ['scaledDotProductAttention', (o) => attention.scaledDotProductAttention(q, q, q, { out: o }), 'weight', 'weights'],
  [
    'scaledDotProductAttentionBackward',
    (o) => attention.scaledDotProductAttentionBackward(q, q, q, q, o),
    'causal',
    'isCausal',
  ],
  ['additiveAttention', (o) => attention.additiveAttention(q, q, q, weights, o), 'valid_lens', 'validLens'],
  ['additiveAttention', (o) => attention.additiveAttention(q, q, q, o), 'W_q', 'Wq', weights],
  [
    'additiveAttentionBackward',
    (o) => attention.additiveAttentionBackward(q, q, q, q, weights, o),
    'lens',
    'validLens',
  ],
  ['sinusoidalEncoding', (o) => attention.sinusoidalEncoding(o), 'position', 'positions', { length: 2, dim: 4 }],
  ['sinusoidalEncoding2d', (o) => attention.sinusoidalEncoding2d(o), 'bases', 'base', { height: 2, width: 2, dim: 4 }],
  ['encodingRotation', (o) => attention.encodingRotation(o), 'Base', 'base', { delta: 2, dim: 4 }],
  ['rotaryEmbedding', (o) => attention.rotaryEmbedding(q, o), 'interleave', 'interleaved'],
  [
    'rotaryEmbedding',
    (o) => attention.rotaryEmbedding(q, { scaling: o }),
    'beta_fast',
    'betaFast',
    { type: 'yarn', factor: 2, originalMaxLength: 8 },
  ],
  ['rotaryEmbeddingBackward', (o) => attention.rotaryEmbeddingBackward(q, o), 'dim', 'rotaryDim'],
  ['alibiBias', (o) => attention.alibiBias(o), 'causal', 'isCausal', { numHeads: 2, queryLength: 3 }],
  ['t5RelativeBuckets', (o) => attention.t5RelativeBuckets(o), 'max_distance', 'maxDistance', { queryLength: 3 }],
  ['t5RelativeBias', (o) => attention.t5RelativeBias(zeros(32, 2), o), 'bidir', 'bidirectional', { queryLength: 3 }],
  [
    't5RelativeBiasBackward',
    (o) => attention.t5RelativeBiasBackward(zeros(2, 3, 3), o),
    'num_buckets',
    'numBuckets',
    { queryLength: 3 },
  ],
  ['relativeShiftBackward', (o) => attention.relativeShiftBackward(zeros(2, 3, 3), o), 'column', 'columns'],
  ['conv1d', (o) => attention.conv1d(q, zeros(2, 3, 1), o), 'strides', 'stride'],
  ['rnn', (o) => attention.rnn(q, states, o), 'h0', 'initialState'],
  ['gelu', (o) => attention.gelu(q, o), 'approx', 'approximate'],
  ['rnn', (o) => attention.rnn(q, o), 'bias_ih', 'biasIh', states],
  ['complexity', (o) => attention.complexity('cnn', o), 'K', 'k', { n: 4, d: 2 }],
  ['softmaxCrossEntropy', (o) => attention.softmaxCrossEntropy(square, [0, 1, 2, 3], o), 'ignore_index', 'ignoreIndex'],
  [
    'softmaxCrossEntropy',
    (o) => attention.softmaxCrossEntropy(square, [0, 1, 2, 3], { out: o }),
    'gradLogit',
    'gradLogits',
  ],
  ['MultiHeadAttention', (o) => new attention.MultiHeadAttention(o), 'numKVHeads', 'numKvHeads', heads],
  ['MultiHeadAttention', (o) => new attention.MultiHeadAttention({ ...heads, rotary: o }), 'rotary_dim', 'rotaryDim'],
  [
    'MultiHeadAttention',
    (o) => new attention.MultiHeadAttention({ ...heads, rotary: { scaling: o } }),
    'factr',
    'factor',
    { type: 'linear', factor: 2 },
  ],
  ['MultiHeadAttention.forward', (o) => mha.forward(q, q, q, o), 'causal_offset', 'causalOffset'],
  ['MultiHeadAttention.forward', (o) => mha.forward(q, q, q, { out: o }), 'outputs', 'output'],
  [
    'MultiHeadAttention.backward',
    (o) => (mha.forward(q, q, q, { training: true }).backward as (g: object, o: object) => unknown)(q, o),
    'out',
    '',
  ],
  ['createCache', (o) => mha.createCache(o), 'max_length', 'maxLength', { batch: 1, maxLength: 2 }],
  ['PositionalEncoding', (o) => new attention.PositionalEncoding(o), 'max_len', 'maxLen', { numHiddens: 4 }],
  [
    'LearnedPositionalEncoding',
    (o) => new attention.LearnedPositionalEncoding(o),
    'drop',
    'dropout',
    { numHiddens: 4, maxLen: 4 },
  ],
  ['Linear', (o) => new attention.Linear(o), 'Bias', 'bias', { inFeatures: 2, outFeatures: 2 }],
  ['LayerNorm', (o) => new attention.LayerNorm(o), 'elementwise_affine', 'affine', { normalizedShape: 2 }],
  ['RMSNorm', (o) => new attention.RMSNorm(o), 'epsilon', 'eps', { normalizedShape: 2 }],
  ['GatedFeedForward', (o) => new attention.GatedFeedForward(o), 'act', 'activation', { numHiddens: 2, ffnHiddens: 2 }],
  ['Embedding', (o) => new attention.Embedding(o), 'embeddingDim', 'numEmbeddings', { numEmbeddings: 2, dim: 2 }],
  ['FeedForward', (o) => new attention.FeedForward(o), 'act', 'activation', { numHiddens: 2, ffnHiddens: 2 }],
  [
    'TransformerEncoderLayer',
    (o) => new attention.TransformerEncoderLayer(o),
    'norm_first',
    'norm',
    { ...heads, ffnHiddens: 2 },
  ],
  ['Adam', (o) => new attention.Adam(mha.parameters(), o), 'weight_decay', 'weightDecay'],
  ...layers.flatMap(([name, layer, x]): Row[] => [
    [`${name}.forward`, (o) => layer.forward(x as never, o), 'train', 'training'],
    [`${name}.forward`, (o) => layer.forward(x as never, { out: o }), 'Output', 'output'],
    [
      `${name}.backward`,
      (o) => layer.forward(x as never, { training: true }).backward!(q, { out: o }),
      'inputs',
      'input',
    ],
  ]),
];

describe('an unknown option', () => {
  test.each(ROWS)('is refused by %s', (operation, call, typo, nearest, rest = {}) => {
    // Whatever its value.
    for (const value of [undefined, null, 1]) {
      const options = { ...rest, [typo]: value } as never;
      expectRejected(operation, 'TypeError', () => call(options));
      expect(() => call(options)).toThrow(nearest === '' ? 'no options' : `(the nearest is ${nearest}), got '${typo}'`);
    }
    if (typo !== 'out') expect(() => call(rest as never)).not.toThrow();
  });

  test('is refused by load', async () => {
    for (const [typo, nearest] of [
      ['thread', 'threads'],
      ['wasmUrl', 'wasm'],
    ] as const) {
      await expect(load({ [typo]: 2 })).rejects.toThrow(
        new TypeError(`load: expected known options (the nearest is ${nearest}), got '${typo}'`),
      );
    }
  });

  test.each([
    ['an inherited one', Object.create({ causal: true })],
    ['an inherited one with a known name', Object.create({ isCausal: true })],
    ['a name of Object.prototype', { toString: 1 }],
    ['__proto__', JSON.parse('{ "__proto__": { "isCausal": true } }')],
    ['one of a million letters', { ['causal'.repeat(2e5)]: 1 }],
  ])('is refused as %s', (_, options) => {
    expectRejected('scaledDotProductAttention', 'TypeError', () =>
      attention.scaledDotProductAttention(q, q, q, options as AttentionOptions),
    );
  });
});

test('options that another library has added to all objects are none', () => {
  const plain = attention.scaledDotProductAttention(q, q, q);
  const rotated = attention.rotaryEmbedding(q);
  const prototype = Object.prototype as Record<string, unknown>;
  const added = { isCausal: true, scale: 3, base: 5, interleaved: true, weights: 1, out: 1 };
  Object.assign(prototype, added);
  try {
    expect(attention.scaledDotProductAttention(q, q, q)).toEqual(plain);
    expect(attention.scaledDotProductAttention(q, q, q, {})).toEqual(plain);
    expect(attention.rotaryEmbedding(q, {})).toEqual(rotated);
  } finally {
    for (const name of Object.keys(added)) Reflect.deleteProperty(prototype, name);
  }
});
