/**
 * What a caller gets is his, and what he gives is read by its elements: shapes, caches and arrays cannot change what
 * the library computes.
 */
import { describe, expect, test } from '@jest/globals';
import type { LayerForwardOptions, Tensor, TensorLike } from 'wasm-attention';
import { ALL_LAYERS } from '../support/allLayers.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { same } from '../support/same.js';
import { trained } from '../support/trained.js';

const random = new Random(11);
const [batch, length, width] = [2, 4, 8];
const x = random.tensor([batch, length, width]);
const g = random.tensor([batch, length, width]);

const sizes = { numHiddens: width, numHeads: 2, seed: 1 };
const multiHead = () => new attention.MultiHeadAttention({ ...sizes, bias: true });
const encoder = () => new attention.TransformerEncoderLayer({ ...sizes, ffnHiddens: 12 });

describe('shapes that a layer gives', () => {
  test.each(ALL_LAYERS)('are copies: $title', ({ make }) => {
    const { layer, forward } = make();
    const other = make();
    const before = other.layer.stateDict();
    for (const parameter of layer.parameters()) {
      const shape = parameter.shape as number[];
      shape[0] = 20;
      shape.push(3);
      const { data } = parameter;
      expect(data).toEqual(layer.stateDict()[parameter.name]!.data);
      expect(() => parameter.set(new Float32Array(20 * data.length))).toThrow(RangeError);
      parameter.set(data);
    }
    for (const { shape } of Object.values(layer.stateDict())) (shape as number[]).fill(9);
    const pass = forward({ training: true });
    const gradient = pass.output.data.slice();
    const shape = [...pass.output.shape];
    (pass.output.shape as number[]).fill(7);
    const grads = pass.backward!({ data: gradient, shape });
    for (const { shape } of Object.values(grads)) (shape as number[]).fill(5);
    expect(same(layer.stateDict(), before)).toBe(true);
    expect(same(forward(), other.forward())).toBe(true);
    expect(same(other.layer.stateDict(), before)).toBe(true);
  });

  test('are different ones for each result', () => {
    const past = { pastKey: random.tensor([2, 2, 3, 4]), pastValue: random.tensor([2, 2, 3, 4]) };
    const needs = { needWeights: true, needScores: 'masked', needLogSumExp: true } as const;
    const heads = random.tensor([2, 2, 4, 4]);
    for (const result of [
      multiHead().forward(x, x, x, { ...past, ...needs }),
      attention.scaledDotProductAttention(heads, heads, heads, { ...past, ...needs }),
    ]) {
      const shapes = Object.values(result).map((tensor) => (tensor as Tensor).shape);
      expect(shapes).toHaveLength(6);
      expect(new Set(shapes).size).toBe(6);
    }
    const { queries, keys, values } = multiHead().forward(x, x, x, { training: true }).backward!(g);
    expect(new Set([queries.shape, keys.shape, values.shape]).size).toBe(3);
  });
});

