/** Exchanges weights with PyTorch in .safetensors files: the same model must compute the same on both sides. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { readSafetensors, writeSafetensors, type Tensor } from 'wasm-attention';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { below, Model, type Batch, type State } from './model.js';
import { sources } from './source.js';

/**
 * Between the ids and the last layer are about fifty roundings of up to EPS/2 with random signs: together about 4·EPS.
 * Normalisations and projections amplify errors on the way, for which four times as much is allowed.
 */
const RTOL = 16 * EPS;
const STEPS = 5;
/**
 * A step of Adam moves a weight by lr·m/(sqrt(v) + eps). This changes by at most lr/eps times a change of the gradient.
 */
const LR_OVER_EPS = 0.03 / 0.1;

const weights = (bytes: Uint8Array) => readSafetensors(bytes) as State;

/** Other weights, computed with a few exact operations, so that every machine gets the same bits. */
function perturbed(state: State): State {
  const change = (value: number, i: number) => 0.75 * value + ((i % 7) - 3) / 64;
  return Object.fromEntries(
    Object.entries(state).map(([name, { data, shape }]) => [name, { data: data.map(change), shape }]),
  );
}

function expectStages(model: Model, batch: Batch, expected: State): void {
  const { stages } = model.forward(batch);
  expect(Object.keys(expected)).toEqual(Object.keys(stages));
  for (const [name, stage] of Object.entries(stages)) {
    const { data } = expected[name]!;
    expectClose(stage, expected[name]!, { atol: RTOL * (1 + maxAbs(data)) });
  }
}

describe.each(sources())('with $name', (source) => {
  afterAll(() => source.close());
  const loaded = weights(source.file('model'));
  const expected = weights(source.file('expected'));
  const batch: Batch = {
    ids: expected.ids!,
    lengths: expected.lengths!,
    targets: expected.targets!.data,
  };

  test("PyTorch's weights give PyTorch's output of every layer", () => {
    const model = new Model(loaded);
    expectStages(model, batch, below('output', expected));
    model.dispose();
  });

  test("PyTorch's bfloat16 weights are widened as PyTorch widens them", () => {
    const widened = below('bfloat16', expected);
    expect(weights(source.file('bfloat16'))).toEqual(widened);
    expect(widened).not.toEqual(loaded);
  });

  test('training gives the losses and weights that it gives in PyTorch', () => {
    const model = new Model(loaded);
    const losses = model.train(batch, STEPS);
    const theirs = expected.losses!;
    expectClose({ data: losses, shape: [STEPS] }, theirs, { atol: RTOL * maxAbs(theirs.data) });
    expect(losses.at(-1)).toBeLessThan(losses[0]!);
    // Gradients are below 1 here and off by up to RTOL, and each step moves a weight by up to LR_OVER_EPS times that.
    const atol = STEPS * LR_OVER_EPS * RTOL;
    const same = new Model(below('trained', expected)).state();
    for (const [name, tensor] of Object.entries(model.state())) expectClose(tensor, same[name]!, { atol });
    model.dispose();
  });

  test("the library's weights give the library's outputs in PyTorch, and come back unchanged", () => {
    const model = new Model(loaded);
    model.load(perturbed(model.state()));
    const sent: Record<string, Tensor> = model.state();
    const answers = weights(source.answer(writeSafetensors(sent)));
    expectStages(model, batch, below('output', answers));
    const returned = new Model(below('state', answers));
    expect(returned.state()).toEqual(sent);
    expect(sent).not.toEqual(new Model(loaded).state());
  });
});
