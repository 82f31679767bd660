import { describe, expect, test } from '@jest/globals';
import { AdamReference, type AdamReferenceOptions } from '../reference/adam.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { attention, expectNoGrowth } from '../support/library.js';
import { Random } from '../support/random.js';
import { expectRejected } from '../support/rejections.js';

const makeLayer = (outFeatures = 5) => new attention.Linear({ inFeatures: 6, outFeatures, seed: 1 });

/** Adds random gradients to the layer's parameters. */
function addGradients(layer: ReturnType<typeof makeLayer>, seed: number, scale = 1): void {
  const x = new Random(seed).tensor([3, 6]);
  const { output, backward } = layer.forward(x, { training: true });
  backward!(new Random(seed + 1).tensor(output.shape, scale));
}

const dataOf = (layer: ReturnType<typeof makeLayer>) => layer.parameters().map(({ data }) => data);

/** Takes steps, and the same steps in float64 with the same gradients, and compares the parameters. */
function expectAgreement(options: Partial<AdamReferenceOptions>, steps: number, scale = 1): void {
  const layer = makeLayer();
  const reference = dataOf(layer).map((data) => Float64Array.from(data));
  const all = {
    lr: 1e-2,
    betas: [0.9, 0.999] as const,
    eps: 1e-8,
    weightDecay: 0,
    maxGradNorm: Infinity,
    ...options,
  };
  const expected = new AdamReference(
    reference.map(({ length }) => length),
    all,
  );
  const adam = new attention.Adam(layer.parameters(), { lr: 1e-2, ...options });
  for (let step = 0; step < steps; ++step) {
    adam.zeroGrad();
    addGradients(layer, step, scale);
    const gradients = layer.parameters().map(({ grad }) => grad);
    adam.step();
    expected.step(reference, gradients);
  }
  layer.parameters().forEach(({ data, shape }, p) => {
    // A step moves a parameter by lr times a ratio of about 1, which is off by a few EPS, and rounds the parameter
    // once.
    const atol = steps * EPS * (0.5 * maxAbs(reference[p]!) + 16 * all.lr);
    expectClose({ data, shape }, { data: reference[p]!, shape }, { atol });
  });
}

