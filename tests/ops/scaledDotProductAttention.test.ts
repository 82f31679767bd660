import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scaledDotProductAttention as reference } from '../reference/scaledDotProductAttention.js';
import { attentionCall, poison, type Feature } from '../support/attentionArbitrary.js';
import { attentionCases } from '../support/attentionCases.js';
import { expectAttention } from '../support/attentionTolerance.js';
import { EPS, expectClose } from '../support/close.js';
import { expectFixture, loadFixtures } from '../support/fixtures.js';
import { expectPoisonContained } from '../support/poison.js';
import { hashed } from '../support/hashed.js';
import { scaledDotProductAttention } from '../support/library.js';
import { Random } from '../support/random.js';
import { SIZES } from '../support/sizes.js';

describe('scaledDotProductAttention against PyTorch', () => {
  test.each(attentionCases())('$name', ({ query, key, value, options, expected }) => {
    const result = scaledDotProductAttention(query, key, value, { ...options, needWeights: true });
    expectFixture(result.output, expected.output);
    if (expected.weights) expectFixture(result.weights, expected.weights);
    const fused = scaledDotProductAttention(query, key, value, options);
    expect(fused.weights).toBeUndefined();
    expectFixture(fused.output, expected.output);
  });

  test.each(loadFixtures('nasty', /^long/))('$name', (fixture) => {
    const { n, d, valid_len, sample_rows, input_formula } = fixture.attributes as {
      n: number;
      d: number;
      valid_len: number | null;
      sample_rows: number[];
      input_formula: Record<'Q' | 'K' | 'V', { seed: number; multiply: number }>;
    };
    const input = (name: 'Q' | 'K' | 'V') => ({ data: hashed(n * d, input_formula[name]), shape: [1, n, d] });
    const options = valid_len === null ? {} : { validLens: [valid_len] };
    const { output } = scaledDotProductAttention(input('Q'), input('K'), input('V'), options);
    const rows = sample_rows.flatMap((row) => [...output.data.subarray(row * d, (row + 1) * d)]);
    expectFixture({ data: rows, shape: [sample_rows.length, d] }, fixture.output('rows'));
    let [sum, absolute, squares] = [0, 0, 0];
    for (const x of output.data) {
      sum += x;
      absolute += Math.abs(x);
      squares += x * x;
    }
    const checksum = fixture.output('checksum');
    expectFixture({ data: [sum, absolute, squares], shape: [3] }, checksum);
  });
});

describe('scaledDotProductAttention against the float64 oracle', () => {
  /** One size varies, the others stay at odd numbers. */
  const sizes = [
    ...SIZES.map((n) => ({ L: n, S: 9, E: 5, Ev: 7 })),
    ...SIZES.map((n) => ({ L: 5, S: n, E: 7, Ev: 3 })),
    ...SIZES.map((n) => ({ L: 3, S: 7, E: n, Ev: 5 })),
    ...SIZES.map((n) => ({ L: 7, S: 5, E: 3, Ev: n })),
    ...SIZES.map((n) => ({ L: n, S: n, E: n, Ev: n })),
    { L: 130, S: 257, E: 20, Ev: 20 },
  ];

  test.each(sizes)('L $L, S $S, E $E, Ev $Ev', ({ L, S, E, Ev }) => {
    const random = new Random(L + 100 * S + 10000 * E + Ev);
    const query = random.tensor([2, L, E]);
    const key = random.tensor([2, S, E]);
    const value = random.tensor([2, S, Ev]);
    const validLens = { data: Int32Array.of(random.integer(0, S), S), shape: [2] };
    for (const options of [{}, { validLens }, { isCausal: true }]) {
      const expected = reference(query, key, value, options);
      expectAttention(
        scaledDotProductAttention(query, key, value, options),
        { output: expected.output },
        value,
      );
      expectAttention(
        scaledDotProductAttention(query, key, value, { ...options, needWeights: true }),
        { output: expected.output, weights: expected.weights },
        value,
      );
    }
  });

  test('any combination of the basic options and ranks', () => {
    const features = [
      'validLens',
      'validLensPerQuery',
      'mask',
      'bias',
      'isCausal',
      'scale',
      'softcap',
    ] as const;
    fc.assert(
      fc.property(attentionCall(features), fc.boolean(), ({ query, key, value, options }, needWeights) => {
        const { output, weights } = reference(query, key, value, options);
        const result = scaledDotProductAttention(query, key, value, { ...options, needWeights });
        expectAttention(result, { output, ...(needWeights && { weights }) }, value);
      }),
      { seed: 3, numRuns: 200 },
    );
  });

  test('2047 queries and keys of width 17', () => {
    const random = new Random(17);
    const [query, key, value] = [1, 2, 3].map(() => random.tensor([2047, 17])) as [never, never, never];
    const all = scaledDotProductAttention(query, key, value).output;
    const rows = [0, 1, 1023, 2046];
    const picked = rows.flatMap((row) => [
      ...(query as { data: Float32Array }).data.subarray(row * 17, row * 17 + 17),
    ]);
    const expected = reference({ data: picked, shape: [4, 17] }, key, value);
    const got = rows.flatMap((row) => [...all.data.subarray(row * 17, row * 17 + 17)]);
    expectAttention({ output: { data: got, shape: [4, 17] } }, { output: expected.output }, value);
  });
});

