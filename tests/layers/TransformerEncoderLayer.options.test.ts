/** Options of attention in TransformerEncoderLayer, with their gradients. */
import { describe, expect, test } from '@jest/globals';
import type { TransformerEncoderLayerOptions } from 'wasm-attention';
import { EPS, expectClose, type Numbers } from '../support/close.js';
import { dot } from '../support/differences.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';

const random = new Random(1);
const [x, g] = [random.tensor([2, 5, 12]), random.tensor([2, 5, 12])];
const make = (options: Partial<TransformerEncoderLayerOptions> = {}) =>
  new attention.TransformerEncoderLayer({ numHiddens: 12, numHeads: 3, ffnHiddens: 20, seed: 3, ...options });

describe('TransformerEncoderLayer with options of attention', () => {
  test('has a gradient of the sinks that agrees with differences', () => {
    const layer = make();
    const sinks = Float32Array.of(0.5, -1, 2);
    const { sinks: found, input } = layer.forward(x, { sinks, training: true }).backward!(g);
    expect(input.shape).toEqual(x.shape);
    expect(found!.shape).toEqual([3]);
    for (const h of [0, 1, 2]) {
      const loss = (by: number) => {
        const moved = sinks.map((sink, i) => (i === h ? sink + by : sink));
        return dot(layer.forward(x, { sinks: moved }).output.data, g.data);
      };
      const slope = (loss(0.03) - loss(-0.03)) / 0.06;
      // Off by third derivatives, below 0.1, times step² = 1e-3, and by roundings (1e-7) of 120 outputs over 6e-2.
      expect(Math.abs(slope - found!.data[h]!)).toBeLessThan(5e-4);
      expect(Math.abs(slope)).toBeGreaterThan(5e-3);
    }
  });

  test.each(['pre', 'post'] as const)(
    'gives packed sequences the outputs and gradients that each has alone, %s-norm',
    (norm) => {
      const cu = [0, 3, 3, 10];
      const joint = random.tensor([1, 10, 12]);
      const grad = random.tensor([1, 10, 12]);
      const rows = (tensor: Numbers, n: number) => ({
        data: Float32Array.from(tensor.data).slice(12 * cu[n]!, 12 * cu[n + 1]!),
        shape: [1, cu[n + 1]! - cu[n]!, 12],
      });
      const [packed, apart] = [make({ norm, rotary: {} }), make({ norm, rotary: {} })];
      const options = { training: true, isCausal: true };
      const pass = packed.forward(joint, { ...options, cuSeqlens: cu });
      const { input } = pass.backward!(grad);
      for (const n of [0, 1, 2]) {
        const alone = apart.forward(rows(joint, n), options);
        // The same sums in blocks with other boundaries.
        expectClose(rows(pass.output, n), alone.output, { atol: 64 * EPS });
        expectClose(rows(input, n), alone.backward!(rows(grad, n)).input, { atol: 512 * EPS });
      }
      packed.parameters().forEach(({ grad }, i) => {
        const other = apart.parameters()[i]!;
        expectClose({ data: grad, shape: other.shape }, { data: other.grad, shape: other.shape }, { atol: 512 * EPS });
      });
    },
  );
});
