/** Option values that are refused: masks of floats, and numbers beyond float32; and the messages. */
import { afterAll, describe, expect, test } from '@jest/globals';
import type { AttentionOptions, MultiHeadAttentionOptions } from 'wasm-attention';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { expectRejected } from '../support/rejections.js';
import { zeros } from '../reference/tensor.js';

const random = new Random(1);
const q = random.tensor([2, 3, 4]);
const square = random.tensor([4, 4]);
const heads = { numHiddens: 4, numHeads: 2 };

const mha = new attention.MultiHeadAttention(heads);
const encoder = new attention.TransformerEncoderLayer({ ...heads, ffnHiddens: 3 });
const embedding = new attention.Embedding({ numEmbeddings: 4, dim: 4 });
afterAll(() => [mha, encoder, embedding].forEach((layer) => layer.dispose()));

describe('a mask of floats', () => {
  const forwards: [string, (options: AttentionOptions) => unknown][] = [
    ['scaledDotProductAttention', (o) => attention.scaledDotProductAttention(q, q, q, o)],
    ['scaledDotProductAttentionBackward', (o) => attention.scaledDotProductAttentionBackward(q, q, q, q, o)],
    ['MultiHeadAttention', (o) => mha.forward(q, q, q, o)],
    ['TransformerEncoderLayer', (o) => encoder.forward(q, o)],
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
      expect(call({ mask })).toEqual(call({ mask: [[0, 1, 1]] }));
    }
    expect(() => call({ mask: [[0, -1e9, 0]] })).toThrow(/bias/);
  });
});