describe('scaledDotProductAttention', () => {
  test('gives exactly a third and a half in the textbook case: all ones, valid_lens [3, 2]', () => {
    const ones = { data: new Float32Array(2 * 5 * 4 * 20).fill(1), shape: [2, 5, 4, 20] };
    const { weights } = scaledDotProductAttention(ones, ones, ones, { validLens: [3, 2], needWeights: true });
    const third = Math.fround(1 / 3);
    const rows = [
      [third, third, third, 0],
      [0.5, 0.5, 0, 0],
    ];
    const expected = rows.flatMap((row) => Array.from({ length: 20 }, () => row).flat());
    expect(weights).toEqual({ data: Float32Array.from(expected), shape: [2, 5, 4, 4] });
  });

  test('has weights whose rows sum to 1 and outputs within the values', () => {
    fc.assert(
      fc.property(attentionCall(['isCausal', 'softcap', 'scale']), ({ query, key, value, options }) => {
        const { output, weights } = scaledDotProductAttention(query, key, value, {
          ...options,
          needWeights: true,
        });
        const S = key.shape.at(-2)!;
        for (let row = 0; row * S < weights!.data.length; ++row) {
          const sum = weights!.data.subarray(row * S, (row + 1) * S).reduce((total, w) => total + w, 0);
          // Two sums of S roundings that walk at random: the library's and this one.
          expect(Math.abs(sum - 1)).toBeLessThanOrEqual((4 + Math.sqrt(S)) * EPS);
        }
        const largest = value.data.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
        // A mixture exceeds what it mixes only by the roundings of its weights' sum and its own.
        for (const x of output.data) expect(Math.abs(x)).toBeLessThanOrEqual(largest * (1 + (4 + S) * EPS));
      }),
      { seed: 4, numRuns: 60 },
    );
  });

  test('is permutation equivariant as self-attention', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), fc.integer({ min: 1, max: 33 }), (seed, n) => {
        const random = new Random(seed);
        const x = random.tensor([n, 6]);
        const order = Array.from({ length: n }, (_, i) => i).sort(() => random.next() - 0.5);
        const shuffled = (data: Float32Array) =>
          Float32Array.from({ length: n * 6 }, (_, at) => data[order[Math.floor(at / 6)]! * 6 + (at % 6)]!);
        const plain = scaledDotProductAttention(x, x, x).output;
        const y = { data: shuffled(x.data), shape: x.shape };
        const permuted = scaledDotProductAttention(y, y, y).output;
        expectAttention(
          { output: permuted },
          { output: { data: shuffled(plain.data), shape: plain.shape } },
          x,
        );
      }),
      { seed: 5, numRuns: 60 },
    );
  });

  test('does not change when the same vector is added to every key', () => {
    const random = new Random(6);
    const query = { data: Float32Array.from({ length: 40 }, () => random.integer(-4, 4)), shape: [5, 8] };
    const key = { data: Float32Array.from({ length: 56 }, () => random.integer(-4, 4)), shape: [7, 8] };
    const shifted = { data: key.data.map((x, at) => x + (at % 8) - 3), shape: [7, 8] };
    const value = random.tensor([7, 3]);
    // Small whole numbers times 2^-2: every logit is exact, so only the exponentials' arguments differ, and they do not.
    const options = { scale: 0.25, needWeights: true };
    expectAttention(
      scaledDotProductAttention(query, shifted, value, options),
      scaledDotProductAttention(query, key, value, options),
      value,
    );
  });

  test('with isCausal does not depend on later keys', () => {
    const random = new Random(7);
    for (const n of SIZES) {
      const [query, key, value] = [1, 2, 3].map(() => random.tensor([n, 5])) as [never, never, never];
      const before = scaledDotProductAttention(query, key, value, { isCausal: true }).output.data;
      const cut = Math.floor(n / 2);
      const replaceTail = ({ data }: { data: Float32Array }) => ({
        data: data.map((x, at) => (at >= cut * 5 ? NaN : x)),
        shape: [n, 5],
      });
      const after = scaledDotProductAttention(query, replaceTail(key), replaceTail(value), {
        isCausal: true,
      });
      expect(after.output.data.subarray(0, cut * 5)).toEqual(before.subarray(0, cut * 5));
    }
  });

  test('never lets what a masked key or value holds reach the result', () => {
    const features: Feature[] = ['validLens', 'validLensPerQuery', 'mask', 'bias', 'isCausal', 'softcap'];
    fc.assert(
      fc.property(attentionCall(features), poison, ({ query, key, value, options }, poison) => {
        expectPoisonContained(scaledDotProductAttention, { query, key, value, options }, poison);
      }),
      { seed: 8, numRuns: 100 },
    );
  });
});

