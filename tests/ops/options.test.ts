/** What is refused among options: names that do not exist, masks of floats, numbers that float32 does not hold. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { load, type AttentionOptions, type Layer, type MultiHeadAttentionOptions } from 'wasm-attention';
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
  ['Embedding', new attention.Embedding({ numEmbeddings: 4, dim: 4 }), [[0, 1, 2], [3, 0, 1]]],
  ['PositionalEncoding', new attention.PositionalEncoding({ numHiddens: 4 }), q],
  ['LearnedPositionalEncoding', new attention.LearnedPositionalEncoding({ numHiddens: 4, maxLen: 3 }), q],
  ['TransformerEncoderLayer', new attention.TransformerEncoderLayer({ ...heads, ffnHiddens: 3 }), q],
]; // prettier-ignore
afterAll(() => {
  mha.dispose();
  for (const [, layer] of layers) layer.dispose();
});

type Options = Record<string, unknown>;
/** A call, a name that does not exist, the nearest one, and the options that it is added to. */
type Row = readonly [
  call: string,
  (options: never) => unknown,
  typo: string,
  nearest: string,
  rest?: Options,
];

const ROWS: readonly Row[] = [
  ['scaledDotProductAttention', (o) => attention.scaledDotProductAttention(q, q, q, o), 'is_causal', 'isCausal'],
  ['scaledDotProductAttention', (o) => attention.scaledDotProductAttention(q, q, q, o), 'attn_mask', 'mask'],
  ['scaledDotProductAttention', (o) => attention.scaledDotProductAttention(q, q, q, o), 'dropOut', 'dropout'],
  ['scaledDotProductAttention', (o) => attention.scaledDotProductAttention(q, q, q, { out: o }), 'weight', 'weights'],
  ['scaledDotProductAttentionBackward', (o) => attention.scaledDotProductAttentionBackward(q, q, q, q, o), 'causal', 'isCausal'],
  ['additiveAttention', (o) => attention.additiveAttention(q, q, q, weights, o), 'valid_lens', 'validLens'],
  ['additiveAttention', (o) => attention.additiveAttention(q, q, q, o), 'W_q', 'Wq', weights],
  ['additiveAttentionBackward', (o) => attention.additiveAttentionBackward(q, q, q, q, weights, o), 'lens', 'validLens'],
  ['sinusoidalEncoding', (o) => attention.sinusoidalEncoding(o), 'position', 'positions', { length: 2, dim: 4 }],
  ['sinusoidalEncoding2d', (o) => attention.sinusoidalEncoding2d(o), 'bases', 'base', { height: 2, width: 2, dim: 4 }],
  ['encodingRotation', (o) => attention.encodingRotation(o), 'Base', 'base', { delta: 2, dim: 4 }],
  ['rotaryEmbedding', (o) => attention.rotaryEmbedding(q, o), 'interleave', 'interleaved'],
  ['rotaryEmbedding', (o) => attention.rotaryEmbedding(q, { scaling: o }), 'beta_fast', 'betaFast', { type: 'yarn', factor: 2, originalMaxLength: 8 }],
  ['rotaryEmbeddingBackward', (o) => attention.rotaryEmbeddingBackward(q, o), 'dim', 'rotaryDim'],
  ['alibiBias', (o) => attention.alibiBias(o), 'causal', 'isCausal', { numHeads: 2, queryLength: 3 }],
  ['t5RelativeBuckets', (o) => attention.t5RelativeBuckets(o), 'max_distance', 'maxDistance', { queryLength: 3 }],
  ['t5RelativeBias', (o) => attention.t5RelativeBias(zeros(32, 2), o), 'bidir', 'bidirectional', { queryLength: 3 }],
  ['t5RelativeBiasBackward', (o) => attention.t5RelativeBiasBackward(zeros(2, 3, 3), o), 'num_buckets', 'numBuckets', { queryLength: 3 }],
  ['relativeShiftBackward', (o) => attention.relativeShiftBackward(zeros(2, 3, 3), o), 'column', 'columns'],
  ['conv1d', (o) => attention.conv1d(q, zeros(2, 3, 1), o), 'strides', 'stride'],
  ['rnn', (o) => attention.rnn(q, states, o), 'h0', 'initialState'],
  ['gelu', (o) => attention.gelu(q, o), 'approx', 'approximate'],
  ['rnn', (o) => attention.rnn(q, o), 'bias_ih', 'biasIh', states],
  ['complexity', (o) => attention.complexity('cnn', o), 'K', 'k', { n: 4, d: 2 }],
  ['softmaxCrossEntropy', (o) => attention.softmaxCrossEntropy(square, [0, 1, 2, 3], o), 'ignore_index', 'ignoreIndex'],
  ['softmaxCrossEntropy', (o) => attention.softmaxCrossEntropy(square, [0, 1, 2, 3], { out: o }), 'gradLogit', 'gradLogits'],
  ['MultiHeadAttention', (o) => new attention.MultiHeadAttention(o), 'numKVHeads', 'numKvHeads', heads],
  ['MultiHeadAttention', (o) => new attention.MultiHeadAttention({ ...heads, rotary: o }), 'rotary_dim', 'rotaryDim'],
  ['MultiHeadAttention', (o) => new attention.MultiHeadAttention({ ...heads, rotary: { scaling: o } }), 'factr', 'factor', { type: 'linear', factor: 2 }],
  ['MultiHeadAttention.forward', (o) => mha.forward(q, q, q, o), 'causal_offset', 'causalOffset'],
  ['MultiHeadAttention.forward', (o) => mha.forward(q, q, q, { out: o }), 'outputs', 'output'],
  ['MultiHeadAttention.backward', (o) => (mha.forward(q, q, q, { training: true }).backward as (g: object, o: object) => unknown)(q, o), 'out', ''],
  ['createCache', (o) => mha.createCache(o), 'max_length', 'maxLength', { batch: 1, maxLength: 2 }],
  ['PositionalEncoding', (o) => new attention.PositionalEncoding(o), 'max_len', 'maxLen', { numHiddens: 4 }],
  ['LearnedPositionalEncoding', (o) => new attention.LearnedPositionalEncoding(o), 'drop', 'dropout', { numHiddens: 4, maxLen: 4 }],
  ['Linear', (o) => new attention.Linear(o), 'Bias', 'bias', { inFeatures: 2, outFeatures: 2 }],
  ['LayerNorm', (o) => new attention.LayerNorm(o), 'elementwise_affine', 'affine', { normalizedShape: 2 }],
  ['RMSNorm', (o) => new attention.RMSNorm(o), 'epsilon', 'eps', { normalizedShape: 2 }],
  ['GatedFeedForward', (o) => new attention.GatedFeedForward(o), 'act', 'activation', { numHiddens: 2, ffnHiddens: 2 }],
  ['Embedding', (o) => new attention.Embedding(o), 'embeddingDim', 'numEmbeddings', { numEmbeddings: 2, dim: 2 }],
  ['FeedForward', (o) => new attention.FeedForward(o), 'act', 'activation', { numHiddens: 2, ffnHiddens: 2 }],
  ['TransformerEncoderLayer', (o) => new attention.TransformerEncoderLayer(o), 'norm_first', 'norm', { ...heads, ffnHiddens: 2 }],
  ['Adam', (o) => new attention.Adam(mha.parameters(), o), 'weight_decay', 'weightDecay'],
  ...layers.flatMap(([name, layer, x]): Row[] => [
    [`${name}.forward`, (o) => layer.forward(x as never, o), 'train', 'training'],
    [`${name}.forward`, (o) => layer.forward(x as never, { out: o }), 'Output', 'output'],
    [`${name}.backward`, (o) => layer.forward(x as never, { training: true }).backward!(q, { out: o }), 'inputs', 'input'],
  ]),
]; // prettier-ignore

