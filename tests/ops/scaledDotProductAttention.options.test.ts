/** All options of scaledDotProductAttention, alone and combined, agree with PyTorch and the float64 oracle. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scaledDotProductAttention as reference } from '../reference/scaledDotProductAttention.js';
import { ALL_FEATURES, attentionCall } from '../support/attentionArbitrary.js';
import { attentionCases, positionalCases } from '../support/attentionCases.js';
import { expectAttention } from '../support/attentionTolerance.js';
import { EPS, expectClose, maxAbs } from '../support/close.js';
import { expectFixture } from '../support/fixtures.js';
import { scaledDotProductAttention } from '../support/library.js';
import { Random } from '../support/random.js';
import { SIZES } from '../support/sizes.js';

describe('scaledDotProductAttention agrees with PyTorch', () => {
  test.each(positionalCases())('on relative positions: $name', ({ query, key, value, options, expected }) => {
    const result = scaledDotProductAttention(query, key, value, { ...options, needWeights: true });
    expectFixture(result.output, expected.output);
    expectFixture(result.weights, expected.weights!);
  });

  test.each(attentionCases().filter(({ expected }) => expected.logSumExp))(
    'on logSumExp: $name',
    ({ query, key, value, options, expected }) => {
      const { logSumExp } = scaledDotProductAttention(query, key, value, { ...options, needLogSumExp: true });
      expectFixture(logSumExp, expected.logSumExp!);
    },
  );
});

describe('scaledDotProductAttention agrees with the float64 oracle', () => {
  test.each([
    ['few', 300],
    ['many', 60],
  ] as const)('with any combination of options over %s keys', (keys, numRuns) => {
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
            // A score is one logit; the 32·EPS of WEIGHT_RTOL allow for two.
            expectClose(result.scores, expected[needScores], { atol: 16 * EPS * Math.max(1, scale) });
          } else {
            expect(result.scores).toBeUndefined();
          }
        },
      ),
      { seed: 21, numRuns },
    );
  });

  test.each(ALL_FEATURES)('with only the option %s', (feature) => {
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

  /** A tensor as large as what the weights mix: values with relative values added. */
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

  test.each(SIZES)('with causality, windows and fewer key heads, for %i tokens after 5 past ones', (n) => {
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
