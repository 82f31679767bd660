import { describe, expect, test } from '@jest/globals';
import type { Tensor } from 'wasm-attention';
import { ACTIVATIONS, type ActivationName } from '../reference/feedForward.js';
import { gatedFeedForward, gatedFeedForwardBackward } from '../reference/gatedFeedForward.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { dot, expectGradient } from '../support/differences.js';
import { loadFixtures } from '../support/fixtures.js';
import { expectLayerFixture } from '../support/layerFixture.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';
import { BLOCK_SIZES, SIZES } from '../support/sizes.js';

const NAMES = Object.keys(ACTIVATIONS) as ActivationName[];

const make = (options: object = {}) =>
  new attention.GatedFeedForward({ numHiddens: 6, ffnHiddens: 11, seed: 1, ...options });

function stateOf(random: Random, width: number, hidden: number, bias: boolean): Record<string, Tensor> {
  const state: Record<string, Tensor> = {};
  for (const [name, outputs, inputs] of [
    ['gate_proj', hidden, width],
    ['up_proj', hidden, width],
    ['down_proj', width, hidden],
  ] as const) {
    state[`${name}.weight`] = random.tensor([outputs, inputs]);
    if (bias) state[`${name}.bias`] = random.tensor([outputs]);
  }
  return state;
}

describe('GatedFeedForward agrees with PyTorch', () => {
  test.each(loadFixtures('modern', /^gated/))('on $name', (fixture) => {
    const [ffnHiddens, numHiddens] = fixture.input('gate_proj.weight').shape;
    const { activation, bias } = fixture.attributes as { activation: string; bias: boolean };
    const layer = make({ numHiddens, ffnHiddens, activation: activation.replace('_', '-'), bias });
    expectLayerFixture(layer, fixture);
  });
});

describe.each(NAMES)('GatedFeedForward with %s', (activation) => {
  /** Compares both passes with float64. */
  function check(rows: number, width: number, hidden: number, bias = true): void {
    const random = new Random(rows + 100 * width + 10000 * hidden);
    const layer = make({ numHiddens: width, ffnHiddens: hidden, activation, bias });
    const state = stateOf(random, width, hidden, bias);
    layer.loadStateDict(state);
    const [x, G] = [random.tensor([rows, width]), random.tensor([rows, width])];
    const { output, backward } = layer.forward(x, { training: true });
    expect(layer.forward(x).output).toEqual(output);
    // As in FeedForward.test.ts, but gates and values, each a sum of up to 4·√width, multiply each other's errors.
    const tolerance = (data: ArrayLike<number>) => ({
      atol: 4 * Math.sqrt(width + 1) * (width + hidden + rows + 8) * EPS * (8 + maxAbs(data)),
    });
    const y = gatedFeedForward(x, state, activation);
    expectClose(output, y, tolerance(y.data));
    const expected = gatedFeedForwardBackward(G, x, state, activation);
    expectClose(backward!(G).input, expected.x!, tolerance(expected.x!.data));
    expect(layer.parameters().map(({ name }) => name)).toEqual(Object.keys(state));
    for (const { name, grad, shape } of layer.parameters()) {
      expectClose({ data: grad, shape }, expected[name]!, tolerance(expected[name]!.data));
    }
    layer.dispose();
  }

  test('has an oracle whose gradients agree with differences', () => {
    const random = new Random(1);
    const state = stateOf(random, 3, 5, true);
    const [x, G] = [random.tensor([2, 3]), random.tensor([2, 3])];
    const gradients = gatedFeedForwardBackward(G, x, state, activation);
    expectGradient(gradients.x!, x, (at) => dot(gatedFeedForward(at, state, activation).data, G.data));
    for (const [name, value] of Object.entries(state)) {
      expectGradient(gradients[name]!, value, (at) =>
        dot(gatedFeedForward(x, { ...state, [name]: at }, activation).data, G.data),
      );
    }
  });

  test.each(SIZES)('agrees with float64 if an axis has %i elements', (size) => {
    check(size, 5, 3);
    check(3, size, 6, false);
    check(6, 3, size);
  });

  test.each([127, 128, 129, ...BLOCK_SIZES])('agrees with float64 for %i rows', (rows) => {
    check(rows, 5, 3, rows % 2 === 0);
  });

  test.each(BLOCK_SIZES)('agrees with float64 for products of depth %i', (depth) => {
    check(3, depth, 5);
    check(3, 5, depth);
  });

  test('returns NaN in the row of a NaN, and nowhere else', () => {
    const x = { data: Float32Array.from({ length: 12 }, (_, i) => (i ? 1 : NaN)), shape: [2, 6] };
    const { data } = make({ activation }).forward(x).output;
    expect(Array.from(data, Number.isNaN)).toEqual(Array.from({ length: 12 }, (_, i) => i < 6));
  });
});

