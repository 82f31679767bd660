/** Several layers together: small networks that learn. */
import { describe, expect, test } from '@jest/globals';
import type { Layer } from 'wasm-attention';
import { attention, heapBytes, softmaxCrossEntropy } from '../support/library.js';
import { Random } from '../support/random.js';

/** Goes forward through all layers and back with the gradient that `loss` returns; returns the loss. */
function step(
  layers: readonly Layer[],
  x: Parameters<Layer['forward']>[0],
  loss: (output: ReturnType<Layer['forward']>['output']) => {
    loss: number;
    gradient: ReturnType<Layer['forward']>['output'];
  },
): number {
  let output = x;
  const backwards = layers.map((layer) => {
    const pass = layer.forward(output, { training: true });
    output = pass.output;
    return pass.backward!;
  });
  const result = loss(output as ReturnType<Layer['forward']>['output']);
  backwards.reduceRight((gradient, backward) => backward(gradient).input, result.gradient);
  return result.loss;
}

/** Learns sin(2a)·b from 16 random points (a, b) in each step; returns the loss of each step. */
function regress(steps: number, seed: number): number[] {
  const random = new Random(3);
  const layers = [
    new attention.Linear({ inFeatures: 2, outFeatures: 16, seed }),
    new attention.LayerNorm({ normalizedShape: 16 }),
    new attention.FeedForward({ numHiddens: 16, ffnHiddens: 32, activation: 'gelu', seed: seed + 1 }),
    new attention.Linear({ inFeatures: 16, outFeatures: 1, seed: seed + 2 }),
  ];
  const parameters = layers.flatMap((layer) => layer.parameters());
  const adam = new attention.Adam(parameters, { lr: 1e-2, maxGradNorm: 1 });
  const losses = Array.from({ length: steps }, () => {
    const x = random.tensor([16, 2], 0.5);
    adam.zeroGrad();
    const loss = step(layers, x, ({ data, shape }) => {
      const errors = data.map((y, i) => y - Math.sin(2 * x.data[2 * i]!) * x.data[2 * i + 1]!);
      return {
        loss: errors.reduce((sum, e) => sum + e * e, 0) / 16,
        gradient: { data: errors.map((e) => e / 8), shape },
      };
    });
    adam.step();
    return loss;
  });
  adam.dispose();
  for (const layer of layers) layer.dispose();
  return losses;
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

describe('training', () => {
  test('learns a function in 2000 steps without growing the heap', () => {
    regress(20, 1);
    const bytes = heapBytes();
    const losses = regress(2000, 1);
    expect(heapBytes()).toBe(bytes);
    expect(mean(losses.slice(-100))).toBeLessThan(mean(losses.slice(0, 100)) / 10);
  });

  test('has the same loss curve for the same seed, to the bit', () => {
    expect(regress(100, 7)).toEqual(regress(100, 7));
    expect(regress(10, 7)).not.toEqual(regress(10, 8));
  });

  test('learns a permutation with the cross entropy', () => {
    const embedding = new attention.Embedding({ numEmbeddings: 10, dim: 8, seed: 1 });
    const head = new attention.Linear({ inFeatures: 8, outFeatures: 10, seed: 2 });
    const adam = new attention.Adam([...embedding.parameters(), ...head.parameters()], { lr: 0.05 });
    const ids = Array.from({ length: 10 }, (_, id) => id);
    const targets = ids.map((id) => (id * 7 + 3) % 10);
    let last = Infinity;
    for (let i = 0; i < 100; ++i) {
      adam.zeroGrad();
      last = step([embedding, head], ids, (logits) => {
        const { loss, gradLogits } = softmaxCrossEntropy(logits, targets);
        return { loss, gradient: gradLogits };
      });
      adam.step();
    }
    expect(last).toBeLessThan(0.01);
    const { data } = head.forward(embedding.forward(ids).output).output;
    const learned = ids.map((id) => {
      const row = Array.from(data.slice(10 * id, 10 * id + 10));
      return row.indexOf(Math.max(...row));
    });
    expect(learned).toEqual(targets);
  });
});
