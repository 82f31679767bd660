/** What every layer must do: training passes, state dicts, parameters, seeds, disposal, rejections. */
import { describe, expect, test } from '@jest/globals';
import { ALL_LAYERS, LAYERS_WITH_PARAMETERS, type Subject } from '../support/allLayers.js';
import { expectClose } from '../support/close.js';
import { expectNoGrowth } from '../support/library.js';
import { Random } from '../support/random.js';
import { expectRejected, NOT_TENSORS, type Kind } from '../support/rejections.js';

const train = ({ forward }: Subject) => forward({ training: true });
const grads = ({ layer }: Subject) => layer.parameters().map(({ grad }) => grad);

describe.each(ALL_LAYERS)('$title', ({ operation, inputs, make }) => {
  const { shape } = make().forward().output;
  const g = new Random(77).tensor(shape);
  const refuse = (kind: Kind, call: () => unknown) => expectRejected(operation, kind, call);

  test('returns backward only in training', () => {
    const subject = make();
    const { output } = subject.forward({ training: false });
    expect(subject.forward()).toEqual({ output });
    expect(train(subject)).toEqual({ output, backward: expect.any(Function) });
  });

  test('refuses a wrong gradient, accepts a right one afterwards, and refuses a second call', () => {
    const subject = make();
    const backward = train(subject).backward!;
    refuse('RangeError', () => backward(new Random(1).tensor([...shape, 1])));
    refuse('RangeError', () => backward(new Random(1).tensor([shape[0]! + 1, ...shape.slice(1)])));
    for (const [, bad] of NOT_TENSORS) refuse('TypeError', () => backward(bad as never));
    expect(grads(subject).every((grad) => grad.every((value) => value === 0))).toBe(true);
    expect(Object.values(backward(g)).map((gradient) => gradient.shape)).toEqual(inputs.map((input) => input.shape));
    refuse('TypeError', () => backward(g));
  });

  test('keeps what backward needs, so that inputs may change and other passes run in between', () => {
    const [changed, kept] = [make(), make()];
    const moving = inputs.map(({ data, shape }) => ({ data: data.slice(), shape: [...shape] }));
    const pass = changed.forward({ training: true }, moving);
    for (const input of moving) {
      input.data.fill(0);
      input.shape.fill(1);
    }
    pass.output.data.fill(3);
    changed.forward();
    train(changed);
    expect(pass.backward!(g)).toEqual(train(kept).backward!(g));
    expect(grads(changed)).toEqual(grads(kept));
  });

  test('adds the gradients of several passes, and does not change its arguments', () => {
    const before = structuredClone([...inputs, g]);
    const [once, twice] = [make(), make()];
    train(once).backward!(g);
    train(twice).backward!(g);
    train(twice).backward!(g);
    expect([...inputs, g]).toEqual(before);
    const sums = grads(once).map((grad) => grad.map((value) => 2 * value));
    grads(twice).forEach((data, p) => {
      const [found, expected] = [data, sums[p]!].map((each) => ({ data: each, shape: [data.length] }));
      // Adding the rows one after another twice rounds differently from doubling their sum.
      expectClose(found, expected!, { atol: 1e-5, rtol: 1e-5 });
    });
  });

  test('throws when used after dispose, and frees all its memory', () => {
    expectNoGrowth(20, () => {
      const gone = make();
      const backward = train(gone).backward!;
      train(gone).backward!(g);
      const parameters = gone.layer.parameters();
      gone.layer.dispose();
      gone.layer[Symbol.dispose]();
      for (const call of [
        () => gone.forward(),
        () => backward(g),
        () => gone.layer.parameters(),
        () => gone.layer.stateDict(),
        () => gone.layer.loadStateDict({}),
        ...parameters.flatMap((parameter) => [() => parameter.data, () => parameter.set([])]),
      ]) {
        refuse('TypeError', call);
      }
    });
  });

  test('refuses inputs and options that are none', () => {
    const { forward } = make();
    inputs.forEach((_, place) => {
      for (const [, bad] of NOT_TENSORS)
        refuse('TypeError', () => forward(undefined, inputs.with(place, bad as never)));
    });
    refuse('TypeError', () => forward(7 as never));
    refuse('TypeError', () => forward({ training: 1 as never }));
  });
});

describe.each(LAYERS_WITH_PARAMETERS)('$title', ({ operation, make, seeded }) => {
  test('loads a whole state dict or changes nothing', () => {
    const { layer, forward } = make();
    const before = layer.stateDict();
    const entries = Object.entries(before);
    const state = Object.fromEntries(entries.map(([key, tensor], i) => [key, new Random(i).tensor(tensor.shape)]));
    expect(layer.parameters().map(({ name, shape }) => [name, shape])).toEqual(
      entries.map(([key, { shape }]) => [key, shape]),
    );
    const refuse = (kind: Kind, bad: unknown) => {
      expectRejected(operation, kind, () => layer.loadStateDict(bad as never));
      expect(layer.stateDict()).toEqual(before);
    };
    for (const [key, { data, shape }] of Object.entries(state)) {
      refuse('RangeError', Object.fromEntries(Object.entries(state).filter(([other]) => other !== key)));
      refuse('RangeError', { ...state, [key]: { data, shape: [1, ...shape] } });
      refuse('RangeError', { ...state, [key]: { data: data.subarray(1), shape } });
      refuse('TypeError', { ...state, [key]: 'weights' });
    }
    refuse('RangeError', { ...state, surplus: [1] });
    refuse('RangeError', {});
    refuse('TypeError', null);
    refuse('TypeError', 'state');
    const { output } = forward();
    layer.loadStateDict(state);
    expect(layer.stateDict()).toEqual(state);
    expect(forward().output).not.toEqual(output);
    const other = make({ seed: 2 });
    other.layer.loadStateDict(layer.stateDict());
    expect(other.forward()).toEqual(forward());
  });

  test('returns copies of its values, and changes them with set', () => {
    const { layer, forward } = make();
    const { output } = forward();
    const before = layer.stateDict();
    for (const { data } of Object.values(layer.stateDict())) data.fill(9);
    for (const { data } of layer.parameters()) data.fill(9);
    expect(layer.stateDict()).toEqual(before);
    layer.parameters().forEach((parameter, i) => {
      const values = new Random(i).tensor(parameter.shape).data;
      parameter.set(values);
      expect(parameter.data).toEqual(values);
      expectRejected(operation, 'RangeError', () => parameter.set([...values, 1]));
    });
    expect(forward().output).not.toEqual(output);
  });

  test('starts with values that the seed decides, if it has one', () => {
    const stateOf = (options: object) => make(options).layer.stateDict();
    expect(stateOf({ seed: 5 })).toEqual(stateOf({ seed: 5 }));
    for (const other of [{ seed: 6 }, {}]) {
      if (seeded) expect(stateOf({ seed: 5 })).not.toEqual(stateOf(other));
      else expect(stateOf({ seed: 5 })).toEqual(stateOf(other));
    }
  });
});
