import { describe, expect, test } from '@jest/globals';
import { linear, linearBackward } from '../reference/linear.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { dot, expectGradient } from '../support/differences.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';
import { BLOCK_SIZES, SIZES } from '../support/sizes.js';

const make = (options: object = {}) => new attention.Linear({ inFeatures: 6, outFeatures: 5, seed: 1, ...options });

/** Compares both passes with float64. */
function check(rows: number, inputs: number, outputs: number, bias: boolean): void {
  const random = new Random(rows + 100 * inputs + 10000 * outputs);
  const layer = make({ inFeatures: inputs, outFeatures: outputs, bias });
  const weight = random.tensor([outputs, inputs]);
  const added = bias ? random.tensor([outputs]) : undefined;
  layer.loadStateDict(added ? { weight, bias: added } : { weight });
  const [x, G] = [random.tensor([rows, inputs]), random.tensor([rows, outputs])];
  const { output, backward } = layer.forward(x, { training: true });
  // A sum of n products is rounded n times, by up to EPS/2 of the sum so far; 16·EPS each allows for sums of up to 32
  // on the way. The bias and the result are two more roundings.
  const tolerance = (terms: number) => ({ atol: (terms + 2) * EPS * 16 });
  expectClose(output, linear(x, weight, added), tolerance(inputs));
  const expected = linearBackward(G, x, weight);
  expectClose(backward!(G).input, expected.x, tolerance(outputs));
  for (const { name, grad, shape } of layer.parameters()) {
    expectClose({ data: grad, shape }, expected[name as 'weight' | 'bias'], tolerance(rows));
  }
  layer.dispose();
}

describe('Linear', () => {
  test('has an oracle whose gradients agree with differences', () => {
    const random = new Random(1);
    const [x, weight, bias] = [random.tensor([3, 4]), random.tensor([2, 4]), random.tensor([2])];
    const G = random.tensor([3, 2]);
    const gradients = linearBackward(G, x, weight);
    expectGradient(gradients.x, x, (at) => dot(linear(at, weight, bias).data, G.data));
    expectGradient(gradients.weight, weight, (at) => dot(linear(x, at, bias).data, G.data));
    expectGradient(gradients.bias, bias, (at) => dot(linear(x, weight, at).data, G.data));
  });

  test.each(SIZES)('agrees with float64 if an axis has %i elements', (size) => {
    check(size, 5, 3, true);
    check(3, size, 6, false);
    check(6, 3, size, true);
    check(size, size, size, true);
  });

  test.each(BLOCK_SIZES)('agrees with float64 for %i rows, inputs or outputs', (size) => {
    check(size, 7, 9, true);
    check(5, size, 9, true);
    check(2, 9, size, false);
  });

  test('accepts any number of leading axes', () => {
    const layer = make();
    const x = new Random(2).tensor([2, 3, 4, 6]);
    const flat = layer.forward({ data: x.data, shape: [24, 6] }).output;
    expect(layer.forward(x).output).toEqual({ data: flat.data, shape: [2, 3, 4, 5] });
    const one = layer.forward(x.data.slice(0, 6) as never).output;
    expect(one.shape).toEqual([5]);
    // A product with one row is computed in another order.
    expectClose(one, { data: flat.data.slice(0, 5), shape: [5] }, { atol: 16 * EPS });
    const none = layer.forward({ data: new Float32Array(0), shape: [0, 6] }, { training: true });
    expect(none.output).toEqual({ data: new Float32Array(0), shape: [0, 5] });
    expect(none.backward!(none.output).input).toEqual({ data: new Float32Array(0), shape: [0, 6] });
  });

  test('starts with weights and biases that are uniform within 1/sqrt(inFeatures)', () => {
    const { weight, bias } = make({ inFeatures: 100, outFeatures: 100 }).stateDict();
    expect([weight!.shape, bias!.shape]).toEqual([[100, 100], [100]]);
    for (const { data } of [weight!, bias!]) {
      expect(maxAbs(data)).toBeLessThanOrEqual(0.1);
      expect(maxAbs(data)).toBeGreaterThan(0.09);
    }
    // The mean square of uniform numbers is bound²/3. The standard deviation of one square is 2/√5 of that, and of the
    // mean of 10^4 squares a hundredth of this; five of these deviations are allowed.
    const meanSquare = dot(weight!.data, weight!.data) / 1e4;
    expect(Math.abs(meanSquare / (0.01 / 3) - 1)).toBeLessThan(5 * (2 / Math.sqrt(5) / 100));
  });

  test('has no bias with bias: false', () => {
    expect(Object.keys(make({ bias: false }).stateDict())).toEqual(['weight']);
  });

  const construct = (options: unknown) => () => new attention.Linear(options as never);
  const forward = (x: unknown) => () => make().forward(x as never);
  const rows: Rejection[] = [
    ['no options', 'TypeError', construct(undefined)],
    ['null', 'TypeError', construct(null)],
    ['no outFeatures', 'TypeError', construct({ inFeatures: 6 })],
    ['inFeatures 0', 'RangeError', construct({ inFeatures: 0, outFeatures: 5 })],
    ['outFeatures 1.5', 'RangeError', construct({ inFeatures: 6, outFeatures: 1.5 })],
    ['bias 1', 'TypeError', construct({ inFeatures: 6, outFeatures: 5, bias: 1 })],
    ['seed -1', 'RangeError', construct({ inFeatures: 6, outFeatures: 5, seed: -1 })],
    ['more weights than fit into memory', 'RangeError', construct({ inFeatures: 2 ** 20, outFeatures: 2 ** 20 })],
    ['x of another width', 'RangeError', forward(new Random(4).tensor([2, 5]))],
    ['a scalar', 'RangeError', forward({ data: [1], shape: [] })],
  ];
  testRejections('Linear', rows, () =>
    expect(make().forward(new Random(3).tensor([2, 6])).output.shape).toEqual([2, 5]),
  );
});