describe('an option that does not exist', () => {
  test.each(ROWS)('is refused by %s', (operation, call, typo, nearest, rest = {}) => {
    // Whatever its value is.
    for (const value of [undefined, null, 1]) {
      const options = { ...rest, [typo]: value } as never;
      expectRejected(operation, 'TypeError', () => call(options));
      expect(() => call(options)).toThrow(
        nearest === '' ? 'no options' : `(the nearest is ${nearest}), got '${typo}'`,
      );
    }
    if (typo !== 'out') expect(() => call(rest as never)).not.toThrow();
  });

  test('is refused by load', async () => {
    for (const [typo, nearest] of [
      ['thread', 'threads'],
      ['wasmUrl', 'wasm'],
    ] as const) {
      // prettier-ignore
      await expect(load({ [typo]: 2 })).rejects.toThrow(
        new TypeError(`load: expected known options (the nearest is ${nearest}), got '${typo}'`),
      );
    }
  });

  test.each([
    [
      'an accessor of a class',
      new (class {
        get causal(): boolean {
          return Boolean(this);
        }
      })(),
    ],
    ['an inherited one', Object.create({ causal: true })],
    ['one that is not enumerable', Object.defineProperty({}, 'causal', { value: true })],
    ['one behind a proxy', new Proxy({ causal: true }, {})],
    ['a name of Object.prototype', { toString: 1 }],
    ['__proto__', JSON.parse('{ "__proto__": { "isCausal": true } }')],
    ['one of a million letters', { ['causal'.repeat(2e5)]: 1 }],
  ])('is refused as %s', (_, options) => {
    expectRejected('scaledDotProductAttention', 'TypeError', () =>
      attention.scaledDotProductAttention(q, q, q, options as AttentionOptions),
    );
  });

  test('does not include the methods of a class, nor symbols', () => {
    class Options {
      readonly needWeights = true;
      readonly [Symbol.iterator] = 1;
      get isCausal(): boolean {
        return this.#causal();
      }
      describe(): string {
        return 'causal';
      }
      #causal(): boolean {
        return true;
      }
    }
    const plain = { isCausal: true, needWeights: true };
    expect(attention.scaledDotProductAttention(q, q, q, new Options())).toEqual(
      attention.scaledDotProductAttention(q, q, q, plain),
    );
  });
});

