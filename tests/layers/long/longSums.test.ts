/** Gradients that are sums of very many terms: float32 alone would be off by up to several percent. */
import { describe, expect, test } from '@jest/globals';
import { attention } from '../../support/library.js';

const TERMS = 2_000_000;
const TOLERANCE = 1e-5;

const filled = (value: number, ...shape: readonly number[]) => ({
  data: new Float32Array(shape.reduce((size, axis) => size * axis, 1)).fill(value),
  shape,
});

function expectNear(actual: number, expected: number): void {
  expect(Math.abs(actual / expected - 1)).toBeLessThan(TOLERANCE);
}

describe('the gradient', () => {
  test('of a learned position sums up a batch', () => {
    const layer = new attention.LearnedPositionalEncoding({ numHiddens: 1, maxLen: 1 });
    const { backward } = layer.forward(filled(0.5, TERMS, 1, 1), { training: true });
    backward!(filled(0.1, TERMS, 1, 1));
    expectNear(layer.parameters()[0]!.grad[0]!, TERMS * Math.fround(0.1));
    layer.dispose();
  });

  test('of a linear bias sums up rows', () => {
    const layer = new attention.Linear({ inFeatures: 1, outFeatures: 3 });
    const { backward } = layer.forward(filled(0.5, TERMS, 1), { training: true });
    backward!(filled(0.1, TERMS, 3));
    for (const sum of layer.parameters()[1]!.grad) expectNear(sum, TERMS * Math.fround(0.1));
    layer.dispose();
  });

  // With two keys of value 0 and 1, and a query of 0, the gradients of the scores are -1/4 and 1/4 of the output's.
  const slope = Math.fround(0.1) / 4;
  test.each([
    ['rows', [1, TERMS], [1, 1, 2]],
    ['a batch', [TERMS, 1], [1, 2]],
    ['a batch, one for each row', [TERMS / 2, 2], [2, 2]],
  ] as const)('of a bias sums up %s', (_, [batch, queries], shape) => {
    const key = filled(0, batch, 2, 1);
    const value = { data: Float32Array.from(key.data, (_, i) => i % 2), shape: key.shape };
    const { bias } = attention.scaledDotProductAttentionBackward(
      filled(0.1, batch, queries, 1),
      filled(0, batch, queries, 1),
      key,
      value,
      { bias: filled(0, ...shape) },
    );
    const terms = (TERMS * 2) / bias!.data.length;
    bias!.data.forEach((sum, i) => expectNear(sum, (i % 2 === 0 ? -1 : 1) * terms * slope));
  });

  test('of relative tables sums up a batch', () => {
    const one = filled(1, TERMS, 1, 1);
    const { relativeValues } = attention.scaledDotProductAttentionBackward(filled(0.1, TERMS, 1, 1), one, one, one, {
      relativeValues: filled(0, 1, 1),
    });
    expectNear(relativeValues!.data[0]!, TERMS * Math.fround(0.1));
  });

  test('of a linear weight sums up rows', () => {
    const rows = 6_000_000;
    const layer = new attention.Linear({ inFeatures: 1, outFeatures: 1 });
    layer.forward(filled(0.3, rows, 1), { training: true }).backward!(filled(0.1, rows, 1));
    expectNear(layer.parameters()[0]!.grad[0]!, rows * Math.fround(0.1) * Math.fround(0.3));
    layer.dispose();
  });

  test('of a feed-forward bias sums up rows', () => {
    const layer = new attention.FeedForward({ numHiddens: 1, ffnHiddens: 1 });
    layer.forward(filled(0.3, TERMS, 1, 1), { training: true }).backward!(filled(0.1, TERMS, 1, 1));
    const bias = layer.parameters().find(({ name }) => name === 'dense2.bias');
    expectNear(bias!.grad[0]!, TERMS * Math.fround(0.1));
    layer.dispose();
  });

  test.each([
    ['pre', 1_000_000, 1],
    ['post', 1_000_000, 1],
    ['pre', 50, 9000],
  ] as const)('of an encoder layer (norm: %s) sums up %d sequences of %d', (norm, batch, length) => {
    const gradients = (count: number) => {
      const layer = new attention.TransformerEncoderLayer({
        numHiddens: 2,
        numHeads: 1,
        ffnHiddens: 2,
        seed: 3,
        norm,
        activation: 'gelu',
      });
      const repeat = (pair: readonly number[]) => ({
        data: Float32Array.from({ length: 2 * count }, (_, i) => pair[i % 2]!),
        shape: count === 1 ? [1, 1, 2] : [batch, length, 2],
      });
      // Each token sees only itself.
      layer.forward(repeat([0.3, -0.7]), { training: true, window: [0, 0] }).backward!(repeat([0.3, -0.8]));
      const all = layer.parameters().map(({ grad }) => grad);
      layer.dispose();
      return all;
    };
    const tokens = batch * length;
    const one = gradients(1);
    gradients(tokens).forEach((sums, i) => {
      const size = tokens * Math.max(1e-9, ...one[i]!.map(Math.abs));
      sums.forEach((sum, j) => expect(Math.abs(sum - tokens * one[i]![j]!) / size).toBeLessThan(TOLERANCE));
    });
  });

  test.each([
    ['queries', 1, 1_000_000],
    ['a batch', 1_000_000, 1],
  ])('of additive attention sums up %s', (_, batch, queries) => {
    const gradients = (batch: number, queries: number) => {
      const weights = { Wq: filled(1, 1, 1), Wk: filled(1, 1, 1), wv: filled(2, 1, 1) };
      const keys = {
        data: Float32Array.from({ length: 2 * batch }, (_, i) => (i % 2 ? 0.7 : 0.2)),
        shape: [batch, 2, 1],
      };
      const values = {
        data: Float32Array.from(keys.data, (_, i) => (i % 2 ? 0.9 : 0.1)),
        shape: [batch, 2, 1],
      };
      const query = filled(0.4, batch, queries, 1);
      return attention.additiveAttentionBackward(filled(0.1, batch, queries, 1), query, keys, values, weights);
    };
    const one = gradients(1, 1);
    const many = gradients(batch, queries);
    const terms = batch * queries;
    for (const name of ['Wq', 'Wk', 'wv'] as const) expectNear(many[name].data[0]!, terms * one[name].data[0]!);
    for (const name of ['keys', 'values'] as const) {
      for (const key of [0, 1]) expectNear(many[name].data[key]!, queries * one[name].data[key]!);
    }
  });
});
