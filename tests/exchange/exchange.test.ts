/** Weights go to PyTorch and come from it, as .safetensors files: there a model computes what it computes here. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { readSafetensors, writeSafetensors, type Tensor } from 'wasm-attention';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { below, Model, type Batch, type State } from './model.js';
import { sources } from './source.js';

/**
 * Some fifty roundings lie between the ids and the last layer, EPS/2 each and random in sign: about 4·EPS. Four times that for
 * what normalisations and projections multiply an error by on its way.
 */
const RTOL = 16 * EPS;
const STEPS = 5;
/** A step moves a weight by lr·m/(sqrt(v) + eps), whose slope in the gradient is at most lr/eps. */
const LR_OVER_EPS = 0.03 / 0.1;

const weights = (bytes: Uint8Array) => readSafetensors(bytes) as State;

/** Other weights, made of a few exact operations: the same to the bit on every machine. */
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

describe.each(sources())('$name', (source) => {
  afterAll(() => source.close());
  const loaded = weights(source.file('model'));
  const expected = weights(source.file('expected'));
  const batch: Batch = {
    ids: expected.ids!,
    lengths: expected.lengths!,
    targets: expected.targets!.data,
  };

  test("PyTorch's weights give PyTorch's outputs, after every layer", () => {
    const model = new Model(loaded);
    expectStages(model, batch, below('output', expected));
    model.dispose();
  });

  test("PyTorch's bfloat16 weights arrive as PyTorch widens them", () => {
    const widened = below('bfloat16', expected);
    expect(weights(source.file('bfloat16'))).toEqual(widened);
    expect(widened).not.toEqual(loaded);
  });

  test('training goes the way it goes in PyTorch', () => {
    const model = new Model(loaded);
    const losses = model.train(batch, STEPS);
    const theirs = expected.losses!;
    expectClose({ data: losses, shape: [STEPS] }, theirs, { atol: RTOL * maxAbs(theirs.data) });
    expect(losses.at(-1)).toBeLessThan(losses[0]!);
    // Gradients are below 1 here and off by RTOL of that; an embedding's row is a sum of several.
    const atol = STEPS * LR_OVER_EPS * RTOL;
    const same = new Model(below('trained', expected)).state();
    for (const [name, tensor] of Object.entries(model.state())) expectClose(tensor, same[name]!, { atol });
    model.dispose();
  });

  test("the library's weights give the library's outputs in PyTorch, and return as they went", () => {
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
