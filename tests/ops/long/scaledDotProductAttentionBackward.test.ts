/** Random combinations of options, against the float64 oracle. */
import { describe, test } from '@jest/globals';
import fc from 'fast-check';
import { scaledDotProductAttention as forward } from '../../reference/scaledDotProductAttention.js';
import { scaledDotProductAttentionBackward as reference } from '../../reference/scaledDotProductAttentionBackward.js';
import { ALL_FEATURES, attentionCall } from '../../support/attentionArbitrary.js';
import { expectBackward, expectGradients } from '../../support/gradientTolerance.js';
import { scaledDotProductAttention, scaledDotProductAttentionBackward } from '../../support/library.js';
import { Random } from '../../support/random.js';

describe('scaledDotProductAttentionBackward agrees with the float64 oracle', () => {
  test.each(ALL_FEATURES)('with only the option %s', (feature) => {
    fc.assert(
      fc.property(attentionCall([feature]), fc.nat(), (call, seed) => expectBackward(call, seed)),
      { seed: 31, numRuns: 30 },
    );
  });

  test.each([
    ['few', 250],
    ['many', 30],
  ] as const)('with any combination of options over %s keys', (keys, numRuns) => {
    fc.assert(
      fc.property(attentionCall(ALL_FEATURES, keys), fc.nat(), (call, seed) => expectBackward(call, seed)),
      { seed: 32, numRuns },
    );
  });
});

describe('scaledDotProductAttentionBackward with dropout', () => {
  test('drops the same weights as the forward pass for the same seed', () => {
    fc.assert(
      fc.property(
        attentionCall(['isCausal', 'validLens', 'grouped', 'relativeValues', 'softcap', 'bias']),
        fc.integer({ min: 0, max: 2 ** 32 - 1 }),
        fc.constantFrom(0.1, 0.5, 0.9),
        ({ query, key, value, options }, seed, dropout) => {
          const gradOutput = new Random(seed).tensor([...query.shape.slice(0, -1), value.shape.at(-1)!]);
          const given = { ...options, dropout, seed };
          const { weights } = scaledDotProductAttention(query, key, value, { ...given, needWeights: true });
          const kept = Array.from(weights!.data, (weight) => (weight === 0 ? 0 : 1 / (1 - dropout)));
          expectGradients(
            scaledDotProductAttentionBackward(gradOutput, query, key, value, given),
            reference(gradOutput, query, key, value, options, kept),
            forward(query, key, value, options).masked,
          );
        },
      ),
      { seed: 33, numRuns: 100 },
    );
  });
});