describe('a mask of floats', () => {
  const forwards: [string, (options: AttentionOptions) => unknown][] = [
    ['scaledDotProductAttention', (o) => attention.scaledDotProductAttention(q, q, q, o)],
    ['scaledDotProductAttentionBackward', (o) => attention.scaledDotProductAttentionBackward(q, q, q, q, o)],
    ['MultiHeadAttention', (o) => mha.forward(q, q, q, o)],
    ['TransformerEncoderLayer', (o) => layers.at(-1)![1].forward(q, o)],
  ];
  test.each(forwards)('is refused by %s, which points to bias', (operation, call) => {
    for (const mask of [
      zeros(3, 3),
      { data: new Float64Array(9).fill(1), shape: [3, 3] },
      attention.tensor([[1, 0, 1]]),
      [Float32Array.of(1, 0, 1)],
      new Float32Array(3) as never,
    ]) {
      expectRejected(operation, 'TypeError', () => call({ mask }));
      expect(() => call({ mask })).toThrow(/bias/);
    }
    for (const mask of [
      [[0, 1, 1]],
      [[false, true, true]],
      [Uint8Array.of(0, 1, 1)],
      { data: Int32Array.of(0, 1, 1), shape: [1, 3] },
    ]) {
      // prettier-ignore
      expect(call({ mask })).toEqual(call({ mask: [[0, 1, 1]] }));
    }
    expect(() => call({ mask: [[0, -1e9, 0]] })).toThrow(/bias/);
  });
});

describe('a number that float32 does not hold', () => {
  const rotary = (scaling: object) => attention.rotaryEmbedding(q, { scaling: scaling as never });
  const adam = (options: object) => new attention.Adam(mha.parameters(), options);
  const calls: Record<string, (value: number) => unknown> = {
    'scale of attention': (scale) => attention.scaledDotProductAttention(q, q, q, { scale }),
    'softcap of attention': (softcap) => attention.scaledDotProductAttention(q, q, q, { softcap }),
    'softcap of a layer': (softcap) => mha.forward(q, q, q, { softcap }),
    'scale of gradients': (scale) => attention.scaledDotProductAttentionBackward(q, q, q, q, { scale }),
    'attentionFactor': (attentionFactor) => rotary({ type: 'yarn', factor: 2, originalMaxLength: 8, attentionFactor }),
    'factor': (factor) => rotary({ type: 'linear', factor }),
    'base': (base) => attention.sinusoidalEncoding({ length: 2, dim: 4, base }),
    'eps of LayerNorm': (eps) => new attention.LayerNorm({ normalizedShape: 4, eps }),
    'lr': (lr) => adam({ lr }),
    'lr that is set': (lr) => { adam({}).lr = lr; },
    'eps of Adam': (eps) => adam({ eps }),
    'weightDecay': (weightDecay) => adam({ weightDecay }),
    'maxGradNorm': (maxGradNorm) => adam({ maxGradNorm }),
  }; // prettier-ignore
  test.each(Object.keys(calls))('is refused as %s', (name) => {
    for (const value of [3.5e38, 1e39, Number.MAX_VALUE])
      expect(() => calls[name]!(value)).toThrow(RangeError);
    expect(() => calls[name]!(0.5)).not.toThrow();
  });

  test('is refused as a softcap that would be none', () => {
    expect(() => calls['softcap of attention']!(1e-46)).toThrow(RangeError);
    expect(() => calls.attentionFactor!(1e-46)).toThrow(RangeError);
  });

  const dropping: Record<string, (dropout: number) => unknown> = {
    attention: (dropout) => attention.scaledDotProductAttention(q, q, q, { dropout }),
    MultiHeadAttention: (dropout) => new attention.MultiHeadAttention({ ...heads, dropout } satisfies MultiHeadAttentionOptions),
    PositionalEncoding: (dropout) => new attention.PositionalEncoding({ numHiddens: 4, dropout }),
    LearnedPositionalEncoding: (dropout) => new attention.LearnedPositionalEncoding({ numHiddens: 4, maxLen: 4, dropout }),
    TransformerEncoderLayer: (dropout) => new attention.TransformerEncoderLayer({ ...heads, ffnHiddens: 3, dropout }),
  }; // prettier-ignore
  test.each(Object.keys(dropping))('is refused as what %s divides by', (name) => {
    for (const p of [0.99999999, 1 - 2 ** -53]) expect(() => dropping[name]!(p)).toThrow(RangeError);
    expect(() => dropping[name]!(1 - 2 ** -24)).not.toThrow();
  });
});

