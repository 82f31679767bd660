/** State dicts with mistakes: a layer loads all of a state dict or nothing. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Tensor, TensorLike } from 'wasm-attention';
import { sizeOf } from '../../reference/tensor.js';
import { ALL_LAYERS } from '../../support/allLayers.js';
import { Random } from '../../support/random.js';
import { BROKEN_TENSORS, NOT_TENSORS, type Kind } from '../../support/rejections.js';
import { SPELLINGS } from '../../support/spellings.js';

/** An entry's value, missing if the entry is left out, and the kind of error that it must cause. */
interface Treated {
  readonly value?: unknown;
  readonly kind?: Kind;
}
/** What is done to an entry of a correct state dict. */
type Treatment = (tensor: Tensor) => Treated;

/** Names that every object has, that the library uses internally, and that are nearly right. */
const SURPLUS = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'length',
  '',
  '0',
  'weight ',
  'Weight',
  'self_attn',
  'self_attn.W_q.weights',
  'in_proj',
];

/** Other shapes, with as many elements or a few more or fewer. */
const MISSHAPEN: readonly ((shape: readonly number[]) => number[])[] = [
  (shape) => [1, ...shape],
  (shape) => [...shape, 1],
  (shape) => [...shape.slice(0, -1), shape.at(-1)! + 1],
  (shape) => [shape[0]! + 1, ...shape.slice(1)],
  (shape) => [0, ...shape.slice(1)],
  (shape) => [...shape].reverse(),
  (shape) => [sizeOf(shape)],
  () => [],
];

const right = fc.constantFrom(...SPELLINGS).map((spell): Treatment => (tensor) => ({ value: spell(tensor) }));
const missing = fc.constant<Treatment>(() => ({ kind: 'RangeError' }));
const misshapen = fc.constantFrom(...MISSHAPEN).map((change): Treatment => (tensor) => {
  const shape = change(tensor.shape);
  if (shape.join() === tensor.shape.join()) return { value: tensor };
  return { value: { data: new Float32Array(sizeOf(shape)), shape }, kind: 'RangeError' };
});
const notTensor = fc.constantFrom(...NOT_TENSORS).map(([, value]): Treatment => () => ({ value, kind: 'TypeError' }));
const broken = fc
  .constantFrom(...BROKEN_TENSORS.filter(([what]) => what !== 'rank 1'))
  .map(([, value]): Treatment => () => ({ value, kind: 'RangeError' }));

const treatments = fc.array(fc.oneof({ arbitrary: right, weight: 30 }, missing, misshapen, notTensor, broken), {
  minLength: 18,
  maxLength: 18,
});
const surplus = fc.oneof(
  { arbitrary: fc.constant([]), weight: 2 },
  fc.array(
    fc.tuple(fc.oneof(fc.constantFrom(...SURPLUS), fc.string()), fc.constantFrom({ data: [1], shape: [1] }, null)),
    { minLength: 1, maxLength: 2 },
  ),
);

/** The error that the call throws, if any. It must have the library's form. */
function refusal(operation: string, call: () => void): { kind: Kind; message: string } | undefined {
  try {
    call();
  } catch (error) {
    const { name, message } = error as Error;
    expect(['TypeError', 'RangeError']).toContain(name);
    expect(message).toMatch(new RegExp(`^${operation}\\.loadStateDict: expected .+, got .+`, 's'));
    return { kind: name as Kind, message };
  }
  return undefined;
}

describe.each(ALL_LAYERS)('$title', ({ operation, make }) => {
  const { layer, forward } = make();
  const initial = layer.stateDict();
  const names = Object.keys(initial);
  const { output } = forward();
  const load = (state: unknown) => () => layer.loadStateDict(state as Record<string, TensorLike>);
  const expectUntouched = () => {
    expect(layer.stateDict()).toEqual(initial);
    expect(forward().output).toEqual(output);
  };
  const fresh = (seed: number) =>
    Object.entries(initial).map(([name, { shape }], i) => [name, new Random(seed + i).tensor(shape)] as const);

  test('refuses state dicts with any mistakes and changes nothing', () => {
    const found = { TypeError: 0, RangeError: 0, none: 0 };
    fc.assert(
      fc.property(fc.nat(), treatments, surplus, (seed, ways, added) => {
        const treated = fresh(seed).map(([name, tensor], i) => ({ name, ...ways[i]!(tensor) }));
        const given = treated.filter((entry) => 'value' in entry).map(({ name, value }) => [name, value] as const);
        // Object.fromEntries makes every name an own property, even `__proto__`.
        const state: unknown = Object.fromEntries([...given, ...added]);
        const expected = [...treated.flatMap(({ kind }) => kind ?? []), ...added.map(() => 'RangeError')];
        const thrown = refusal(operation, load(state))?.kind ?? 'none';
        // The error may name any one of several mistakes.
        expect(expected.length === 0 ? ['none'] : expected).toContain(thrown);
        found[thrown] += 1;
        if (thrown === 'none') layer.loadStateDict(initial);
        expectUntouched();
      }),
      { numRuns: 300 },
    );
    expect(found.RangeError).toBeGreaterThan(50);
    expect(found.none).toBeGreaterThan(5);
  });

  test.each(SURPLUS)('refuses the additional name %j', (surplus) => {
    const state: unknown = Object.fromEntries([...Object.entries(initial), [surplus, { data: [1], shape: [1] }]]);
    const { kind, message } = refusal(operation, load(state))!;
    expect(kind).toBe('RangeError');
    expect(message).toContain(`got ${surplus || 'an empty string'}`);
    expectUntouched();
  });

  test('refuses anything that is not a state dict', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
    });
    const named = fc
      .array(fc.tuple(fc.constantFrom('other', ...names), anything))
      .map((entries): unknown => Object.fromEntries(entries));
    fc.assert(
      fc.property(fc.oneof(anything, named), (state) => {
        const empty = typeof state === 'object' && state !== null && Object.keys(state).length === 0;
        const accepted = refusal(operation, load(state)) === undefined;
        expect(accepted).toBe(empty && names.length === 0);
        expectUntouched();
      }),
      { numRuns: 300 },
    );
  });

  test('accepts any numbers, including NaN and infinities, in any form and order', () => {
    const number = fc.oneof(fc.double(), fc.constantFrom(NaN, Infinity, -Infinity, -0, 1e-45, 1e39));
    const numbers = fc.array(number, { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.constantFrom(...SPELLINGS), numbers, fc.boolean(), (spell, values, backwards) => {
        const given = Object.fromEntries(
          fresh(1).map(([name, { shape }]) => {
            const data = Float64Array.from({ length: sizeOf(shape) }, (_, i) => values[i % values.length]!);
            return [name, spell({ data, shape } as never)];
          }),
        );
        const state = backwards ? Object.fromEntries(Object.entries(given).reverse()) : given;
        layer.loadStateDict(state as Record<string, TensorLike>);
        for (const { data } of Object.values(layer.stateDict())) {
          expect(data).toEqual(Float32Array.from(data, (_, i) => values[i % values.length]!));
        }
        expect(forward().output.shape).toEqual(output.shape);
        layer.loadStateDict(initial);
        expectUntouched();
      }),
      { numRuns: 50 },
    );
  });
});
