/** Layers with one input: made, used, differentiated and disposed. */
import { feedForward, feedForwardBackward, type ActivationName } from '../reference/feedForward.js';
import { gatedFeedForward, gatedFeedForwardBackward } from '../reference/gatedFeedForward.js';
import { layerNorm, layerNormBackward } from '../reference/layerNorm.js';
import { linear, linearBackward } from '../reference/linear.js';
import { rmsNorm, rmsNormBackward } from '../reference/rmsNorm.js';
import { sinusoidalEncoding } from '../reference/sinusoidalEncoding.js';
import { sizeOf } from '../reference/tensor.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import type { Case } from './cases.js';
import type { Draw } from './draw.js';
import { flat, shaped, TRAINING, withOneInput, type LayerRun } from './layerRun.js';
import { attention } from './watched.js';

/** A shape of two or three axes, of which the last has this width. */
const rowsOf = (draw: Draw, width: number) =>
  draw.chance(0.5) ? [draw.axis(), width] : [draw.integer(1, 3), draw.axis(), width];

function table(draw: Draw, name: 'PositionalEncoding' | 'LearnedPositionalEncoding'): Case {
  const numHiddens = draw.axis();
  const shape = [draw.integer(1, 3), draw.axis(), numHiddens];
  const x = draw.numbers(shape);
  const gradOutput = draw.numbers(shape);
  const offset = draw.maybe(() => draw.integer(0, 5));
  const maxLen = draw.most + 5;
  return {
    args: [
      { numHiddens, maxLen, seed: 3 },
      draw.form(x),
      { ...TRAINING, ...(offset && { offset }) },
      draw.form(gradOutput),
    ],
    names: ['sinusoidalEncoding'],
    call: withOneInput<{ numHiddens: number; maxLen: number; seed: number }>(attention[name]),
    check({ state, output, gradients }: LayerRun) {
      const rows =
        name === 'PositionalEncoding' ? sinusoidalEncoding({ length: maxLen, dim: numHiddens }) : state.weight!;
      const [, n] = shape as [number, number];
      const sum = Float64Array.from(x.data, (value, i) => {
        const row = (Math.floor(i / numHiddens) % n) + (offset ?? 0);
        return value + rows.data[row * numHiddens + (i % numHiddens)]!;
      });
      // The table and the sum are each rounded once; the table's angle is off by 1e-8.
      expectClose(output, { data: sum, shape }, { atol: 2 * EPS * (1 + maxAbs(sum)) + 1e-8 });
      expectClose(gradients!.input, gradOutput, {});
    },
  };
}

