/** Sums of very many terms, through public calls. Naive summation in float32 would exceed the tolerance. */
import { describe, expect, test } from '@jest/globals';
import type { Layer } from 'wasm-attention';
import { attention } from '../../support/library.js';

const TOLERANCE = 1e-5;

function filled(value: number, ...shape: number[]): { data: Float32Array; shape: number[] } {
  const count = shape.reduce((product, axis) => product * axis);
  return { data: new Float32Array(count).fill(value), shape };
}

function expectClose(actual: number, expected: number): void {
  expect(Math.abs(actual / expected - 1)).toBeLessThan(TOLERANCE);
}

describe('a softmax of one large score and many zeros adds up to 1:', () => {
  test.each([1e5, 1e6, 5e7])('%p scores', (count) => {
    const scores = filled(0, 1, 1, count);
    scores.data[0] = 10;
    let total = 0;
    for (const weight of attention.maskedSoftmax(scores).data) total += weight;
    expectClose(total, 1);
  });
});

describe('a cross-entropy has the right loss and gradient:', () => {
  test.each([256_000, 1e6, 3e6])('%p classes', (count) => {
    const logits = {
      data: Float32Array.from({ length: count }, (_, i) => 3 * Math.sin(i)),
      shape: [1, count],
    };
    let total = 0;
    for (const logit of logits.data) total += Math.exp(logit);
    const { loss, gradLogits } = attention.softmaxCrossEntropy(logits, [7]);
    expectClose(loss, Math.log(total) - logits.data[7]!);
    expectClose(gradLogits.data[2]!, Math.exp(logits.data[2]!) / total);
  });
});

describe('the mean of a million equal values is that value:', () => {
  const keys = filled(0, 1, 1e6, 1);
  const values = filled(0.1, 1, 1e6, 1);
  const query = filled(0, 1, 1, 1);
  test('additive attention', () => {
    const one = filled(1, 1, 1);
    const { output } = attention.additiveAttention(query, keys, values, { Wq: one, Wk: one, wv: one });
    expectClose(output.data[0]!, Math.fround(0.1));
  });
  test('attention', () => {
    expectClose(attention.scaledDotProductAttention(query, keys, values).output.data[0]!, Math.fround(0.1));
  });
});

describe('gradients that go to one place add up there:', () => {
  const layers: Record<string, [make: () => Layer, parameter: string, count: number, shape: number[]]> = {
    'an embedding of equal ids': [() => new attention.Embedding({ numEmbeddings: 1, dim: 1 }), 'weight', 5e6, []],
    'a norm of many rows': [() => new attention.LayerNorm({ normalizedShape: 2 }), 'bias', 1e6, [2]],
    'one position of many sequences': [
      () => new attention.LearnedPositionalEncoding({ numHiddens: 2, maxLen: 1 }),
      'weight',
      2e6,
      [1, 2],
    ],
  };
  test.each(Object.keys(layers))('%s', (name) => {
    const [make, parameter, count, shape] = layers[name]!;
    const layer = make();
    const { output, backward } = layer.forward(filled(0, count, ...shape), { training: true });
    backward!(filled(0.1, ...output.shape));
    const { grad } = layer.parameters().find((found) => found.name === parameter)!;
    for (const sum of grad) expectClose(sum, count * Math.fround(0.1));
    layer.dispose();
  });
});
