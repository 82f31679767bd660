import { describe, expect, test } from '@jest/globals';
import { ACTIVATIONS, feedForward, feedForwardBackward, type ActivationName } from '../reference/feedForward.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { dot, expectGradient } from '../support/differences.js';
import { loadFixtures } from '../support/fixtures.js';
import { expectLayerFixture } from '../support/layerFixture.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';
import { BLOCK_SIZES, SIZES } from '../support/sizes.js';

const NAMES: readonly ActivationName[] = ['relu', 'gelu', 'gelu-tanh', 'silu', 'quick-gelu'];
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
    expectLayerFixture(layer, fixture);
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

describe('FeedForward', () => {
  test("has relu by default, and PyTorch's initial values", () => {
    const x = new Random(2).tensor([3, 6]);
    expect(make().forward(x).output).toEqual(make({ activation: 'relu' }).forward(x).output);
    const state = make({ numHiddens: 25, ffnHiddens: 100 }).stateDict();
    expect(Object.keys(state)).toEqual(['dense1.weight', 'dense1.bias', 'dense2.weight', 'dense2.bias']);
    for (const [name, bound] of [
      ['dense1', 0.2],
      ['dense2', 0.1],
    ] as const) {
      for (const part of ['weight', 'bias']) {
        const most = maxAbs(state[`${name}.${part}`]!.data);
        expect(most).toBeLessThanOrEqual(Math.fround(bound));
        expect(most).toBeGreaterThan(0.8 * bound);
      }
    }
  });

  test('has no bias with bias: false, so that zeros give zeros', () => {
    const [layer, zero] = [make({ bias: false }), { data: new Float32Array(12), shape: [2, 6] }];
    expect(Object.keys(layer.stateDict())).toEqual(['dense1.weight', 'dense2.weight']);
    expect(layer.forward(zero).output).toEqual(zero);
    const { input } = layer.forward(zero, { training: true }).backward!(zero);
    expect(input).toEqual(zero);
  });

  const construct = (options: unknown) => () => new attention.FeedForward(options as never);
  const rows: Rejection[] = [
    ['no options', 'TypeError', construct(undefined)],
    ['no ffnHiddens', 'TypeError', construct({ numHiddens: 6 })],
    ['numHiddens 0', 'RangeError', construct({ numHiddens: 0, ffnHiddens: 5 })],
    ['a bias that is not a boolean', 'TypeError', construct({ numHiddens: 6, ffnHiddens: 5, bias: 1 })],
    ['an unknown activation', 'RangeError', construct({ numHiddens: 6, ffnHiddens: 5, activation: 'swish' })],
    ['an activation that is not a string', 'TypeError', construct({ numHiddens: 6, ffnHiddens: 5, activation: 1 })],
    ['x of another width', 'RangeError', () => make().forward(new Random(4).tensor([2, 5]))],
  ];
  testRejections('FeedForward', rows, () => expect(make().forward([1, 2, 3, 4, 5, 6]).output.shape).toEqual([6]));
});
