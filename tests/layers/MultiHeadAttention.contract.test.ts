import { describe, expect, test } from '@jest/globals';
import { multiHeadAttention as reference } from '../reference/multiHeadAttention.js';
import { expectBinomial } from '../support/chance.js';
import { expectClose, maxAbs } from '../support/close.js';
import { attention } from '../support/library.js';
import { poisonPadding } from '../support/poison.js';
import { Random, type RandomTensor } from '../support/random.js';
import { expectForward, layerOf, OUTPUT_ATOL } from '../support/multiHeadTolerance.js';

describe('MultiHeadAttention', () => {
  test('gives weights of exactly a third and a half in the textbook case, for any parameters', () => {
    const ones = { data: new Float32Array(2 * 4 * 100).fill(1), shape: [2, 4, 100] };
    const third = Math.fround(1 / 3);
    for (const seed of [0, 1, 2]) {
      const layer = new attention.MultiHeadAttention({ numHiddens: 100, numHeads: 5, dropout: 0.5, seed });
      const { output, weights } = layer.forward(ones, ones, ones, { validLens: [3, 2], needWeights: true });
      expect(output.shape).toEqual([2, 4, 100]);
      const rows = [
        [third, third, third, 0],
        [0.5, 0.5, 0, 0],
      ];
      const expected = rows.flatMap((row) => Array.from({ length: 20 }, () => row).flat());
      expect(weights).toEqual({ data: Float32Array.from(expected), shape: [2, 5, 4, 4] });
    }
  });

  test('returns the bias of W_o, or zeros without a bias, for a query that may attend to nothing', () => {
    const x = new Random(7).tensor([2, 3, 8]);
    const { layer, state } = layerOf({ numHiddens: 8, numHeads: 2, bias: true });
    const { output, weights } = layer.forward(x, x, x, { validLens: [0, 3], needWeights: true });
    for (let i = 0; i < 3; ++i) {
      expect(output.data.slice(8 * i, 8 * i + 8)).toEqual(state['W_o.bias']!.data);
    }
    expect(weights!.data.slice(0, 18)).toEqual(new Float32Array(18));
    const without = layerOf({ numHiddens: 8, numHeads: 2 }).layer.forward(x, x, x, { validLens: [0, 3] });
    expect(without.output.data.slice(0, 24)).toEqual(new Float32Array(24));
  });

  test('lets no padding reach the result', () => {
    const { layer } = layerOf({ numHiddens: 8, numHeads: 2, bias: true });
    const random = new Random(8);
    const [queries, keys, values] = [random.tensor([2, 5, 8]), random.tensor([2, 5, 8]), random.tensor([2, 5, 8])];
    const options = { validLens: [3, 1], needWeights: true };
    const clean = layer.forward(queries, keys, values, options);
    for (const poison of [NaN, Infinity, 3e38]) {
      const padded = (x: RandomTensor) => poisonPadding(x, options.validLens, poison);
      expect(layer.forward(queries, padded(keys), padded(values), options)).toEqual(clean);
    }
  });

  test('is permutation equivariant without masks', () => {
    const { layer } = layerOf({ numHiddens: 12, numHeads: 3 });
    const x = new Random(9).tensor([1, 7, 12]);
    const order = [3, 0, 6, 1, 5, 2, 4];
    const shuffled = (data: Float32Array) => ({
      data: Float32Array.from({ length: 84 }, (_, at) => data[order[Math.floor(at / 12)]! * 12 + (at % 12)]!),
      shape: [1, 7, 12],
    });
    const plain = layer.forward(x, x, x).output;
    const y = shuffled(x.data);
    expectClose(layer.forward(y, y, y).output, shuffled(plain.data), { atol: OUTPUT_ATOL });
  });

  test('starts with weights within 1/sqrt(in), the same ones for the same seed', () => {
    const make = (seed: number) =>
      new attention.MultiHeadAttention({ numHiddens: 32, numHeads: 4, bias: true, seed }).stateDict();
    expect(make(3)).toEqual(make(3));
    expect(make(3)['W_q.weight']).not.toEqual(make(4)['W_q.weight']);
    const { data } = make(3)['W_q.weight']!;
    expect(maxAbs(data)).toBeLessThanOrEqual(1 / Math.sqrt(32));
    expect(maxAbs(data)).toBeGreaterThan(0.95 / Math.sqrt(32));
    expect(make(3)['W_q.weight']!.data).not.toEqual(make(3)['W_k.weight']!.data);
  });

  test('treats an undefined dropout or seed like a missing one', () => {
    const x = new Random(3).tensor([1, 8, 16]);
    const layer = new attention.MultiHeadAttention({ numHiddens: 16, numHeads: 2, dropout: 0.5, seed: 5 });
    const dropped = () => {
      const options = { training: true, dropout: undefined, seed: undefined, needWeights: true };
      const { weights } = layer.forward(x, x, x, options);
      return weights!.data.map((weight) => (weight === 0 ? 1 : 0));
    };
    const first = dropped();
    expect(first.reduce((sum, zero) => sum + zero)).toBeGreaterThan(16);
    expect(dropped()).not.toEqual(first);
  });

  test('refuses lengths in place of the options', () => {
    const x = new Random(3).tensor([2, 4, 16]);
    const layer = new attention.MultiHeadAttention({ numHiddens: 16, numHeads: 2 });
    expect(() => layer.forward(x, x, x, [3, 2] as never)).toThrow(/options to be an object/);
  });

  test('applies dropout only in training, and the seed decides which weights it drops', () => {
    const x = new Random(10).tensor([1, 8, 16]);
    const make = () => new attention.MultiHeadAttention({ numHiddens: 16, numHeads: 2, dropout: 0.5, seed: 5 });
    const [layer, twin] = [make(), make()];
    const evaluated = layer.forward(x, x, x, { needWeights: true });
    expect(twin.forward(x, x, x, { needWeights: true })).toEqual(evaluated);
    const trained = layer.forward(x, x, x, { training: true, needWeights: true });
    const dropped = trained.weights!.data.filter((w) => w === 0).length;
    expectBinomial(dropped, trained.weights!.data.length, 0.5);
    trained.weights!.data.forEach((w, at) => {
      if (w !== 0) expect(w).toBeCloseTo(2 * evaluated.weights!.data[at]!, 5);
    });
    expect(twin.forward(x, x, x, { training: true, needWeights: true }).weights).toEqual(trained.weights);
    expect(layer.forward(x, x, x, { needWeights: true })).toEqual(evaluated);
  });

  test('accepts no queries, no keys and a single token', () => {
    const { layer, state } = layerOf({ numHiddens: 8, numHeads: 2, bias: true });
    const x = new Random(11).tensor([2, 3, 8]);
    const none = { data: new Float32Array(0), shape: [2, 0, 8] };
    expect(layer.forward(none, x, x).output.shape).toEqual([2, 0, 8]);
    const withoutKeys = layer.forward(x, none, none).output;
    expect(withoutKeys.data.slice(0, 8)).toEqual(state['W_o.bias']!.data);
    const one = new Random(12).tensor([1, 1, 8]);
    expectForward(layer.forward(one, one, one), reference(one, one, one, { numHeads: 2, state }));
  });

  test('does not change its inputs, and returns new arrays', () => {
    const { layer } = layerOf({ numHiddens: 8, numHeads: 2 });
    const x = new Random(13).tensor([1, 4, 8]);
    const before = [...x.data];
    const first = layer.forward(x, x, x, { needWeights: true });
    const kept = [...first.output.data];
    const second = layer.forward(x, x, x, { needWeights: true });
    expect([...x.data]).toEqual(before);
    expect(second).toEqual(first);
    second.output.data.fill(0);
    second.weights!.data.fill(0);
    expect([...first.output.data]).toEqual(kept);
  });
});