describe('Adam', () => {
  test.each<[string, Partial<AdamReferenceOptions>]>([
    ['the defaults', {}],
    ['another learning rate and other betas', { lr: 0.1, betas: [0.5, 0.9] }],
    ['betas of 0', { betas: [0, 0] }],
    ['a large eps', { eps: 0.1 }],
    ['weight decay', { weightDecay: 0.1 }],
    ['clipping', { maxGradNorm: 0.5 }],
    ['a clipping norm that is never exceeded', { maxGradNorm: 1e6 }],
    ['all options', { lr: 3e-3, betas: [0.8, 0.99], eps: 1e-4, weightDecay: 0.01, maxGradNorm: 1 }],
  ])('agrees with float64 over 300 steps with %s', (_what, options) => expectAgreement(options, 300));

  test('takes gradients of any size', () => {
    expectAgreement({ maxGradNorm: 1 }, 20, 1e-12);
    expectAgreement({ maxGradNorm: 1 }, 20, 1e18); // the square is beyond float32
  });

  test('moves each parameter by lr against the sign of its gradient in the first step', () => {
    const layer = makeLayer();
    const before = dataOf(layer);
    addGradients(layer, 1);
    new attention.Adam(layer.parameters(), { lr: 0.25 }).step();
    layer
      .parameters()
      .forEach(({ data, grad }, p) =>
        data.forEach((value, i) =>
          expect(Math.abs(value - before[p]![i]! + 0.25 * Math.sign(grad[i]!))).toBeLessThan(8 * EPS),
        ),
      );
  });

  test('clips by the norm of all gradients, and changes the gradients', () => {
    const [a, b] = [makeLayer(), makeLayer(2)];
    addGradients(a, 1);
    addGradients(b, 2);
    const parameters = [...a.parameters(), ...b.parameters()];
    const norm = () => Math.hypot(...parameters.flatMap(({ grad }) => Array.from(grad)));
    const before = parameters.map(({ grad }) => grad);
    const factor = 2 / norm();
    expect(factor).toBeLessThan(1);
    new attention.Adam(parameters, { maxGradNorm: 2 }).step();
    expect(Math.abs(norm() - 2)).toBeLessThan(1e-5);
    parameters.forEach(({ grad, shape }, p) =>
      expectClose({ data: grad, shape }, { data: before[p]!.map((g) => g * factor), shape }, { rtol: 1e-5 }),
    );
  });

  test('uses the learning rate that was set last', () => {
    const layer = makeLayer();
    const adam = new attention.Adam(layer.parameters());
    expect(adam.lr).toBe(1e-3);
    addGradients(layer, 1);
    adam.lr = 0;
    const before = dataOf(layer);
    adam.step();
    expect(dataOf(layer)).toEqual(before);
    adam.lr = 0.5;
    adam.step();
    expect(maxAbs(dataOf(layer)[0]!.map((value, i) => value - before[0]![i]!))).toBeGreaterThan(0.1);
    for (const bad of [-1, NaN, Infinity]) {
      expectRejected('Adam', 'RangeError', () => (adam.lr = bad));
    }
    expectRejected('Adam', 'TypeError', () => (adam.lr = '1' as never));
    expect(adam.lr).toBe(0.5);
  });

  test('does not change a parameter without a gradient, and counts steps for each parameter', () => {
    const [late, fresh] = [makeLayer(), makeLayer()];
    const adam = new attention.Adam(late.parameters(), { weightDecay: 0.5 });
    const before = dataOf(late);
    adam.step();
    expect(dataOf(late)).toEqual(before);
    addGradients(late, 1);
    addGradients(fresh, 1);
    adam.step();
    new attention.Adam(fresh.parameters(), { weightDecay: 0.5 }).step();
    expect(dataOf(late)).toEqual(dataOf(fresh));
  });

  test('moves a parameter whose gradient is zero by its averages', () => {
    const layer = makeLayer();
    const adam = new attention.Adam(layer.parameters());
    addGradients(layer, 1);
    adam.step();
    adam.zeroGrad();
    expect(layer.parameters().every(({ grad }) => maxAbs(grad) === 0)).toBe(true);
    const before = dataOf(layer);
    adam.step();
    expect(dataOf(layer)).not.toEqual(before);
  });

  test('changes the result of the next forward pass', () => {
    const layer = makeLayer();
    const x = new Random(3).tensor([2, 6]);
    const before = layer.forward(x).output;
    addGradients(layer, 1);
    new attention.Adam(layer.parameters(), { lr: 0.1 }).step();
    const copy = makeLayer();
    copy.loadStateDict(layer.stateDict());
    expect(layer.forward(x).output).toEqual(copy.forward(x).output);
    expect(layer.forward(x).output).not.toEqual(before);
  });

  test('changes nothing if one of its layers was disposed', () => {
    const [kept, gone] = [makeLayer(), makeLayer()];
    addGradients(kept, 1);
    const adam = new attention.Adam([...kept.parameters(), ...gone.parameters()]);
    gone.dispose();
    const before = dataOf(kept);
    expectRejected('Adam', 'TypeError', () => adam.step());
    expectRejected('Adam', 'TypeError', () => adam.zeroGrad());
    expect(dataOf(kept)).toEqual(before);
  });

  test('throws when used after dispose, and frees its memory', () => {
    const layer = new attention.Linear({ inFeatures: 300, outFeatures: 300 });
    layer.forward(new Float32Array(300) as never, { training: true }).backward!(new Float32Array(300) as never);
    const use = () => {
      const adam = new attention.Adam(layer.parameters());
      adam.step();
      adam.dispose();
      adam[Symbol.dispose]();
      expectRejected('Adam', 'TypeError', () => adam.step());
      expectRejected('Adam', 'TypeError', () => adam.zeroGrad());
    };
    expectNoGrowth(20, use);
  });
});
