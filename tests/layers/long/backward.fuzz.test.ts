/** Every layer's backward pass, called wrongly and with NaN and infinities. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Tensor } from 'wasm-attention';
import { sizeOf } from '../../reference/tensor.js';
import { ALL_LAYERS, type Subject } from '../../support/allLayers.js';
import { attention, expectNoGrowth } from '../../support/library.js';
import { Random } from '../../support/random.js';
import { BROKEN_TENSORS, expectRejected, NOT_TENSORS } from '../../support/rejections.js';
import { SPELLINGS } from '../../support/spellings.js';

const train = ({ forward }: Subject) => forward({ training: true }).backward!;
const grads = ({ layer }: Subject) => layer.parameters().map(({ name, grad }) => ({ name, grad }));
const numbersOf = (tensors: Record<string, Tensor>) => Object.values(tensors).flatMap(({ data }) => [...data]);

describe.each(ALL_LAYERS)('$title', ({ operation, make }) => {
  const { shape } = make().forward().output;
  const size = sizeOf(shape);
  const g = new Random(9).tensor(shape);

  /** The gradients that one pass of a new layer returns, and those that it adds to the parameters. */
  const once = (gradOutput = g) => {
    const subject = make();
    return { found: train(subject)(gradOutput), left: grads(subject) };
  };
  const expected = once();

  test('refuses wrong gradients without adding anything, and accepts a right one', () => {
    const other = fc
      .array(fc.integer({ min: 0, max: 7 }), { maxLength: 5 })
      .filter((axes) => axes.join() !== shape.join());
    const bad = fc.oneof(
      other.map((axes) => ['RangeError', { data: new Float32Array(sizeOf(axes)), shape: axes }] as const),
      fc.constantFrom(...BROKEN_TENSORS).map(([, value]) => ['RangeError', value] as const),
      fc.constantFrom(...NOT_TENSORS).map(([, value]) => ['TypeError', value] as const),
      fc.constant(['RangeError', { data: g.data.subarray(1), shape }] as const),
      fc.constant(['TypeError', { data: Array(size).fill('1'), shape }] as const),
      fc.constant(['TypeError', { data: Array(size).fill(1n), shape }] as const),
      fc.constant(['TypeError', { data: Array(size), shape }] as const),
    );
    fc.assert(
      fc.property(fc.array(bad, { minLength: 1, maxLength: 4 }), (several) => {
        const subject = make();
        const untouched = grads(subject);
        const backward = train(subject);
        for (const [kind, gradient] of several) {
          expectRejected(operation, kind, () => backward(gradient as never));
        }
        expect(grads(subject)).toEqual(untouched);
        expect(backward(g)).toEqual(expected.found);
        expect(grads(subject)).toEqual(expected.left);
        subject.layer.dispose();
      }),
      { numRuns: 60 },
    );
  });

  test.each(SPELLINGS.map((spell, i) => [i, spell] as const))(
    'accepts a gradient in any form of a tensor: %i',
    (_i, spell) => {
      const subject = make();
      expect(train(subject)(spell(g) as never)).toEqual(expected.found);
      expect(grads(subject)).toEqual(expected.left);
    },
  );

  test('refuses a second call without adding anything, also after other passes', () => {
    const subject = make();
    const backward = train(subject);
    const later = train(subject);
    backward(g);
    subject.forward();
    const left = grads(subject);
    for (let i = 0; i < 3; ++i) expectRejected(operation, 'TypeError', () => backward(g));
    expectRejected(operation, 'TypeError', () => backward(undefined as never));
    expect(grads(subject)).toEqual(left);
    expect(later(g)).toEqual(expected.found);
    expectRejected(operation, 'TypeError', () => backward(g));
  });

  test('refuses calls after dispose, and does not affect other layers', () => {
    const [gone, other] = [make(), make()];
    const [used, unused, others] = [train(gone), train(gone), train(other)];
    used(g);
    gone.layer.dispose();
    // This layer reuses the freed memory.
    const next = make();
    const state = next.layer.stateDict();
    for (const backward of [used, unused]) expectRejected(operation, 'TypeError', () => backward(g));
    expect(next.layer.stateDict()).toEqual(state);
    expect(grads(next).every(({ grad }) => grad.every((value) => value === 0))).toBe(true);
    expect(others(g)).toEqual(expected.found);
    expect(grads(other)).toEqual(expected.left);
  });

  test('passes NaN and infinities on, and keeps none of them', () => {
    const subject = make();
    const before = subject.forward().output;
    const parameters = subject.layer.parameters();
    const optimizer = parameters.length > 0 ? [new attention.Adam(parameters)] : [];
    fc.assert(
      fc.property(fc.nat({ max: size - 1 }), fc.constantFrom(NaN, Infinity, -Infinity), (at, value) => {
        const data = g.data.slice();
        data[at] = value;
        const found = train(subject)({ data, shape });
        const all = [...numbersOf(found), ...grads(subject).flatMap(({ grad }) => [...grad])];
        expect(all.some((number) => !Number.isFinite(number))).toBe(true);
        for (const adam of optimizer) adam.zeroGrad();
        expect(subject.forward().output).toEqual(before);
        expect(train(subject)(g)).toEqual(expected.found);
        expect(grads(subject)).toEqual(expected.left);
        for (const adam of optimizer) adam.zeroGrad();
      }),
      { numRuns: 20 },
    );
  });

  test('works if parameters change after the forward pass, and uses the new ones', () => {
    const subject = make();
    const first = subject.layer.stateDict();
    const changed = Object.fromEntries(
      Object.entries(first).map(([name, tensor], i) => [name, new Random(i).tensor(tensor.shape)]),
    );
    const [restored, late] = [train(subject), train(subject)];
    subject.layer.loadStateDict(changed);
    subject.layer.loadStateDict(first);
    expect(restored(g)).toEqual(expected.found);
    subject.layer.loadStateDict(changed);
    const found = late(g);
    expect(numbersOf(found).every(Number.isFinite)).toBe(true);
    const shapes = (tensors: Record<string, Tensor>) => Object.values(tensors).map((tensor) => tensor.shape);
    expect(shapes(found)).toEqual(shapes(expected.found));
    expect(subject.layer.stateDict()).toEqual(changed);
    const twin = make();
    twin.layer.loadStateDict(changed);
    expect(subject.forward()).toEqual(twin.forward());
    expect(train(subject)(g)).toEqual(train(twin)(g));
  });

  test('leaks no memory when it refuses a gradient', () => {
    const subject = make();
    const backward = train(subject);
    const huge = { data: new Float32Array(2 ** 16), shape: [2 ** 16] };
    expectNoGrowth(300, () => expectRejected(operation, 'RangeError', () => backward(huge)));
  });
});
