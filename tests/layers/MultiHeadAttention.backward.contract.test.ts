/** When MultiHeadAttention.backward may be called, and what it keeps; contract.test.ts has what all layers do. */
import { describe, expect, test } from '@jest/globals';
import type { MultiHeadAttentionGradients, MultiHeadAttentionOptions } from 'wasm-attention';
import { EPS, maxAbs } from '../support/close.js';
import { dot } from '../support/differences.js';
import { gradientsOf } from '../support/gradientsOf.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';

const random = new Random(1);
const make = (options: Partial<MultiHeadAttentionOptions> = {}) =>
  new attention.MultiHeadAttention({ numHiddens: 12, numHeads: 3, bias: true, seed: 3, ...options });

type Layer = ReturnType<typeof make>;

describe('MultiHeadAttention.backward', () => {
  const x = random.tensor([2, 5, 12]);
  const g = random.tensor([2, 5, 12]);
  const train = (layer: Layer, options: object = {}) => layer.forward(x, x, x, { training: true, ...options });

  test('drops the same weights as its forward pass', () => {
    const layer = make({ dropout: 0.4 });
    const dropped = { dropout: 0.4, seed: 3 };
    const pass = train(layer);
    expect(pass.output).toEqual(layer.forward(x, x, x, dropped).output);
    const next = train(layer);
    expect(next.output).not.toEqual(pass.output);
    // The output is linear in the values, so a step of 1 gives the exact directional derivative.
    const { values } = pass.backward!(g);
    const direction = random.tensor([2, 5, 12]);
    const moved = { data: x.data.map((value, i) => value + direction.data[i]!), shape: x.shape };
    const loss = (given: typeof x) => dot(layer.forward(x, x, given, dropped).output.data, g.data);
    const expected = loss(moved) - loss(x);
    // Both sides are sums of 120 products, each off by a few roundings; the values are up to 8 large.
    expect(Math.abs(dot(values.data, direction.data) - expected)).toBeLessThan(120 * EPS * (1 + maxAbs(g.data)) * 8);
    expect(next.backward!(g).values).not.toEqual(values);
  });

  test('exists only in training, and not with a cache or past keys', () => {
    const layer = make();
    expect(layer.forward(x, x, x).backward).toBeUndefined();
    expect(layer.forward(x, x, x, { training: false }).backward).toBeUndefined();
    const cache = layer.createCache({ batch: 2, maxLength: 9 });
    expect(train(layer, { cache }).backward).toBeUndefined();
    const past = random.tensor([2, 3, 0, 4]);
    expect(train(layer, { pastKey: past, pastValue: past }).backward).toBeUndefined();
    expect(train(layer).output).toEqual(layer.forward(x, x, x).output);
  });

  test('keeps what it needs, so that all arguments may change in between', () => {
    const [moving, kept] = [make({ rotary: {} }), make({ rotary: {} })];
    const options = () => ({
      validLens: Int32Array.of(3, 5),
      mask: [[true], [true], [false], [true], [true]],
      bias: { data: new Random(2).tensor([5, 5]).data, dims: [5, 5] },
      causalOffset: [1, 2],
      isCausal: true,
      relativeKeys: new Random(3).tensor([3, 4]),
      needWeights: true,
      out: { output: new Float32Array(120) },
    });
    const [changed, input] = [options(), { data: x.data.slice(), shape: [...x.shape] }];
    const pass = moving.forward(input, input, input, { ...changed, training: true });
    input.data.fill(NaN);
    input.shape.fill(1);
    changed.validLens.fill(1);
    changed.mask.fill([false]);
    changed.bias.data.fill(7);
    changed.bias.dims.fill(1);
    changed.causalOffset.fill(-5);
    changed.relativeKeys.data.fill(7);
    pass.output.data.fill(7);
    const expected: MultiHeadAttentionGradients = train(kept, options()).backward!(g);
    expect(pass.backward!(g)).toEqual(expected);
    expect(gradientsOf(moving)).toEqual(gradientsOf(kept));
  });

  test('lets no padding reach a gradient', () => {
    const clean = make();
    const pass = clean.forward(x, x, x, { validLens: [5, 2], training: true }).backward!(g);
    const padded = { data: x.data.map((value, i) => (i >= 60 + 24 ? 3e38 : value)), shape: x.shape };
    const layer = make();
    const found = layer.forward(x, padded, padded, { validLens: [5, 2], training: true }).backward!(g);
    expect(found.queries).toEqual(pass.queries);
    expect(found.keys).toEqual(pass.keys);
    expect(found.values.data.slice(84)).toEqual(new Float32Array(36));
  });

  test('accepts no queries, no keys and an empty batch', () => {
    const layer = make();
    const none = { data: new Float32Array(0), shape: [2, 0, 12] };
    const withoutQueries = layer.forward(none, x, x, { training: true }).backward!(none);
    expect(withoutQueries.queries.shape).toEqual([2, 0, 12]);
    expect(withoutQueries.keys).toEqual({ data: new Float32Array(120), shape: [2, 5, 12] });
    expect(withoutQueries.values).toEqual(withoutQueries.keys);
    const withoutKeys = layer.forward(x, none, none, { training: true }).backward!(g);
    expect(withoutKeys.queries).toEqual({ data: new Float32Array(120), shape: [2, 5, 12] });
    const empty = { data: new Float32Array(0), shape: [0, 5, 12] };
    expect(layer.forward(empty, empty, empty, { training: true }).backward!(empty).keys.shape).toEqual([0, 5, 12]);
  });
});
