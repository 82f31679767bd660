/** All options of scaledDotProductAttention, alone and in random combinations, agree with the float64 oracle. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scaledDotProductAttention as reference } from '../../reference/scaledDotProductAttention.js';
import { ALL_FEATURES, attentionCall, poison } from '../../support/attentionArbitrary.js';
import { expectAttention } from '../../support/attentionTolerance.js';
import { EPS, expectClose, maxAbs } from '../../support/close.js';
import { scaledDotProductAttention } from '../../support/library.js';
import { expectPoisonContained } from '../../support/poison.js';

describe('scaledDotProductAttention agrees with the float64 oracle', () => {
  test('with any combination of the basic options and ranks', () => {
    const features = ['validLens', 'validLensPerQuery', 'mask', 'bias', 'isCausal', 'scale', 'softcap'] as const;
    fc.assert(
      fc.property(attentionCall(features), fc.boolean(), ({ query, key, value, options }, needWeights) => {
        const { output, weights } = reference(query, key, value, options);
        const result = scaledDotProductAttention(query, key, value, { ...options, needWeights });
        expectAttention(result, { output, ...(needWeights && { weights }) }, value);
      }),
      { seed: 3, numRuns: 200 },
    );
  });

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
        attentionCall([feature]).filter(({ options }) => feature === 'grouped' || Object.keys(options).length > 0),
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
    const largest = Math.max(maxAbs(value.data), maxAbs(pastValue?.data ?? [])) + maxAbs(relativeValues?.data ?? []);
    return { data: [largest], shape: [1] };
  }
});

describe('scaledDotProductAttention with masks', () => {
  test.each([
    ['few', 200],
    ['many', 40],
  ] as const)('lets no hidden key or value reach the result, over %s keys', (keys, numRuns) => {
    fc.assert(
      fc.property(attentionCall(ALL_FEATURES, keys), poison, (call, bad) => {
        expectPoisonContained(scaledDotProductAttention, call, bad);
      }),
      { seed: 23, numRuns },
    );
  });
});
