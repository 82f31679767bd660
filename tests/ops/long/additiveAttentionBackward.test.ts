import { describe, test } from '@jest/globals';
import { randomAdditive } from '../../support/additiveCases.js';
import { expectAgreement, outputShape } from '../../support/additiveGradients.js';
import { Random } from '../../support/random.js';
import { BLOCK_SIZES, SIZES } from '../../support/sizes.js';

describe('additiveAttentionBackward agrees with the float64 oracle', () => {
  test.each([
    ...SIZES.flatMap((n) => ['L', 'S', 'Dq', 'Dk', 'Dv', 'D'].map((axis) => [axis, n] as const)),
    ...BLOCK_SIZES.flatMap((n) => ['S', 'Dq', 'Dk', 'D'].map((axis) => [axis, n] as const)),
  ])('for %s = %i', (axis, n) => {
    const random = new Random(n);
    const t = randomAdditive(random, { [axis]: n });
    const g = random.tensor(outputShape(t));
    const [L, S] = [t.queries.shape[1]!, t.keys.shape[1]!];
    expectAgreement(g, t);
    expectAgreement(g, t, { data: Int32Array.of(S, random.integer(0, S)), shape: [2] });
    const lens = Int32Array.from({ length: 2 * L }, () => random.integer(0, S + 1));
    expectAgreement(g, t, { data: lens, shape: [2, L] });
  });
});
