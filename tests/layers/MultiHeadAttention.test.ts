import { describe, expect, test } from '@jest/globals';
import { multiHeadAttention as reference } from '../reference/multiHeadAttention.js';
import { EPS, expectClose, type Numbers } from '../support/close.js';
import { expectFixture } from '../support/fixtures.js';
import { attention } from '../support/library.js';
import { multiHeadCases } from '../support/multiHeadCases.js';
import { Random } from '../support/random.js';
import { BLOCK_SIZES, SIZES } from '../support/sizes.js';
import { expectForward, layerOf } from '../support/multiHeadTolerance.js';

describe('MultiHeadAttention agrees with PyTorch and d2l', () => {
  test.each(multiHeadCases())('on $name', (fixture) => {
    const { numHiddens, numHeads, bias, sizes, state, options, inputs, expected } = fixture;
    const layer = new attention.MultiHeadAttention({ numHiddens, numHeads, bias, ...sizes });
    layer.loadStateDict(state);
    const { output, weights } = layer.forward(...inputs, { ...options, needWeights: true });
    expectFixture(output, expected.output);
    expectFixture(expected.averaged ? expected.averaged(weights!) : weights, expected.weights);
    const fused = layer.forward(...inputs, options);
    expect(fused.weights).toBeUndefined();
    expectFixture(fused.output, expected.output);
    layer.dispose();
  });
});

describe('MultiHeadAttention agrees with the float64 oracle', () => {
  const sizes = [
    ...SIZES.map((n) => ({ L: n, S: 5, heads: 2, width: 3 })),
    ...SIZES.map((n) => ({ L: 4, S: n, heads: 3, width: 5 })),
    ...SIZES.map((n) => ({ L: 3, S: 7, heads: 2, width: n })),
    ...SIZES.slice(0, 9).map((n) => ({ L: 3, S: 6, heads: n, width: 4 })),
    ...BLOCK_SIZES.map((n) => ({ L: 3, S: n, heads: 2, width: 3 })),
    ...BLOCK_SIZES.map((n) => ({ L: 2, S: 3, heads: 1, width: n })),
  ];
  test.each(sizes)('for $L queries, $S keys and $heads heads of width $width', ({ L, S, heads, width }) => {
    const random = new Random(L + 100 * S + 10000 * heads + width);
    const numHiddens = heads * width;
    const { layer, state } = layerOf({ numHiddens, numHeads: heads, bias: true });
    const queries = random.tensor([2, L, numHiddens]);
    const keys = random.tensor([2, S, numHiddens]);
    for (const options of [{}, { validLens: { data: [S, Math.ceil(S / 2)], shape: [2] } }]) {
      const expected = reference(queries, keys, keys, { numHeads: heads, state }, options);
      expectForward(layer.forward(queries, keys, keys, { ...options, needWeights: true }), expected);
      expectForward(layer.forward(queries, keys, keys, options), expected);
    }
    layer.dispose();
  });

  test.each([1, 2, 3, 6])('for six query heads and %i key/value heads', (numKvHeads) => {
    const random = new Random(numKvHeads);
    const { layer, state } = layerOf({ numHiddens: 24, numHeads: 6, numKvHeads, bias: true });
    expect(state['W_k.weight']!.shape).toEqual([numKvHeads * 4, 24]);
    const x = random.tensor([2, 5, 24]);
    const options = { isCausal: true };
    const expected = reference(x, x, x, { numHeads: 6, numKvHeads, state }, options);
    expectForward(layer.forward(x, x, x, { ...options, needWeights: true }), expected);
  });

  test('for inputs of three different widths', () => {
    const random = new Random(5);
    const { layer, state } = layerOf({ numHiddens: 12, numHeads: 3, querySize: 5, keySize: 7, valueSize: 9 });
    const [q, k, v] = [random.tensor([2, 3, 5]), random.tensor([2, 4, 7]), random.tensor([2, 4, 9])];
    expectForward(layer.forward(q, k, v, { needWeights: true }), reference(q, k, v, { numHeads: 3, state }));
  });

  test('with the options of attention', () => {
    const random = new Random(6);
    const { layer, state } = layerOf({ numHiddens: 12, numHeads: 3, bias: true });
    const x = random.tensor([2, 6, 12]);
    for (const options of [
      { mask: random.mask([2, 1, 6, 6]) },
      { bias: random.tensor([3, 6, 6]) },
      { isCausal: true, softcap: 2 },
      { scale: 0.1, window: [2, 1] as const },
      { isCausal: true, causalOffset: [-2, 1] },
      { alibiSlopes: { data: [0.5, 0.25, 0.125], shape: [3] } },
      { relativeKeys: random.tensor([5, 4]), relativeValues: random.tensor([5, 4]) },
      { sinks: random.tensor([3]), isCausal: true },
    ]) {
      const expected = reference(x, x, x, { numHeads: 3, state }, options);
      expectForward(layer.forward(x, x, x, { ...options, needWeights: true }), expected);
    }
  });

  test('gives packed sequences the same as each alone, with rotary positions within each', () => {
    const random = new Random(7);
    const layer = new attention.MultiHeadAttention({ numHiddens: 12, numHeads: 3, rotary: {}, seed: 1 });
    const rows = (x: Numbers, from: number, to: number) => ({
      data: Float32Array.from(x.data).slice(12 * from, 12 * to),
      shape: [1, to - from, 12],
    });
    const [x, y] = [random.tensor([1, 9, 12]), random.tensor([1, 11, 12])];
    const [query, key] = [
      [0, 2, 2, 9],
      [0, 4, 8, 11],
    ] as const;
    for (const [memory, cuSeqlens] of [
      [x, query],
      [y, { query, key }],
    ] as const) {
      const keys = 'key' in cuSeqlens ? cuSeqlens.key : cuSeqlens;
      for (const options of [{}, { isCausal: true, causalOffset: [1, 0, -1] }]) {
        const { output } = layer.forward(x, memory, memory, { ...options, offset: 5, cuSeqlens });
        query.slice(0, -1).forEach((from, n) => {
          const own = rows(memory, keys[n]!, keys[n + 1]!);
          const causalOffset = options.causalOffset?.[n] ?? 0;
          const alone = layer.forward(rows(x, from, query[n + 1]!), own, own, {
            ...options,
            offset: 5,
            causalOffset,
          });
          // The same sums in blocks with other boundaries.
          expectClose(rows(output, from, query[n + 1]!), alone.output, { atol: 64 * EPS });
        });
      }
    }
    expect(() =>
      layer.forward(x, x, x, { cuSeqlens: query, cache: layer.createCache({ batch: 1, maxLength: 9 }) }),
    ).toThrow(/no cache with cuSeqlens/);
  });
});
