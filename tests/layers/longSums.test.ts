/** Gradients that are sums of very many terms: float32 alone would be off by up to several percent. */
import { describe, expect, test } from '@jest/globals';
import { attention } from '../support/library.js';

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
    const { relativeValues } = attention.scaledDotProductAttentionBackward(
      filled(0.1, TERMS, 1, 1),
      one,
      one,
      one,
      { relativeValues: filled(0, 1, 1) },
    );
    expectNear(relativeValues!.data[0]!, TERMS * Math.fround(0.1));
  });
});
