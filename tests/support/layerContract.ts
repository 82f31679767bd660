/** Tests of what every layer with parameters must do. */
import { expect, test } from '@jest/globals';
import type { Layer } from 'wasm-attention';
import type { Numbers } from './close.js';
import { expectNoGrowth } from './library.js';
import { Random } from './random.js';
import { expectRejected, NOT_TENSORS } from './rejections.js';

interface LayerCase {
  readonly make: (seed?: number) => Layer;
  /** An input of more than one row. */
  readonly x: Numbers & { readonly data: Float32Array };
  /** Whether a seed decides the initial values. */
  readonly seeded: boolean;
}

const grads = (layer: Layer) => layer.parameters().map(({ grad }) => grad);

export function testLayerContract(name: string, { make, x, seeded }: LayerCase): void {
  const layer = make(1);
  const { shape } = layer.forward(x).output;
  const g = new Random(77).tensor(shape);
  const train = (trained = layer) => trained.forward(x, { training: true });

  test('returns backward only in training', () => {
    expect(layer.forward(x)).toEqual({ output: layer.forward(x, { training: false }).output });
    expect(train().output).toEqual(layer.forward(x).output);
    expect(train().backward).toBeInstanceOf(Function);
  });

  test('refuses a second call of backward', () => {
    const { backward } = train(make(1));
    backward!(g);
    expectRejected(name, 'TypeError', () => backward!(g));
  });

  test('refuses a wrong gradient and accepts a right one afterwards', () => {
    const trained = make(1);
    const { backward } = train(trained);
    expectRejected(name, 'RangeError', () => backward!(new Random(1).tensor([...shape, 1])));
    expectRejected(name, 'RangeError', () => backward!(new Random(1).tensor([shape[0]! + 1, ...shape.slice(1)])));
    for (const [, bad] of NOT_TENSORS) expectRejected(name, 'TypeError', () => backward!(bad as never));
    expect(grads(trained).every((grad) => grad.every((value) => value === 0))).toBe(true);
    expect(backward!(g).input.shape).toEqual(x.shape);
  });

  test('keeps what backward needs, so that the input may change in between', () => {
    const [changed, kept] = [make(1), make(1)];
    const moving = { data: x.data.slice(), shape: [...x.shape] };
    const pass = changed.forward(moving, { training: true });
    moving.data.fill(0);
    moving.shape.fill(1);
    pass.output.data.fill(3);
    expect(pass.backward!(g)).toEqual(train(kept).backward!(g));
    expect(grads(changed)).toEqual(grads(kept));
  });

  test('adds the gradients of several passes', () => {
    const [once, twice] = [make(1), make(1)];
    train(once).backward!(g);
    train(twice).backward!(g);
    train(twice).backward!(g);
    const sums = grads(once).map((grad) => grad.map((value) => 2 * value));
    // Adding the rows one after another twice rounds differently from doubling their sum.
    grads(twice).forEach((grad, p) =>
      grad.forEach((value, i) =>
        expect(Math.abs(value - sums[p]![i]!)).toBeLessThanOrEqual(1e-5 * (1 + Math.abs(value))),
      ),
    );
  });

  test('loads a whole state dict or changes nothing', () => {
    const loaded = make(2);
    const before = loaded.stateDict();
    const entries = Object.entries(before);
    const state = Object.fromEntries(entries.map(([key, tensor], i) => [key, new Random(i).tensor(tensor.shape)]));
    expect(loaded.parameters().map((parameter) => [parameter.name, parameter.shape])).toEqual(
      entries.map(([key, tensor]) => [key, tensor.shape]),
    );
    const refuse = (kind: 'TypeError' | 'RangeError', bad: unknown) => {
      expectRejected(name, kind, () => loaded.loadStateDict(bad as never));
      expect(loaded.stateDict()).toEqual(before);
    };
    for (const [key, tensor] of Object.entries(state)) {
      const others = Object.fromEntries(Object.entries(state).filter(([other]) => other !== key));
      refuse('RangeError', others);
      refuse('RangeError', { ...state, [key]: { data: tensor.data, shape: [1, ...tensor.shape] } });
      refuse('TypeError', { ...state, [key]: 'weights' });
    }
    refuse('RangeError', { ...state, surplus: [1] });
    refuse('TypeError', null);
    loaded.loadStateDict(state);
    expect(loaded.stateDict()).toEqual(state);
    expect(loaded.forward(x).output).not.toEqual(make(2).forward(x).output);
  });

  test('returns copies of parameters and changes them with set', () => {
    const written = make(1);
    written.parameters().forEach((parameter, i) => {
      const values = new Random(i).tensor(parameter.shape).data;
      parameter.data.fill(9);
      expect(parameter.data).not.toEqual(values);
      parameter.set(values);
      expect(parameter.data).toEqual(values);
      expectRejected(name, 'RangeError', () => parameter.set([...values, 1]));
    });
  });

  if (seeded) {
    test('starts with values that the seed decides', () => {
      expect(make(5).stateDict()).toEqual(make(5).stateDict());
      expect(make(5).stateDict()).not.toEqual(make(6).stateDict());
      expect(make().stateDict()).not.toEqual(make().stateDict());
    });
  }

  test('throws when used after dispose, and frees all its memory', () => {
    const use = () => {
      const gone = make(1);
      const { backward } = train(gone);
      train(gone).backward!(g);
      gone.dispose();
      gone[Symbol.dispose]();
      for (const call of [
        () => gone.forward(x),
        () => backward!(g),
        () => gone.parameters(),
        () => gone.stateDict(),
        () => gone.loadStateDict({}),
      ]) {
        expectRejected(name, 'TypeError', call);
      }
    };
    expectNoGrowth(50, use);
  });

  test.each(NOT_TENSORS)('refuses an input that is %s', (_what, bad) => {
    expectRejected(name, 'TypeError', () => layer.forward(bad as never));
  });

  test('refuses wrong options', () => {
    expectRejected(name, 'TypeError', () => layer.forward(x, 7 as never));
    expectRejected(name, 'TypeError', () => layer.forward(x, { training: 1 } as never));
  });
}