describe('scaledDotProductAttention on nasty inputs', () => {
  const column = (...values: number[]) => ({ data: Float32Array.from(values), shape: [values.length, 1] });

  test('logits of ±1e4 pick their maximum', () => {
    const { output, weights } = scaledDotProductAttention(
      column(100, -100),
      column(100, -100, 50),
      column(1, 2, 3),
      { scale: 1, needWeights: true },
    );
    expect([...weights!.data]).toEqual([1, 0, 0, 0, 1, 0]);
    expect([...output.data]).toEqual([1, 2]);
  });

  test('the scale is applied to the query first, so a product beyond float32 does not overflow', () => {
    const result = scaledDotProductAttention(column(2 ** 120), column(2 ** 20, -(2 ** 20)), column(1, -1), {
      scale: 2 ** -140,
      needWeights: true,
    });
    const expected = [1 / (1 + Math.exp(-2)), 1 / (1 + Math.exp(2))];
    expectClose(result.weights, { data: expected, shape: [1, 2] }, { rtol: 8 * EPS });
  });

  test('logits of ±FLT_MAX give one and zero', () => {
    const max = 3.4028234663852886e38;
    const { weights } = scaledDotProductAttention(column(max), column(1, -1, 0), column(5, 6, 7), {
      scale: 1,
      needWeights: true,
    });
    expect([...weights!.data]).toEqual([1, 0, 0]);
  });

  test('equal keys share exactly evenly', () => {
    for (const S of SIZES) {
      const key = { data: new Float32Array(S * 3).fill(0.7), shape: [S, 3] };
      const value = new Random(S).tensor([S, 2]);
      const query = new Random(S + 1).tensor([2, 3]);
      const { weights } = scaledDotProductAttention(query, key, value, { needWeights: true });
      expect(weights!.data).toEqual(new Float32Array(2 * S).fill(1 / S));
    }
  });

  test('one key gives its value, bit for bit, whatever the query', () => {
    const value = { data: Float32Array.of(0.1, -1e-30, 3e38, 7), shape: [1, 4] };
    const result = scaledDotProductAttention(column(1e4, -3, 0), column(2), value, { needWeights: true });
    expect([...result.weights!.data]).toEqual([1, 1, 1]);
    expect(result.output.data).toEqual(Float32Array.of(...value.data, ...value.data, ...value.data));
  });

  test('a NaN in one query stays in its row', () => {
    const random = new Random(12);
    const [query, key, value] = [random.tensor([3, 4]), random.tensor([9, 4]), random.tensor([9, 2])];
    const clean = scaledDotProductAttention(query, key, value).output.data;
    query.data[5] = NaN;
    const { data } = scaledDotProductAttention(query, key, value).output;
    expect([...data.subarray(2, 4)]).toEqual([NaN, NaN]);
    expect([...data.subarray(0, 2), ...data.subarray(4)]).toEqual([
      ...clean.subarray(0, 2),
      ...clean.subarray(4),
    ]);
  });

  test.each([
    ['no queries', [2, 0, 3], [2, 5, 3], [2, 5, 4]],
    ['no keys', [2, 3, 3], [2, 0, 3], [2, 0, 4]],
    ['neither', [2, 0, 3], [2, 0, 3], [2, 0, 4]],
    ['no sequences', [0, 2, 3], [0, 5, 3], [0, 5, 4]],
    ['no value width', [2, 3, 3], [2, 5, 3], [2, 5, 0]],
  ])('%s gives zeros of the right shape', (_what, queryShape, keyShape, valueShape) => {
    const random = new Random(9);
    for (const options of [{}, { isCausal: true }, { validLens: new Int32Array(queryShape[0]!).fill(2) }]) {
      const { output, weights } = scaledDotProductAttention(
        random.tensor(queryShape),
        random.tensor(keyShape),
        random.tensor(valueShape),
        { ...options, needWeights: true },
      );
      expect(output.shape).toEqual([queryShape[0], queryShape[1], valueShape[2]]);
      expect(output.data).toEqual(new Float32Array(queryShape[0]! * queryShape[1]! * valueShape[2]!));
      expect(weights!.shape).toEqual([queryShape[0], queryShape[1], keyShape[1]]);
      expect(weights!.data).toHaveLength(queryShape[0]! * queryShape[1]! * keyShape[1]!);
    }
  });

  test('a query that may attend to nothing gets zeros, by any mask', () => {
    const random = new Random(10);
    const [query, key, value] = [
      random.tensor([1, 3, 4]),
      random.tensor([1, 5, 4]),
      random.tensor([1, 5, 6]),
    ];
    for (const options of [
      { validLens: [0] },
      { validLens: [[0, 0, 0]] },
      { mask: [[false]] },
      { mask: { data: new Uint8Array(15), shape: [1, 3, 5] } },
      { bias: [[-Infinity]] },
      { mask: [[true, true, false, false, false]], bias: [[-Infinity, -Infinity, 0, 0, 0]] },
    ]) {
      const result = scaledDotProductAttention(query, key, value, { ...options, needWeights: true });
      expect(result.output.data).toEqual(new Float32Array(18));
      expect(result.weights!.data).toEqual(new Float32Array(15));
    }
  });
});