describe('a number beyond float32', () => {
  const rotary = (scaling: object) => attention.rotaryEmbedding(q, { scaling: scaling as never });
  const adam = (options: object) => new attention.Adam(mha.parameters(), options);
  const calls: Record<string, (value: number) => unknown> = {
    'scale of attention': (scale) => attention.scaledDotProductAttention(q, q, q, { scale }),
    'softcap of attention': (softcap) => attention.scaledDotProductAttention(q, q, q, { softcap }),
    'softcap of a layer': (softcap) => mha.forward(q, q, q, { softcap }),
    'scale of gradients': (scale) => attention.scaledDotProductAttentionBackward(q, q, q, q, { scale }),
    attentionFactor: (attentionFactor) => rotary({ type: 'yarn', factor: 2, originalMaxLength: 8, attentionFactor }),
    factor: (factor) => rotary({ type: 'linear', factor }),
    base: (base) => attention.sinusoidalEncoding({ length: 2, dim: 4, base }),
    'eps of LayerNorm': (eps) => new attention.LayerNorm({ normalizedShape: 4, eps }),
    lr: (lr) => adam({ lr }),
    'lr that is set': (lr) => {
      adam({}).lr = lr;
    },
    'eps of Adam': (eps) => adam({ eps }),
    weightDecay: (weightDecay) => adam({ weightDecay }),
    maxGradNorm: (maxGradNorm) => adam({ maxGradNorm }),
  };
  test.each(Object.keys(calls))('is refused as %s', (name) => {
    for (const value of [3.5e38, 1e39, Number.MAX_VALUE]) expect(() => calls[name]!(value)).toThrow(RangeError);
    expect(() => calls[name]!(0.5)).not.toThrow();
  });

  test('is refused as a softcap that would have no effect', () => {
    expect(() => calls['softcap of attention']!(1e-46)).toThrow(RangeError);
    expect(() => calls.attentionFactor!(1e-46)).toThrow(RangeError);
  });

  const dropping: Record<string, (dropout: number) => unknown> = {
    attention: (dropout) => attention.scaledDotProductAttention(q, q, q, { dropout }),
    MultiHeadAttention: (dropout) =>
      new attention.MultiHeadAttention({ ...heads, dropout } satisfies MultiHeadAttentionOptions),
    PositionalEncoding: (dropout) => new attention.PositionalEncoding({ numHiddens: 4, dropout }),
    LearnedPositionalEncoding: (dropout) =>
      new attention.LearnedPositionalEncoding({ numHiddens: 4, maxLen: 4, dropout }),
    TransformerEncoderLayer: (dropout) => new attention.TransformerEncoderLayer({ ...heads, ffnHiddens: 3, dropout }),
  };
  test.each(Object.keys(dropping))('is refused as a divisor of %s', (name) => {
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
    const nulls = { causalOffset: null, offset: null, training: null } as never;
    expect(() => layer.forward(q, q, q, { causalOffset: null } as never)).not.toThrow();
    expect(layer.forward(q, q, q, nulls)).toEqual(layer.forward(q, q, q));
    for (const offset of ['1', NaN, 0.5, [1]] as never[]) {
      expect(() => layer.forward(q, q, q, { offset })).toThrow(/^MultiHeadAttention\.forward: expected offset/);
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
  const calls: Record<string, (value: number) => unknown> = {
    'an id': (id) => embedding.forward([id]),
    'a class': (target) => attention.softmaxCrossEntropy(square, [0, 1, 2, target]),
    'the position of queries': (offset) => attention.scaledDotProductAttention(q, q, q, { causalOffset: [offset, 0] }),
  };
  test.each(Object.keys(calls))('%s', (name) => {
    expect(() => calls[name]!(2 ** 32)).toThrow(/got 4294967296$/);
    expect(() => calls[name]!(2 ** 40 + 1)).toThrow(/got 1099511627777$/);
    expect(() => calls[name]!(-(2 ** 33))).toThrow(/got -8589934592$/);
  });

  test('an id that is one too large, with the range', () => {
    expect(() => embedding.forward([4])).toThrow(/within \[0, 3\], got 4$/);
  });
});

describe('messages', () => {
  test('name both bounds if the upper one is exceeded', () => {
    expect(() => attention.sinusoidalEncoding({ length: 2 ** 31, dim: 2 })).toThrow(
      /length to be a whole number, within \[0, 2147483647\], got 2147483648$/,
    );
    expect(() => attention.sinusoidalEncoding({ length: -1, dim: 2 })).toThrow(/, at least 0, got -1$/);
  });

  const linear = () => new attention.Linear({ inFeatures: 4, outFeatures: 4 });
  const cache = () => mha.createCache({ batch: 1, maxLength: 1 });
  const adam = () => new attention.Adam(mha.parameters());
  /** Calls `use` after disposal. */
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

  test('do not quote the message of a second call', () => {
    const { backward } = linear().forward(q, { training: true });
    backward!(q);
    expect(() => backward!(q)).toThrow(/got a second one$/);
  });

  test('are short, whatever the value', () => {
    const long = 'x'.repeat(1e6);
    for (const call of [
      () => attention.complexity(long as never, { n: 1, d: 1 }),
      () => attention.tensor(long as never),
      () => attention.tensor(new Function(`/* ${long} */`) as never), // oxlint-disable-line typescript/no-implied-eval
      () => mha.loadStateDict({ [long]: q }),
      () => attention.conv1d(q, q, { [long]: 1 }),
    ]) {
      expect(call).toThrow(/^.{10,600}$/s);
    }
  });
});

describe('lists that would take gigabytes are refused before they are collected', () => {
  const row = Array<boolean>(12_000).fill(true);
  test.each([
    ['booleans', Array<unknown>(12_000).fill(row)],
    ['holes', Array<unknown>(12_000).fill(Array(12_000))],
    ['texts', Array<unknown>(12_000).fill(Array(12_000).fill('1'))],
  ])('of %s', (_, mask) => {
    const before = process.memoryUsage().heapUsed;
    expectRejected('scaledDotProductAttention', 'RangeError', () =>
      attention.scaledDotProductAttention(q, q, q, { mask: mask as never }),
    );
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64e6);
  });
});
