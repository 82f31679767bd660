import { describe, expect, test } from '@jest/globals';
import { ACTIVATIONS, feedForward, feedForwardBackward, type ActivationName } from '../reference/feedForward.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { dot, expectGradient } from '../support/differences.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { BLOCK_SIZES, SIZES } from '../support/sizes.js';

const NAMES: readonly ActivationName[] = ['relu', 'gelu', 'gelu-tanh', 'silu'];
const KEYS = {
  weight1: 'dense1.weight',
  bias1: 'dense1.bias',
  weight2: 'dense2.weight',
  bias2: 'dense2.bias',
};

const make = (options: object = {}) =>
  new attention.FeedForward({ numHiddens: 6, ffnHiddens: 11, seed: 1, ...options });

/** A layer that computes only the activation. */
function pointwise(activation: ActivationName) {
  const layer = make({ numHiddens: 1, ffnHiddens: 1, activation });
  layer.loadStateDict({
    'dense1.weight': [[1]],
    'dense1.bias': [0],
    'dense2.weight': [[1]],
    'dense2.bias': [0],
  });
  return layer;
}

describe('FeedForward agrees with PyTorch', () => {
  test.each(loadFixtures('layers', /^ffn/))('on $name', (fixture) => {
    const [ffnHiddens, numHiddens] = fixture.input('dense1.weight').shape;
    const layer = make({ numHiddens, ffnHiddens, activation: fixture.attributes.activation });
    layer.loadStateDict(Object.fromEntries(Object.values(KEYS).map((key) => [key, fixture.input(key)])));
    const { output, backward } = layer.forward(fixture.input('x'), { training: true });
    expectFixture(output, fixture.output('output'));
    const { input } = backward!(fixture.input('G'));
    expectFixture(input, fixture.output('grad:x'));
    for (const { name, grad, shape } of layer.parameters()) {
      const expected = fixture.output(`grad:${name}`);
      expectFixture({ data: grad, shape }, expected);
    }
  });

  test.each(loadFixtures('layers', /^gelu/))('on $name', (fixture) => {
    const column = ({ data }: { data: ArrayLike<number> }) => ({ data, shape: [data.length, 1] });
    const { output, backward } = pointwise('gelu').forward(column(fixture.input('x')), { training: true });
    const [y, gradient] = [fixture.output('output'), fixture.output('grad:x')];
    expectClose(output, column(y), y);
    expectClose(backward!(column(fixture.input('G'))).input, column(gradient), gradient);
  });
});

describe.each(NAMES)('FeedForward with %s', (activation) => {
  /** Compares both passes with float64. */
  function check(rows: number, width: number, hidden: number): void {
    const random = new Random(rows + 100 * width + 10000 * hidden);
    const layer = make({ numHiddens: width, ffnHiddens: hidden, activation });
    const state = {
      weight1: random.tensor([hidden, width]),
      bias1: random.tensor([hidden]),
      weight2: random.tensor([width, hidden]),
      bias2: random.tensor([width]),
    };
    layer.loadStateDict(
      Object.fromEntries(Object.entries(KEYS).map(([key, name]) => [name, state[key as keyof typeof state]])),
    );
    const [x, G] = [random.tensor([rows, width]), random.tensor([rows, width])];
    const { output, backward } = layer.forward(x, { training: true });
    const expected = feedForwardBackward(G, x, state, activation);
    // Two sums of products, one after the other. Gradients also contain slopes of up to 1.13, which are off by a few
    // EPS.
    const tolerance = (data: ArrayLike<number>) => ({
      atol: (width + hidden + rows + 8) * EPS * (8 + maxAbs(data)),
    });
    const y = feedForward(x, state, activation);
    expectClose(output, y, tolerance(y.data));
    expectClose(backward!(G).input, expected.x, tolerance(expected.x.data));
    for (const [key, name] of Object.entries(KEYS)) {
      const { grad, shape } = layer.parameters().find((parameter) => parameter.name === name)!;
      const gradient = expected[key as keyof typeof state];
      expectClose({ data: grad, shape }, gradient, tolerance(gradient.data));
    }
    layer.dispose();
  }

  test('has an oracle whose gradients agree with differences', () => {
    const random = new Random(1);
    const state = {
      weight1: random.tensor([5, 3]),
      bias1: random.tensor([5]),
      weight2: random.tensor([3, 5]),
      bias2: random.tensor([3]),
    };
    const [x, G] = [random.tensor([2, 3]), random.tensor([2, 3])];
    const gradients = feedForwardBackward(G, x, state, activation);
    expectGradient(gradients.x, x, (at) => dot(feedForward(at, state, activation).data, G.data));
    for (const key of Object.keys(state) as (keyof typeof state)[]) {
      expectGradient(gradients[key], state[key], (at) =>
        dot(feedForward(x, { ...state, [key]: at }, activation).data, G.data),
      );
    }
  });

  test.each(SIZES)('agrees with float64 if an axis has %i elements', (size) => {
    check(size, 5, 3);
    check(3, size, 6);
    check(6, 3, size);
  });

  test.each([127, 128, 129, ...BLOCK_SIZES])('agrees with float64 for %i rows', (rows) => check(rows, 5, 3));

  test.each(BLOCK_SIZES)('agrees with float64 for products of depth %i', (depth) => {
    check(3, depth, 5);
    check(3, 5, depth);
  });

  test('is within 1e-6 of the function and of its slope from -20 to 20', () => {
    const data = Float32Array.from({ length: 4001 }, (_, i) => (i - 2000) / 100);
    const x = { data, shape: [4001, 1] };
    const { output, backward } = pointwise(activation).forward(x, { training: true });
    const slopes = backward!({ data: new Float32Array(4001).fill(1), shape: [4001, 1] }).input;
    const [f, slope] = ACTIVATIONS[activation];
    // Above 1 the spacing of float32 is larger: rtol.
    expectClose(output, { data: Float64Array.from(data, f), shape: x.shape }, { atol: 5e-7, rtol: EPS });
    expectClose(slopes, { data: Float64Array.from(data, slope), shape: x.shape }, { atol: 1e-6 });
  });

  test('does not overflow for huge x', () => {
    const x = [[1e30], [-1e30], [3e38], [-3e38], [0]];
    const { output, backward } = pointwise(activation).forward(x, { training: true });
    expect(Array.from(output.data, Math.abs)).toEqual(Array.from(Float32Array.of(1e30, 0, 3e38, 0, 0)));
    const slopes = backward!([[1], [1], [1], [1], [1]]).input.data;
    expect(Array.from(slopes.slice(0, 4), (s) => s + 0)).toEqual([1, 0, 1, 0]);
    expect(Math.abs(slopes[4]! - (activation === 'relu' ? 0 : 0.5))).toBeLessThan(EPS);
  });

  test('returns NaN in the row of a NaN, and nowhere else', () => {
    const layer = make({ activation });
    const { data } = layer.forward({
      data: Float32Array.from({ length: 12 }, (_, i) => (i ? 1 : NaN)),
      shape: [2, 6],
    }).output;
    expect(Array.from(data, Number.isNaN)).toEqual(Array.from({ length: 12 }, (_, i) => i < 6));
  });
});
