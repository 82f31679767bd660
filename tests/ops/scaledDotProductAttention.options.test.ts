/** The options of scaledDotProductAttention beyond the basic ones: offsets, windows, caches, relative positions, extra outputs. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scaledDotProductAttention as reference } from '../reference/scaledDotProductAttention.js';
import { ALL_FEATURES, attentionCall, poison } from '../support/attentionArbitrary.js';
import { attentionCases, positionalCases } from '../support/attentionCases.js';
import { expectAttention, WEIGHT_RTOL } from '../support/attentionTolerance.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { expectFixture } from '../support/fixtures.js';
import { scaledDotProductAttention } from '../support/library.js';
import { expectPoisonContained } from '../support/poison.js';
import { Random } from '../support/random.js';
import { SIZES } from '../support/sizes.js';

describe('scaledDotProductAttention against PyTorch: relative positions and logSumExp', () => {
  test.each(positionalCases())('$name', ({ query, key, value, options, expected }) => {
    const result = scaledDotProductAttention(query, key, value, { ...options, needWeights: true });
    expectFixture(result.output, expected.output);
    expectFixture(result.weights, expected.weights!);
  });

  test.each(attentionCases().filter(({ expected }) => expected.logSumExp))(
    'logSumExp of $name',
    ({ query, key, value, options, expected }) => {
      const { logSumExp } = scaledDotProductAttention(query, key, value, { ...options, needLogSumExp: true });
      expectFixture(logSumExp, expected.logSumExp!);
    },
  );
});

describe('scaledDotProductAttention against the float64 oracle: every option', () => {
  test.each([
    ['few', 300],
    ['many', 60],
  ] as const)('any combination of options over %s keys', (keys, numRuns) => {
    fc.assert(
      fc.property(
        attentionCall(ALL_FEATURES, keys),
        fc.boolean(),
        fc.constantFrom(undefined, 'scaled', 'softcapped', 'masked'),
        ({ query, key, value, options }, needWeights, needScores) => {
          const expected = reference(query, key, value, options);
          const result = scaledDotProductAttention(query, key, value, {
            ...options,
            needWeights,
            needLogSumExp: true,
            ...(needScores && { needScores }),
          });
          const { output, weights, logSumExp, masked } = expected;
          expectAttention(
            result,
            { output, logSumExp, masked, ...(needWeights && { weights }) },
            mixed(value, options),
          );
          if (needScores) {
            const scale = maxAbs(Array.from(expected[needScores].data).filter(Number.isFinite));
            // A logit of the sizes drawn here is a sum of up to 65 products, as WEIGHT_RTOL counts them.
            expectClose(result.scores, expected[needScores], { atol: 16 * EPS * Math.max(1, scale) });
          } else {
            expect(result.scores).toBeUndefined();
          }
        },
      ),
      { seed: 21, numRuns },
    );
  });

  test.each(ALL_FEATURES)('%s alone', (feature) => {
    fc.assert(
      fc.property(
        attentionCall([feature]).filter(
          ({ options }) => feature === 'grouped' || Object.keys(options).length > 0,
        ),
        ({ query, key, value, options }) => {
          const expected = reference(query, key, value, options);
          const result = scaledDotProductAttention(query, key, value, {
            ...options,
            needWeights: true,
            needLogSumExp: true,
          });
          expectAttention(result, expected, mixed(value, options));
        },
      ),
      { seed: 22, numRuns: 30 },
    );
  });

  /** What the weights mix: values, and relative values on top. */
  function mixed(
    value: { data: ArrayLike<number>; shape: readonly number[] },
    {
      pastValue,
      relativeValues,
    }: { pastValue?: { data: ArrayLike<number> }; relativeValues?: { data: ArrayLike<number> } },
  ) {
    const largest =
      Math.max(maxAbs(value.data), maxAbs(pastValue?.data ?? [])) + maxAbs(relativeValues?.data ?? []);
    return { data: [largest], shape: [1] };
  }

  test.each(SIZES)('causal, windowed and grouped attention of %i tokens after 5 past ones', (n) => {
    const random = new Random(n);
    const query = random.tensor([2, 4, n, 8]);
    const [key, value] = [random.tensor([2, 2, n, 8]), random.tensor([2, 2, n, 5])];
    const [pastKey, pastValue] = [random.tensor([2, 2, 5, 8]), random.tensor([2, 2, 5, 5])];
    for (const options of [
      { isCausal: true, pastKey, pastValue },
      { isCausal: true, window: [3, 0] as const, pastKey, pastValue },
      { window: 2, causalOffset: [-1, 3], pastKey, pastValue },
      { isCausal: true, validLens: { data: [5 + n, 3], shape: [2] }, pastKey, pastValue },
    ]) {
      const { output, weights } = reference(query, key, value, options);
      const result = scaledDotProductAttention(query, key, value, { ...options, needWeights: true });
      expectAttention(result, { output, weights }, value);
      expectAttention(scaledDotProductAttention(query, key, value, options), { output }, value);
    }
  });
});

