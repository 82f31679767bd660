/** The optimizer: made, used for some steps, and disposed. */
import { AdamReference } from '../reference/adam.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import type { Case } from './cases.js';
import type { Draw } from './draw.js';
import { TRAINING } from './layerRun.js';
import { attention } from './watched.js';

export const optimizerCases = {
  Adam(draw: Draw): Case {
    const given = {
      lr: 10 ** -draw.integer(1, 4),
      betas: draw.pick([
        [0.9, 0.999],
        [0.5, 0.9],
        [0, 0],
      ] as const),
      eps: draw.pick([1e-8, 1e-3]),
      weightDecay: draw.pick([0, 0.1]),
      maxGradNorm: draw.pick([0.5, 1e6]),
    };
    const [ins, outs, steps] = [draw.axis(), draw.axis(), draw.integer(1, 3)];
    const [x, g] = [draw.tensor([2, ins]), draw.tensor([2, outs])];
    return {
      args: [given],
      call: (options: typeof given) => {
        const layer = new attention.Linear({ inFeatures: ins, outFeatures: outs, seed: 1 });
        try {
          const before = layer.parameters().map(({ data }) => data);
          const adam = new attention.Adam(layer.parameters(), options);
          try {
            layer.forward(x, TRAINING).backward!(g);
            const gradients = layer.parameters().map(({ grad }) => grad);
            for (let step = 0; step < steps; ++step) adam.step();
            return { before, gradients, after: layer.parameters().map(({ data }) => data) };
          } finally {
            adam.dispose();
          }
        } finally {
          layer.dispose();
        }
      },
      check({ before, gradients, after }: Record<'before' | 'gradients' | 'after', Float32Array[]>) {
        const expected = before.map((data) => Float64Array.from(data));
        const reference = new AdamReference(
          expected.map(({ length }) => length),
          given,
        );
        const squares = gradients.flatMap((gradient) => Array.from(gradient, (g) => g * g));
        const clip = Math.min(1, given.maxGradNorm / Math.sqrt(squares.reduce((sum, g) => sum + g, 0)));
        // Where a gradient and its weight decay nearly cancel, their sum has few digits left, and a step no more.
        const uncertain = before.map((data) => new Float64Array(data.length));
        for (let step = 0; step < steps; ++step) {
          expected.forEach((data, p) =>
            data.forEach((parameter, i) => {
              const [g, decay] = [clip * gradients[p]![i]!, given.weightDecay * parameter];
              const off = EPS * (Math.abs(g) + Math.abs(decay)) + given.weightDecay * given.lr * uncertain[p]![i]!;
              if (decay !== 0) uncertain[p]![i]! += Math.min(2, (16 * off) / Math.abs(g + decay));
            }),
          );
          reference.step(expected, gradients);
        }
        after.forEach((data, p) => {
          // A step rounds the parameter once and moves it by lr times a ratio of about 1, which is off by a few EPS.
          const exact = steps * EPS * (maxAbs(expected[p]!) + 16 * given.lr);
          data.forEach((actual, i) => {
            const atol = exact + steps * given.lr * uncertain[p]![i]!;
            expectClose({ data: [actual], shape: [1] }, { data: [expected[p]![i]!], shape: [1] }, { atol });
          });
        });
      },
    };
  },
};
