/** The gradients of MultiHeadAttention agree with differences of the float64 oracle. */
import { describe, expect, test } from '@jest/globals';
import type { MultiHeadAttentionOptions } from 'wasm-attention';
import { multiHeadAttention as reference } from '../../reference/multiHeadAttention.js';
import type { AttentionReferenceOptions } from '../../reference/scaledDotProductAttention.js';
import { type Numbers } from '../../support/close.js';
import { dot, expectGradient } from '../../support/differences.js';
import { gradientsOf } from '../../support/gradientsOf.js';
import { attention } from '../../support/library.js';
import { GRADIENT_RTOL } from '../../support/multiHeadTolerance.js';
import { Random } from '../../support/random.js';

const random = new Random(1);
const make = (options: Partial<MultiHeadAttentionOptions> = {}) =>
  new attention.MultiHeadAttention({ numHiddens: 12, numHeads: 3, bias: true, seed: 3, ...options });

describe('MultiHeadAttention.backward agrees with differences of the float64 oracle', () => {
  const [q, k, v] = [random.tensor([2, 4, 12]), random.tensor([2, 5, 12]), random.tensor([2, 5, 12])];
  const g = random.tensor([2, 4, 12]);
  const rotary = (atQueries: number, offset: number) => ({
    queries: { offset: atQueries },
    keys: { offset },
  });

  const cases: [
    string,
    Partial<MultiHeadAttentionOptions>,
    AttentionReferenceOptions & { offset?: number; turned?: ReturnType<typeof rotary> },
  ][] = [
    ['no options', {}, {}],
    ['no bias', { bias: false }, {}],
    ['one key/value head', { numKvHeads: 1 }, { isCausal: true }],
    ['lengths', {}, { validLens: { data: [3, 5], shape: [2] } }],
    ['lengths of 0', {}, { validLens: { data: [0, 2], shape: [2] } }],
    ['a mask and a bias', {}, { mask: random.mask([2, 1, 4, 5], 0.8), bias: random.tensor([3, 4, 5]) }],
    ['a window, softcap and scale', {}, { window: [1, 2], softcap: 2, scale: 0.3 }],
    ['causality with offsets', {}, { isCausal: true, causalOffset: [1, 0] }],
    ['relative tables', {}, { relativeKeys: random.tensor([5, 4]), relativeValues: random.tensor([3, 5, 4]) }],
    ['slopes', {}, { alibiSlopes: { data: [0.5, 0.25, 0.125], shape: [3] } }],
    ['sinks', {}, { sinks: random.tensor([3]), validLens: { data: [3, 0], shape: [2] } }],
    ['rotary positions', { rotary: {} }, { turned: rotary(0, 0) }],
    [
      'rotary positions that differ for queries and keys',
      { rotary: {} },
      { offset: 3, causalOffset: 2, turned: rotary(5, 3) },
    ],
  ];
  test.each(cases)('with %s', (_name, sizes, { offset, turned, ...options }) => {
    const layer = make(sizes);
    const state = layer.stateDict();
    const at: Record<string, Numbers> = { queries: q, keys: k, values: v, ...state };
    for (const name of ['bias', 'relativeKeys', 'relativeValues', 'sinks'] as const) {
      if (options[name]) at[name] = options[name];
    }
    const loss = (name: string) => (x: Numbers) => {
      const moved = { ...at, [name]: x };
      const result = reference(
        moved.queries!,
        moved.keys!,
        moved.values!,
        {
          numHeads: 3,
          numKvHeads: sizes.numKvHeads ?? 3,
          state: moved,
          ...(turned && { rotary: turned }),
        },
        { ...options, ...(name in options && { [name]: x }) },
      );
      return dot(result.output.data, g.data);
    };
    const pass = layer.forward(q, k, v, { ...options, ...(offset && { offset }), training: true });
    const found: Record<string, Numbers> = { ...pass.backward!(g), ...gradientsOf(layer) };
    expect(Object.keys(found).sort()).toEqual(Object.keys(at).sort());
    for (const [name, tensor] of Object.entries(at)) expectGradient(found[name]!, tensor, loss(name), GRADIENT_RTOL);
  });

  test('for inputs of three widths', () => {
    const layer = make({ querySize: 5, keySize: 7, valueSize: 9 });
    const inputs = [random.tensor([2, 4, 5]), random.tensor([2, 3, 7]), random.tensor([2, 3, 9])] as const;
    const found = Object.values(layer.forward(...inputs, { training: true }).backward!(g)) as Numbers[];
    inputs.forEach((input, i) => {
      const loss = (x: Numbers) => {
        const moved = inputs.map((other, j) => (i === j ? x : other)) as unknown as [Numbers, Numbers, Numbers];
        return dot(reference(...moved, { numHeads: 3, state: layer.stateDict() }).output.data, g.data);
      };
      expectGradient(found[i]!, input, loss, GRADIENT_RTOL);
    });
  });
});
