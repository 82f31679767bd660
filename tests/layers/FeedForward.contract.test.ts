import { describe, expect, test } from '@jest/globals';
import { maxAbs } from '../support/close.js';
import { testLayerContract } from '../support/layerContract.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { testRejections, type Rejection } from '../support/rejections.js';

const make = (options: object = {}) =>
  new attention.FeedForward({ numHiddens: 6, ffnHiddens: 11, seed: 1, ...options });

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

  testLayerContract('FeedForward', {
    make: (seed) => make({ seed, activation: 'gelu' }),
    x: new Random(3).tensor([2, 3, 6]),
    seeded: true,
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