describe('scaledDotProductAttention as a function', () => {
  const random = new Random(11);
  const [query, key, value] = [random.tensor([2, 3, 4]), random.tensor([2, 5, 4]), random.tensor([2, 5, 6])];

  test('leaves its inputs alone and returns fresh arrays', () => {
    const options = {
      mask: random.mask([3, 5]),
      bias: random.tensor([2, 3, 5]),
      validLens: Int32Array.of(2, 5),
      needWeights: true,
    };
    const inputs = [
      query.data,
      key.data,
      value.data,
      options.bias.data,
      options.validLens,
      options.mask.data,
    ];
    const before = inputs.map((data) => [...data]);
    const first = scaledDotProductAttention(query, key, value, options);
    expect(inputs.map((data) => [...data])).toEqual(before);
    const kept = [...first.output.data];
    const second = scaledDotProductAttention(query, key, value, options);
    expect(second).toEqual(first);
    second.output.data.fill(0);
    second.weights!.data.fill(0);
    expect([...first.output.data]).toEqual(kept);
    expect(first.output.data.byteOffset).toBe(0);
    expect(first.output.data.buffer.byteLength).toBe(4 * 2 * 3 * 6);
  });

  test('takes nested arrays, `dims`, other typed arrays and views at an offset', () => {
    const expected = scaledDotProductAttention(query, key, value);
    const nested = (data: Float32Array, [B, n, d]: readonly number[]) =>
      Array.from({ length: B! }, (_b, b) =>
        Array.from({ length: n! }, (_i, i) => [...data.subarray((b * n! + i) * d!, (b * n! + i + 1) * d!)]),
      );
    const shifted = new Float32Array(value.data.length + 3);
    shifted.set(value.data, 3);
    const result = scaledDotProductAttention(
      nested(query.data, query.shape),
      { data: Float64Array.from(key.data), dims: key.shape },
      { data: shifted.subarray(3), shape: value.shape },
    );
    expect(result).toEqual(expected);
  });

  test('gives a sequence the same numbers alone and in a batch, and a matrix the same as a batch of one', () => {
    const batch = scaledDotProductAttention(query, key, value).output;
    const half = ({ data, shape }: typeof query) => ({
      data: data.subarray(data.length / 2),
      shape: shape.slice(1),
    });
    const alone = scaledDotProductAttention(half(query), half(key), half(value)).output;
    expect(alone.shape).toEqual([3, 6]);
    expect(alone.data).toEqual(batch.data.slice(batch.data.length / 2));
  });
});