describe('GatedFeedForward', () => {
  test('uses silu and no biases by default', () => {
    const x = new Random(1).tensor([2, 6]);
    const layer = make();
    expect(Object.entries(layer.stateDict()).map(([name, { shape }]) => [name, shape])).toEqual([
      ['gate_proj.weight', [11, 6]],
      ['up_proj.weight', [11, 6]],
      ['down_proj.weight', [6, 11]],
    ]);
    expect(layer.forward(x)).toEqual(make({ activation: 'silu', bias: false }).forward(x));
    expect(layer.forward(x)).not.toEqual(make({ activation: 'gelu' }).forward(x));
    expect(make({ bias: true }).parameters()).toHaveLength(6);
  });

  test('uses a change of one of the two matrices that are packed together', () => {
    const x = new Random(1).tensor([2, 6]);
    const [layer, other] = [make(), make()];
    for (const name of ['gate_proj.weight', 'up_proj.weight', 'down_proj.weight']) {
      const before = layer.forward(x).output; // makes the packed form
      const value = new Random(name.length).tensor([66]).data;
      layer
        .parameters()
        .find((parameter) => parameter.name === name)!
        .set(value);
      const { output } = layer.forward(x);
      expect(output).not.toEqual(before);
      other.loadStateDict(layer.stateDict());
      expect(other.forward(x).output).toEqual(output);
      expect(layer.stateDict()[name]!.data).toEqual(value);
    }
  });

  test('is trained by Adam, each parameter with its own gradient', () => {
    const x = new Random(1).tensor([2, 6]);
    const layer = make({ bias: true });
    const before = layer.stateDict();
    const adam = new attention.Adam(layer.parameters(), { lr: 0.01 });
    const { output, backward } = layer.forward(x, { training: true });
    backward!(output);
    adam.step();
    for (const { name, grad, data } of layer.parameters()) {
      // Adam's first step is lr in the gradient's direction.
      const moved = Float64Array.from(data, (v, i) => (before[name]!.data[i]! - v) / 0.01);
      const expected = { data: Float64Array.from(grad, Math.sign), shape: [grad.length] };
      expectClose({ data: moved, shape: [grad.length] }, expected, { atol: 1e-3 });
    }
  });

  const construct = (options: unknown) => () => new attention.GatedFeedForward(options as never);
  const sizes = { numHiddens: 4, ffnHiddens: 8 };
  const rows: Rejection[] = [
    ['no options', 'TypeError', construct(undefined)],
    ['no numHiddens', 'TypeError', construct({ ffnHiddens: 8 })],
    ['ffnHiddens 0', 'RangeError', construct({ ...sizes, ffnHiddens: 0 })],
    ['activation swish', 'RangeError', construct({ ...sizes, activation: 'swish' })],
    ['activation 3', 'TypeError', construct({ ...sizes, activation: 3 })],
    ['bias 1', 'TypeError', construct({ ...sizes, bias: 1 })],
    ['seed -1', 'RangeError', construct({ ...sizes, seed: -1 })],
    ['an unknown option', 'TypeError', construct({ ...sizes, dropout: 0.1 })],
    ['x of another width', 'RangeError', () => make().forward(new Random(1).tensor([2, 5]))],
    ['a state of FeedForward', 'RangeError', () => make().loadStateDict({ 'dense1.weight': [[1]] })],
  ];
  testRejections('GatedFeedForward', rows, () => expect(make().forward([1, 2, 3, 4, 5, 6]).output.shape).toEqual([6]));
});