describe('the position of queries', () => {
  const turning = new attention.MultiHeadAttention({ ...heads, rotary: {}, seed: 1 });
  const plain = new attention.MultiHeadAttention({ ...heads, seed: 1 });
  afterAll(() => [turning, plain].forEach((layer) => layer.dispose()));

  test.each([
    ['with', turning],
    ['without', plain],
  ] as const)('may be null %s rotary embedding', (_, layer) => {
    // prettier-ignore
    const nulls = { causalOffset: null, offset: null, training: null } as never;
    expect(() => layer.forward(q, q, q, { causalOffset: null } as never)).not.toThrow();
    expect(layer.forward(q, q, q, nulls)).toEqual(layer.forward(q, q, q));
    for (const offset of ['1', NaN, 0.5, [1]] as never[]) {
      expect(() => layer.forward(q, q, q, { offset })).toThrow(
        /^MultiHeadAttention\.forward: expected offset/,
      );
    }
    for (const causalOffset of ['1', NaN, [1.5, 0], [2 ** 32, 0]] as never[]) {
      expect(() => layer.forward(q, q, q, { causalOffset })).toThrow(/: expected causalOffset/);
    }
  });

  test('is reported as it was given', () => {
    expect(() => attention.scaledDotProductAttention(q, q, q, { causalOffset: [2 ** 32, 0] })).toThrow(
      /got 4294967296$/,
    );
  });
});

describe('a whole number beyond 32 bits is reported as it was given:', () => {
  const embedding = layers.find(([name]) => name === 'Embedding')![1];
  const calls: Record<string, (value: number) => unknown> = {
    'an id': (id) => embedding.forward([id]),
    'a class': (target) => attention.softmaxCrossEntropy(square, [0, 1, 2, target]),
    'the position of queries': (offset) => attention.scaledDotProductAttention(q, q, q, { causalOffset: [offset, 0] }),
  }; // prettier-ignore
  test.each(Object.keys(calls))('%s', (name) => {
    expect(() => calls[name]!(2 ** 32)).toThrow(/got 4294967296$/);
    expect(() => calls[name]!(2 ** 40 + 1)).toThrow(/got 1099511627777$/);
    expect(() => calls[name]!(-(2 ** 33))).toThrow(/got -8589934592$/);
  });

  test('an id that is just too large, with the range', () => {
    expect(() => embedding.forward([4])).toThrow(/within \[0, 3\], got 4$/);
  });
});

describe('messages', () => {
  test('name both bounds to whoever exceeds the upper one', () => {
    expect(() => attention.sinusoidalEncoding({ length: 2 ** 31, dim: 2 })).toThrow(
      /length to be a whole number, within \[0, 2147483647\], got 2147483648$/,
    );
    expect(() => attention.sinusoidalEncoding({ length: -1, dim: 2 })).toThrow(/, at least 0, got -1$/);
  });

  const linear = () => new attention.Linear({ inFeatures: 4, outFeatures: 4 });
  const cache = () => mha.createCache({ batch: 1, maxLength: 1 });
  const adam = () => new attention.Adam(mha.parameters());
  /** Calls `use` of something that is disposed. */
  const disposed =
    <T extends { dispose(): void }>(make: () => T, use: (made: T) => unknown) =>
    (): unknown => {
      const made = make();
      made.dispose();
      return use(made);
    };
  test.each<[string, () => unknown]>([
    ['a layer', disposed(linear, (layer) => layer.forward(q))],
    ["a layer's state", disposed(linear, (layer) => layer.stateDict())],
    ['a cache', disposed(cache, (cache) => cache.reset())],
    ['an optimizer', disposed(adam, (adam) => adam.step())],
  ])('do not quote what is said of %s', (_, call) => {
    expect(call).toThrow(/got a disposed one$/);
  });

  test('do not quote what is said of a second call', () => {
    const { backward } = linear().forward(q, { training: true });
    backward!(q);
    expect(() => backward!(q)).toThrow(/got a second one$/);
  });

  test('are short, whatever they are about', () => {
    const long = 'x'.repeat(1e6);
    for (const call of [
      () => attention.complexity(long as never, { n: 1, d: 1 }),
      () => attention.tensor(long as never),
      () => attention.tensor(new Function(`/* ${long} */`) as never), // eslint-disable-line @typescript-eslint/no-implied-eval
      () => mha.loadStateDict({ [long]: q }),
      () => attention.conv1d(q, q, { [long]: 1 }),
    ]) {
      expect(call).toThrow(/^.{10,600}$/s);
    }
  });
});