describe('scaledDotProductAttention: masks', () => {
  test.each([
    ['few', 200],
    ['many', 40],
  ] as const)('never lets what any mask hides reach the result, over %s keys', (keys, numRuns) => {
    fc.assert(
      fc.property(attentionCall(ALL_FEATURES, keys), poison, (call, bad) => {
        expectPoisonContained(scaledDotProductAttention, call, bad);
      }),
      { seed: 23, numRuns },
    );
  });

  test.each([NaN, Infinity, -Infinity])(
    'never reads rows of the relative tables that only masked keys use: %d',
    (bad) => {
      const random = new Random(24);
      const x = random.tensor([6, 4]);
      const table = (): Float32Array => random.tensor([11, 4]).data;
      const [relativeKeys, relativeValues] = [table(), table()];
      const options = (keys: Float32Array, values: Float32Array) => ({
        isCausal: true,
        relativeKeys: { data: keys, shape: [11, 4] },
        relativeValues: { data: values, shape: [11, 4] },
        needWeights: true,
      });
      // Rows 6 and up are for keys after the query.
      const poisoned = (data: Float32Array) => data.map((entry, at) => (at >= 24 ? bad : entry));
      expect(
        scaledDotProductAttention(x, x, x, options(poisoned(relativeKeys), poisoned(relativeValues))),
      ).toEqual(scaledDotProductAttention(x, x, x, options(relativeKeys, relativeValues)));
    },
  );

  test('a bias or mask is not read beyond the keys it covers', () => {
    const random = new Random(25);
    const x = random.tensor([1, 6, 4]);
    const bias = { data: Float32Array.of(0, 1, NaN, NaN, NaN, NaN), shape: [6] };
    const options = { needWeights: true, validLens: [2] };
    expect(scaledDotProductAttention(x, x, x, { ...options, bias })).toEqual(
      scaledDotProductAttention(x, x, x, { ...options, bias: { data: Float32Array.of(0, 1), shape: [2] } }),
    );
  });

  test('empty rows give zeros, zero weights and a logSumExp of -Infinity', () => {
    const random = new Random(26);
    const [query, key, value] = [
      random.tensor([2, 2, 3, 4]),
      random.tensor([2, 2, 5, 4]),
      random.tensor([2, 2, 5, 6]),
    ];
    const tables = { relativeKeys: random.tensor([3, 4]), relativeValues: random.tensor([3, 6]) };
    for (const options of [
      { isCausal: true, causalOffset: -3 },
      { isCausal: true, causalOffset: [-9, -3] },
      { window: [0, 0] as const, causalOffset: 5 },
      { window: 1, causalOffset: -9 },
      { validLens: [0, 0], alibiSlopes: [0.5, 0.25], ...tables },
    ]) {
      const result = scaledDotProductAttention(query, key, value, {
        ...options,
        needWeights: true,
        needLogSumExp: true,
        needScores: 'masked',
      });
      expect(result.output.data).toEqual(new Float32Array(72));
      expect(result.weights!.data).toEqual(new Float32Array(60));
      expect(result.scores!.data).toEqual(new Float32Array(60).fill(-Infinity));
      expect(result.logSumExp).toEqual({ data: new Float32Array(12).fill(-Infinity), shape: [2, 2, 3] });
    }
    const none = { data: new Float32Array(0), shape: [2, 2, 0, 4] };
    const { logSumExp } = scaledDotProductAttention(query, none, none, { needLogSumExp: true });
    expect(logSumExp!.data).toEqual(new Float32Array(12).fill(-Infinity));
  });

  test('windows and offsets of any size mean what they say', () => {
    const random = new Random(27);
    const [query, key, value] = [random.tensor([3, 4]), random.tensor([5, 4]), random.tensor([5, 2])];
    const open = scaledDotProductAttention(query, key, value).output;
    for (const [window, causalOffset] of [
      [[-1, -1], 0],
      [2 ** 30, 0],
      [2 ** 30, 5],
      [[-1, 2 ** 30], 2 ** 29],
      [[-1, 2 ** 30], 2 ** 30],
      [[2 ** 30, -1], -(2 ** 29)],
    ] as const) {
      expect(scaledDotProductAttention(query, key, value, { window, causalOffset }).output).toEqual(open);
    }
    const causal = scaledDotProductAttention(query, key, value, { isCausal: true, causalOffset: 2 ** 29 });
    expect(causal.output).toEqual(open);
    const nothing = scaledDotProductAttention(query, key, value, {
      isCausal: true,
      causalOffset: -(2 ** 29),
    });
    expect(nothing.output.data).toEqual(new Float32Array(6));
  });
});

