/** The options of scaledDotProductAttention agree with PyTorch; long/ combines all of them at random. */
import { describe, test } from '@jest/globals';
import { scaledDotProductAttention as reference } from '../reference/scaledDotProductAttention.js';
import { attentionCases, positionalCases } from '../support/attentionCases.js';
import { expectAttention } from '../support/attentionTolerance.js';
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
