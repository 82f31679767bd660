import { describe, expect, test } from '@jest/globals';
import { gradientCases } from '../support/gradientCases.js';
import { expectFixture } from '../support/fixtures.js';
import { expectBackward } from '../support/gradientTolerance.js';
import { scaledDotProductAttentionBackward } from '../support/library.js';
import { Random } from '../support/random.js';
import { ATTENTION_SIZES } from '../support/sizes.js';

describe('scaledDotProductAttentionBackward agrees with PyTorch', () => {
  test.each(gradientCases())('on $name', ({ gradOutput, query, key, value, options, expected }) => {
    const result = scaledDotProductAttentionBackward(gradOutput, query, key, value, options);
    for (const name of ['query', 'key', 'value'] as const) {
      expectFixture(result[name], expected[name]);
    }
    if (expected.bias) expectFixture(result.bias, expected.bias);
    else expect(result.bias).toBeUndefined();
  });
});

describe('scaledDotProductAttentionBackward agrees with the float64 oracle', () => {
  test.each(ATTENTION_SIZES)('for L $L, S $S, E $E, Ev $Ev', ({ L, S, E, Ev }) => {
    const random = new Random(L + 100 * S + 10000 * E + Ev);
    const [query, key, value] = [random.tensor([2, L, E]), random.tensor([2, S, E]), random.tensor([2, S, Ev])];
    const validLens = { data: Int32Array.of(random.integer(0, S), S), shape: [2] };
    for (const options of [{}, { validLens }, { isCausal: true }]) expectBackward({ query, key, value, options }, L);
  });
});