export const layerCases = {
  PositionalEncoding: (draw: Draw): Case => table(draw, 'PositionalEncoding'),
  LearnedPositionalEncoding: (draw: Draw): Case => table(draw, 'LearnedPositionalEncoding'),

  Linear(draw: Draw): Case {
    const [inFeatures, outFeatures, bias] = [draw.axis(), draw.axis(), draw.chance(0.5)];
    const shape = rowsOf(draw, inFeatures);
    const x = draw.numbers(shape);
    const gradOutput = draw.numbers([...shape.slice(0, -1), outFeatures]);
    return {
      args: [{ inFeatures, outFeatures, bias, seed: 1 }, draw.form(x), TRAINING, draw.form(gradOutput)],
      call: withOneInput(attention.Linear),
      check({ state, output, gradients }: LayerRun) {
        const expected = linear(flat(x), state.weight!, state.bias);
        // Each term rounds the sum once more. Terms are products of two numbers of up to 5.
        const allowed = (terms: number) => ({ atol: (terms + 2) * EPS * 25 });
        expectClose(output, shaped(expected, gradOutput.shape), allowed(inFeatures));
        const back = linearBackward(flat(gradOutput), flat(x), state.weight!);
        expectClose(gradients!.input, shaped(back.x, shape), allowed(outFeatures));
        expectClose(gradients!.weight, back.weight, allowed(sizeOf(shape)));
        if (bias) expectClose(gradients!.bias, back.bias, allowed(sizeOf(shape)));
      },
    };
  },

  LayerNorm(draw: Draw): Case {
    const width = draw.axis() + 2;
    const shape = rowsOf(draw, width);
    const [x, gradOutput] = [draw.tensor(shape), draw.tensor(shape)];
    const options = {
      normalizedShape: draw.chance(0.5) ? width : [width],
      eps: 0.1,
      affine: draw.chance(0.5),
    };
    return {
      args: [options, draw.form(x), TRAINING, draw.form(gradOutput)],
      call: withOneInput(attention.LayerNorm),
      check({ state, output, gradients }: LayerRun) {
        // Some dozens of roundings of numbers of up to 5, divided by a deviation of at least sqrt(eps).
        const atol = (32 * EPS * 5) / Math.sqrt(options.eps);
        const expected = layerNorm(flat(x), options.eps, state.weight, state.bias);
        expectClose(output, shaped(expected, shape), { atol });
        const back = layerNormBackward(flat(gradOutput), flat(x), options.eps, state.weight);
        expectClose(gradients!.input, shaped(back.x, shape), { atol: (4 * atol) / Math.sqrt(options.eps) });
        for (const name of Object.keys(state) as ('weight' | 'bias')[]) {
          expectClose(gradients![name], back[name], { atol: 4 * atol * sizeOf(shape) });
        }
      },
    };
  },

  RMSNorm(draw: Draw): Case {
    const width = draw.axis();
    const shape = rowsOf(draw, width);
    const [x, gradOutput] = [draw.tensor(shape), draw.tensor(shape)];
    const options = { normalizedShape: draw.chance(0.5) ? width : [width], eps: 0.1 };
    return {
      args: [options, draw.form(x), TRAINING, draw.form(gradOutput)],
      call: withOneInput(attention.RMSNorm),
      check({ state, output, gradients }: LayerRun) {
        // As for LayerNorm.
        const atol = (32 * EPS * 5) / Math.sqrt(options.eps);
        expectClose(output, shaped(rmsNorm(flat(x), options.eps, state.weight!), shape), { atol });
        const back = rmsNormBackward(flat(gradOutput), flat(x), options.eps, state.weight!);
        expectClose(gradients!.input, shaped(back.x, shape), { atol: (4 * atol) / Math.sqrt(options.eps) });
        expectClose(gradients!.weight, back.weight, { atol: 4 * atol * sizeOf(shape) });
      },
    };
  },

  GatedFeedForward(draw: Draw): Case {
    const [numHiddens, ffnHiddens, bias] = [draw.axis(), draw.axis(), draw.chance(0.5)];
    const activation: ActivationName = draw.pick(['relu', 'gelu', 'gelu-tanh', 'silu', 'sigmoid', 'quick-gelu']);
    const shape = rowsOf(draw, numHiddens);
    const [x, gradOutput] = [draw.tensor(shape), draw.tensor(shape)];
    return {
      args: [{ numHiddens, ffnHiddens, activation, bias, seed: 1 }, draw.form(x), TRAINING, draw.form(gradOutput)],
      call: withOneInput(attention.GatedFeedForward),
      check({ state, output, gradients }: LayerRun) {
        // As in GatedFeedForward.test.ts.
        const terms = numHiddens + ffnHiddens + sizeOf(shape) / numHiddens + 8;
        const allowed = (data: ArrayLike<number>) => ({
          atol: 4 * Math.sqrt(numHiddens + 1) * terms * EPS * (8 + maxAbs(data)),
        });
        const expected = gatedFeedForward(flat(x), state, activation);
        expectClose(output, shaped(expected, shape), allowed(expected.data));
        if (activation === 'relu') return; // a unit near 0 may round to either side, with another slope
        const back = gatedFeedForwardBackward(flat(gradOutput), flat(x), state, activation);
        expectClose(gradients!.input, shaped(back.x!, shape), allowed(back.x!.data));
        for (const name of Object.keys(state)) {
          expectClose(gradients![name], back[name]!, allowed(back[name]!.data));
        }
      },
    };
  },

  Embedding(draw: Draw): Case {
    const [numEmbeddings, dim] = [draw.axis(), draw.axis()];
    const ids = draw.integers([draw.axisOrNone()], 0, numEmbeddings - 1);
    const gradOutput = draw.numbers([...ids.shape, dim]);
    return {
      args: [{ numEmbeddings, dim, seed: 1 }, ids, TRAINING, draw.form(gradOutput)],
      call: withOneInput(attention.Embedding),
      check({ state, output, gradients }: LayerRun) {
        const rows = Array.from(ids.data).flatMap((id) => [...state.weight!.data.slice(id * dim, (id + 1) * dim)]);
        expectClose(output, { data: rows, shape: gradOutput.shape }, {});
        const sums = new Float64Array(numEmbeddings * dim);
        gradOutput.data.forEach((g, i) => (sums[ids.data[Math.floor(i / dim)]! * dim + (i % dim)]! += g));
        // There are up to n additions for n ids, each of which rounds a sum of at most 5·n.
        const atol = EPS * 5 * ids.data.length ** 2;
        expectClose(gradients!.weight, { data: sums, shape: [numEmbeddings, dim] }, { atol });
      },
    };
  },

  FeedForward(draw: Draw): Case {
    const [numHiddens, ffnHiddens] = [draw.axis(), draw.axis()];
    const activation: ActivationName = draw.pick(['relu', 'gelu', 'gelu-tanh', 'silu', 'sigmoid', 'quick-gelu']);
    const shape = rowsOf(draw, numHiddens);
    const [x, gradOutput] = [draw.tensor(shape), draw.tensor(shape)];
    return {
      args: [{ numHiddens, ffnHiddens, activation, seed: 1 }, draw.form(x), TRAINING, draw.form(gradOutput)],
      call: withOneInput(attention.FeedForward),
      check({ state, output, gradients }: LayerRun) {
        const named = {
          weight1: state['dense1.weight']!,
          bias1: state['dense1.bias']!,
          weight2: state['dense2.weight']!,
          bias2: state['dense2.bias']!,
        };
        // As in FeedForward.test.ts: two sums of products, one after the other.
        const allowed = (data: ArrayLike<number>) => ({
          atol: (numHiddens + ffnHiddens + sizeOf(shape) / numHiddens + 8) * EPS * (8 + maxAbs(data)),
        });
        const expected = feedForward(flat(x), named, activation);
        expectClose(output, shaped(expected, shape), allowed(expected.data));
        if (activation === 'relu') return; // a unit near 0 may round to either side, with another slope
        const back = feedForwardBackward(flat(gradOutput), flat(x), named, activation);
        expectClose(gradients!.input, shaped(back.x, shape), allowed(back.x.data));
        expectClose(gradients!['dense1.weight'], back.weight1, allowed(back.weight1.data));
        expectClose(gradients!['dense2.weight'], back.weight2, allowed(back.weight2.data));
      },
    };
  },
};