describe('a cache', () => {
  test('has no fields that can be changed, and none that the library would read', () => {
    const layer = multiHead();
    const other = multiHead();
    const decode = (change: (cache: object) => void) => {
      const cache = layer.createCache({ batch, maxLength: length });
      change(cache);
      layer.forward(x, x, x, { cache });
      expect(() => layer.forward(x, x, x, { cache })).toThrow(/at most 0 more tokens/);
      expect([cache.length, cache.maxLength]).toEqual([length, length]);
      expect(() => other.forward(x, x, x, { cache })).toThrow(/another's/);
      cache.dispose();
    };
    decode((cache) => {
      for (const name of ['maxLength', 'length']) {
        expect(() => Object.assign(cache, { [name]: 1e6 })).toThrow(TypeError);
      }
      // What the prototype or the constructor offer does not reach the fields either.
      Object.assign(cache, { owner: other, batch: 9, grow: undefined, addresses: undefined });
    });
    decode((cache) => Object.defineProperty(cache, 'maxLength', { value: length, configurable: true }));
    const real = layer.createCache({ batch, maxLength: length });
    for (const cache of [Object.create(real), new Proxy(real, {}), { ...real }]) {
      expect(() => layer.forward(x, x, x, { cache: cache as typeof real })).toThrow(/of createCache/);
    }
  });
});

describe('an array whose iterator yields one value', () => {
  const lying = <T extends object>(array: T): T =>
    Object.defineProperty(array, Symbol.iterator, {
      *value() {
        yield 1;
      },
    });
  const numbers = Array.from(new Random(3).tensor([64]).data);
  const embedding = new attention.Embedding({ numEmbeddings: 4, dim: 2, seed: 1 });
  const ids = numbers.map((_, i) => i % 4);
  const heads = random.tensor([4, 16, 4]);
  const logits = random.tensor([4, 4]);
  const calls: Record<string, [readonly number[], (data: ArrayLike<number>) => unknown]> = {
    'a softmax': [numbers, (data) => attention.maskedSoftmax({ data: data as Float32Array, shape: [4, 4, 4] })],
    attention: [
      numbers,
      (data) =>
        attention.scaledDotProductAttention(heads, heads, heads, {
          bias: { data: data as Float32Array, shape: [4, 1, 16] },
        }),
    ],
    'valid lengths': [
      ids.slice(0, 4),
      (validLens) => attention.scaledDotProductAttention(heads, heads, heads, { validLens }),
    ],
    'rotary positions': [ids.slice(0, 16), (positions) => attention.rotaryEmbedding(heads, { positions })],
    'positions of an encoding': [numbers, (positions) => attention.sinusoidalEncoding({ dim: 2, positions })],
    classes: [ids.slice(0, 4), (targets) => attention.softmaxCrossEntropy(logits, targets)],
    ids: [ids, (data) => embedding.forward({ data: data as Float32Array, shape: [64] })],
  };
  const kinds: { from(values: readonly number[]): ArrayLike<number> }[] = [
    Float32Array,
    Float64Array,
    Int32Array,
    Array,
  ];
  test.each(Object.keys(calls))('is read by its elements: %s', (name) => {
    const [values, call] = calls[name]!;
    for (const kind of kinds) {
      const expected = call(kind.from(values));
      // Leaves other values where the next call's arguments go.
      attention.maskedSoftmax(random.tensor([1, 16, 64]));
      expect(same(call(lying(kind.from(values))), expected)).toBe(true);
    }
  });
});

describe('array-likes', () => {
  const lengths: { 0: number; 1: number; length: number } = { 0: 3, 1: 2, length: 2 };
  const offsets = { 0: 0, 1: 1, length: 2 };
  test.each([
    ['MultiHeadAttention', multiHead],
    ['TransformerEncoderLayer', encoder],
  ] as const)('mean in training what they mean without: %s', (_, makeLayer) => {
    const run = (options: LayerForwardOptions) => {
      const layer = makeLayer();
      return trained(layer, g, () =>
        layer instanceof attention.MultiHeadAttention ? layer.forward(x, x, x, options) : layer.forward(x, options),
      );
    };
    const plain = { validLens: [3, 2], causalOffset: [0, 1], isCausal: true, alibiSlopes: [0.5, 0.25] };
    const like = {
      validLens: lengths,
      causalOffset: offsets,
      isCausal: true,
      alibiSlopes: { 0: 0.5, 1: 0.25, length: 2 },
    };
    const expected = run({ ...plain, training: true });
    expect(same(run({ ...like, training: true }), expected)).toBe(true);
    const layer = makeLayer();
    const once = (options: LayerForwardOptions) =>
      layer instanceof attention.MultiHeadAttention
        ? layer.forward(x, x, x, options).output
        : layer.forward(x, options).output;
    expect(same(once(like), once(plain))).toBe(true);
  });
});

describe('an array that shrinks while another argument is read is refused', () => {
  const shrinking = () => new Float32Array(new ArrayBuffer(4 * batch * length * width)).fill(0.5);
  const detach = ({ buffer }: Float32Array): void => void structuredClone(buffer, { transfer: [buffer] });

  test.each([
    [
      'maskedSoftmax',
      (scores: TensorLike, shrink: () => void) =>
        attention.maskedSoftmax(scores, {
          get data() {
            shrink();
            return [1, 2];
          },
          shape: [batch],
        }),
    ],
    [
      'rotaryEmbedding',
      (input: TensorLike, shrink: () => void) =>
        attention.rotaryEmbedding(input, {
          positions: {
            get data() {
              shrink();
              return [0, 1, 2, 3];
            },
            shape: [length],
          },
        }),
    ],
  ])('by %s', (operation, call) => {
    const data = shrinking();
    const given = { data, shape: [batch, length, width] };
    expect(() => call(given, () => detach(data))).toThrow(`${operation}: expected`);
  });
});
