/** Results belong to the caller: changing them does not affect the library. */
import { describe, expect, test } from '@jest/globals';
import type { LayerForwardOptions, Tensor } from 'wasm-attention';
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

describe('shapes that a layer returns', () => {
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

  test('are different arrays for each result', () => {
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
  test('has read-only fields', () => {
    const layer = multiHead();
    const cache = layer.createCache({ batch, maxLength: length });
    for (const name of ['maxLength', 'length']) {
      expect(() => Object.assign(cache, { [name]: 1e6 })).toThrow(TypeError);
    }
    layer.forward(x, x, x, { cache });
    expect(() => layer.forward(x, x, x, { cache })).toThrow(/at most 0 more tokens/);
    expect([cache.length, cache.maxLength]).toEqual([length, length]);
    expect(() => multiHead().forward(x, x, x, { cache })).toThrow(/another's/);
    expect(() => layer.forward(x, x, x, { cache: { ...cache } })).toThrow(/from createCache/);
    cache.dispose();
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
