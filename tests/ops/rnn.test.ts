import { describe, expect, test } from '@jest/globals';
import { rnn as reference } from '../reference/rnn.js';
import { EPS, expectClose, maxAbs, type Numbers } from '../support/close.js';
import { expectFixture, loadFixtures, type Fixture } from '../support/fixtures.js';
import { rnn } from '../support/library.js';
import { Random } from '../support/random.js';
import { NOT_TENSORS, testRejections, type Rejection } from '../support/rejections.js';
import { SIZES } from '../support/sizes.js';

function layerWeights(fixture: Fixture, layer: number) {
  const bias = (name: string) => (fixture.has(name) ? fixture.input(name) : undefined);
  const [biasIh, biasHh] = [bias(`bias_ih_l${layer}`), bias(`bias_hh_l${layer}`)];
  return {
    weightIh: fixture.input(`weight_ih_l${layer}`),
    weightHh: fixture.input(`weight_hh_l${layer}`),
    ...(biasIh && { biasIh }),
    ...(biasHh && { biasHh }),
  };
}

/** Weights of variance 1/width keep the states near 1, and their errors do not grow along the sequence. */
function randomWeights(random: Random, ins: number, D: number) {
  return {
    weightIh: random.tensor([D, ins], 1 / Math.sqrt(ins)),
    weightHh: random.tensor([D, D], 0.5 / Math.sqrt(D)),
    biasIh: random.tensor([D], 0.1),
    biasHh: random.tensor([D], 0.1),
  };
}

/**
 * A state is a tanh (4·EPS) of a sum of up to 2·65 products; the error of the state before is halved with each step.
 * Together 64·EPS.
 */
const tolerance = (expected: Numbers) => ({ atol: 64 * EPS * Math.max(1, maxAbs(expected.data)) });

describe('rnn', () => {
  test.each(loadFixtures('layers', /^rnn/))('agrees with PyTorch, layer by layer, on $name', (fixture) => {
    const { num_layers, hidden_size } = fixture.attributes as { num_layers: number; hidden_size: number };
    let states: Numbers & { data: Float32Array } = fixture.input('x') as never;
    const finalStates: number[] = [];
    for (let layer = 0; layer < num_layers; ++layer) {
      const result = rnn(states, layerWeights(fixture, layer));
      states = result.output;
      finalStates.push(...result.finalState.data);
    }
    expectFixture(states, fixture.output('output'));
    const shape = [num_layers, finalStates.length / num_layers / hidden_size, hidden_size];
    expectFixture({ data: finalStates, shape }, fixture.output('h_n'));
  });

  test.each(SIZES)('agrees with the oracle at %i tokens, inputs and states', (n) => {
    const random = new Random(n);
    for (const [length, ins, D] of [
      [n, 3, 5],
      [4, n, 5],
      [4, 3, n],
    ] as const) {
      const x = random.tensor([2, length, ins]);
      const weights = randomWeights(random, ins, D);
      const initialState = random.tensor([2, D]);
      for (const options of [{}, { initialState }, { initialState, nonlinearity: 'relu' as const }]) {
        const expected = reference(x, weights, options);
        const result = rnn(x, weights, options);
        expectClose(result.output, expected.output, tolerance(expected.output));
        expectClose(result.finalState, expected.finalState, tolerance(expected.output));
      }
      const { weightIh, weightHh, biasIh, biasHh } = weights;
      for (const some of [
        { weightIh, weightHh },
        { weightIh, weightHh, biasIh },
        { weightIh, weightHh, biasHh },
      ]) {
        expectClose(rnn(x, some).output, reference(x, some).output, tolerance(reference(x, some).output));
      }
    }
  });

  test('gives the same for a sequence in two parts as in one, if the final state is passed on', () => {
    const random = new Random(1);
    const [x, weights] = [random.tensor([1, 9, 4]), randomWeights(random, 4, 6)];
    const whole = rnn(x, weights);
    const first = rnn({ data: x.data.slice(0, 16), shape: [1, 4, 4] }, weights);
    const second = rnn({ data: x.data.slice(16), shape: [1, 5, 4] }, weights, {
      initialState: first.finalState,
    });
    expect([...first.output.data, ...second.output.data]).toEqual([...whole.output.data]);
    expect(second.finalState).toEqual(whole.finalState);
  });

  test('does not depend on later tokens', () => {
    const random = new Random(2);
    const [x, weights] = [random.tensor([1, 6, 3]), randomWeights(random, 3, 5)];
    const before = rnn(x, weights).output.data.slice(0, 15);
    x.data.fill(NaN, 9);
    expect(rnn(x, weights).output.data.slice(0, 15)).toEqual(before);
  });

  test('returns the initial state for no tokens', () => {
    const random = new Random(3);
    const weights = randomWeights(random, 3, 5);
    const initialState = random.tensor([2, 5]);
    const { output, finalState } = rnn({ data: new Float32Array(0), shape: [2, 0, 3] }, weights, {
      initialState,
    });
    expect(output.shape).toEqual([2, 0, 5]);
    expect(finalState).toEqual({ data: initialState.data, shape: [2, 5] });
  });

  const random = new Random(4);
  const x = random.tensor([1, 2, 3]);
  const weights = randomWeights(random, 3, 4);
  const call = (bad: object, options?: unknown) => () => rnn(x, { ...weights, ...bad }, options as never);
  const rows: Rejection[] = [
    ...NOT_TENSORS.map(([what, bad]): Rejection => [`x: ${what}`, 'TypeError', () => rnn(bad as never, weights)]),
    ['x of rank 2', 'RangeError', () => rnn([[1, 2, 3]], weights)],
    ['no weights', 'TypeError', () => rnn(x, undefined as never)],
    ['no weightIh', 'TypeError', call({ weightIh: undefined })],
    ['no weightHh', 'TypeError', call({ weightHh: undefined })],
    ['weightIh of another width', 'RangeError', call({ weightIh: random.tensor([4, 2]) })],
    ['weightHh that is not square', 'RangeError', call({ weightHh: random.tensor([4, 3]) })],
    ['weights of different states', 'RangeError', call({ weightHh: random.tensor([5, 5]) })],
    ['biasIh of another size', 'RangeError', call({ biasIh: [1, 2, 3] })],
    ['biasHh of another size', 'RangeError', call({ biasHh: [1] })],
    ['an initial state of another batch', 'RangeError', call({}, { initialState: random.tensor([2, 4]) })],
    ['an initial state of another width', 'RangeError', call({}, { initialState: random.tensor([1, 3]) })],
    ['an unknown nonlinearity', 'RangeError', call({}, { nonlinearity: 'gelu' })],
    ['options that are a string', 'TypeError', call({}, 'relu')],
  ];
  testRejections('rnn', rows, () => {
    const { finalState } = rnn([[[2]]], { weightIh: [[1]], weightHh: [[1]] }, { nonlinearity: 'relu' });
    expect([...finalState.data]).toEqual([2]);
  });
});