describe('scaledDotProductAttention: grouped heads and caches', () => {
  test('grouped heads give what repeated keys and values give', () => {
    const random = new Random(31);
    const query = random.tensor([2, 6, 3, 5]);
    for (const Hkv of [1, 2, 3, 6]) {
      const [key, value] = [random.tensor([2, Hkv, 4, 5]), random.tensor([2, Hkv, 4, 7])];
      const repeated = ({ data, shape }: typeof key) => {
        const size = shape[2]! * shape[3]!;
        const heads = Array.from({ length: 12 }, (_, h) => Math.floor(h / (6 / Hkv)) * size);
        return {
          data: Float32Array.from(heads.flatMap((start) => [...data.subarray(start, start + size)])),
          shape: [2, 6, ...shape.slice(2)],
        };
      };
      const options = { isCausal: true, needWeights: true };
      expectAttention(
        scaledDotProductAttention(query, key, value, options),
        scaledDotProductAttention(query, repeated(key), repeated(value), options),
        value,
      );
    }
  });

  test('decoding token by token with a cache gives what one causal call gives', () => {
    const random = new Random(32);
    const n = 9;
    const [query, key, value] = [
      random.tensor([2, 4, n, 6]),
      random.tensor([2, 2, n, 6]),
      random.tensor([2, 2, n, 3]),
    ];
    const full = scaledDotProductAttention(query, key, value, { isCausal: true }).output;
    const step = ({ data, shape }: typeof query, i: number) => {
      const [B, H, , d] = shape as [number, number, number, number];
      const rows = Array.from({ length: B * H }, (_, head) => [
        ...data.subarray((head * n + i) * d, (head * n + i + 1) * d),
      ]);
      return { data: Float32Array.from(rows.flat()), shape: [B, H, 1, d] };
    };
    let pastKey: { data: Float32Array; shape: readonly number[] } = {
      data: new Float32Array(0),
      shape: [2, 2, 0, 6],
    };
    let pastValue: typeof pastKey = { data: new Float32Array(0), shape: [2, 2, 0, 3] };
    for (let i = 0; i < n; ++i) {
      const result = scaledDotProductAttention(step(query, i), step(key, i), step(value, i), {
        isCausal: true,
        pastKey,
        pastValue,
      });
      expectAttention({ output: result.output }, { output: step(full, i) }, value);
      pastKey = result.presentKey!;
      pastValue = result.presentValue!;
    }
    expect(pastKey).toEqual(key);
    expect(pastValue).toEqual(value);
  });

  test('the present cache is past and new keys, copied, and absent without a past', () => {
    const random = new Random(33);
    const [query, key, value] = [
      random.tensor([2, 1, 2, 3]),
      random.tensor([2, 1, 2, 3]),
      random.tensor([2, 1, 2, 4]),
    ];
    const [pastKey, pastValue] = [random.tensor([2, 1, 3, 3]), random.tensor([2, 1, 3, 4])];
    const { presentKey, presentValue } = scaledDotProductAttention(query, key, value, { pastKey, pastValue });
    const expected = reference(query, key, value, { pastKey, pastValue });
    expect([...presentKey!.data]).toEqual([...expected.presentKey.data]);
    expect(presentKey!.shape).toEqual([2, 1, 5, 3]);
    expect([...presentValue!.data]).toEqual([...expected.presentValue.data]);
    expect(presentValue!.shape).toEqual([2, 1, 5, 4]);
    const without = scaledDotProductAttention(query, key, value);
    expect(without.presentKey).toBeUndefined();
    expect(without.presentValue).toBeUndefined();
  });
});

describe('scaledDotProductAttention: outputs', () => {
  test('needScores "scaled" and "softcapped" show masked keys too, "masked" shows -Infinity', () => {
    const query = [[2, 0]];
    const key = [[1, 0], [3, 0], [-1, 5]]; // prettier-ignore
    const options = { scale: 1, softcap: 2, mask: [[true, false, true]], bias: [[0.5, 0.5, 0.5]] };
    const scores = (needScores: 'scaled' | 'softcapped' | 'masked') =>
      scaledDotProductAttention(query, key, [[1], [2], [3]], { ...options, needScores }).scores;
    const capped = [2, 6, -2].map((x) => 2 * Math.tanh(x / 2));
    expect(scores('scaled')).toEqual({ data: Float32Array.of(2, 6, -2), shape: [1, 3] });
    expectClose(scores('softcapped'), { data: capped, shape: [1, 3] }, { atol: 4 * EPS });
    expectClose(
      scores('masked'),
      { data: [capped[0]! + 0.5, -Infinity, capped[2]! + 0.5], shape: [1, 3] },
      { atol: 8 * EPS },
    );
  });

  test('writes into the arrays it is given and returns those', () => {
    const random = new Random(41);
    const [query, key, value] = [
      random.tensor([2, 3, 4]),
      random.tensor([2, 5, 4]),
      random.tensor([2, 5, 6]),
    ];
    const fresh = scaledDotProductAttention(query, key, value, { needWeights: true });
    const out = { output: new Float32Array(36).fill(9), weights: new Float32Array(30).fill(9) };
    const result = scaledDotProductAttention(query, key, value, { needWeights: true, out });
    expect(result).toEqual(fresh);
    expect(result.output.data).toBe(out.output);
    expect(result.weights!.data).toBe(out.weights);
  });

  test('the weights say what the output mixes: output = weights·V', () => {
    const random = new Random(42);
    const [query, key, value] = [
      random.tensor([1, 2, 8, 4]),
      random.tensor([1, 2, 33, 4]),
      random.tensor([1, 2, 33, 3]),
    ];
    const options = { softcap: 3, window: [9, 2] as const, causalOffset: 12, alibiSlopes: [0.1, 0.01] };
    const { output, weights } = scaledDotProductAttention(query, key, value, {
      ...options,
      needWeights: true,
    });
    const mixture = new Float64Array(output.data.length);
    for (let row = 0; row < 16; ++row) {
      for (let j = 0; j < 33; ++j) {
        for (let e = 0; e < 3; ++e) {
          const at = (Math.floor(row / 8) * 33 + j) * 3 + e;
          mixture[row * 3 + e] = mixture[row * 3 + e]! + weights!.data[row * 33 + j]! * value.data[at]!;
        }
      }
    }
    expectClose(output, { data: mixture, shape: output.shape }, { atol: WEIGHT_RTOL * maxAbs(value.data) });
  });
});
