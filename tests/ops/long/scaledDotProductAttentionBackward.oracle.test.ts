/**
 * The oracle of attention's gradients agrees with PyTorch's float64 results and with differences of the forward oracle.
 */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scaledDotProductAttention as forward } from '../../reference/scaledDotProductAttention.js';
import { scaledDotProductAttentionBackward as backward } from '../../reference/scaledDotProductAttentionBackward.js';
import { ALL_FEATURES, attentionCall } from '../../support/attentionArbitrary.js';
import { expectClose, maxAbs, type Numbers } from '../../support/close.js';
import { gradientCases } from '../../support/gradientCases.js';
import { Random } from '../../support/random.js';

describe("the float64 oracle of attention's gradients", () => {
  test.each(gradientCases())('agrees with PyTorch on $name', ({ gradOutput, query, key, value, options, expected }) => {
    const result = backward(gradOutput, query, key, value, options);
    // Both are computed in float64, with a few hundred roundings of 2^-53.
    const double = { rtol: 1e-11, atol: 1e-11 };
    for (const name of ['query', 'key', 'value'] as const) expectClose(result[name], expected[name], double);
    if (expected.bias) expectClose(result.bias, expected.bias, double);
  });

  test('agrees with differences of the forward oracle for any options', () => {
    let compared = 0;
    fc.assert(
      fc.property(attentionCall(ALL_FEATURES), fc.nat(), ({ query, key, value, options }, seed) => {
        const random = new Random(seed);
        const gradOutput = random.tensor([...query.shape.slice(0, -1), value.shape.at(-1)!]);
        const call = { ...options, query: double(query), key: double(key), value: double(value) };
        for (const name of ['bias', 'relativeKeys', 'relativeValues', 'sinks', 'pastKey', 'pastValue'] as const) {
          if (call[name]) call[name] = double(call[name]);
        }
        const loss = (): number => {
          const { output } = forward(call.query, call.key, call.value, call);
          return output.data.reduce((sum, x, at) => sum + x * gradOutput.data[at]!, 0);
        };
        const gradients = backward(gradOutput, query, key, value, options);
        for (const name of Object.keys(gradients) as (keyof typeof gradients)[]) {
          const gradient = gradients[name]!;
          const data = call[name]!.data as Float64Array;
          expect(gradient.shape).toEqual(call[name]!.shape);
          if (data.length === 0) continue;
          const at = random.integer(0, data.length - 1);
          const x = data[at]!;
          const step = 1e-5;
          data[at] = x + step;
          const above = loss();
          data[at] = x - step;
          const below = loss();
          data[at] = x;
          // The difference is off by step² times the third derivative, and by roundings of sums of up to 10^4 terms
          // (1e-13) divided by the step.
          const allowed = 1e-6 * (1 + maxAbs(gradient.data));
          expect(Math.abs((above - below) / (2 * step) - gradient.data[at]!)).toBeLessThan(allowed);
          if (gradient.data[at] !== 0) ++compared;
        }
      }),
      { seed: 41, numRuns: 120 },
    );
    // Most gradients that were compared are not 0.
    expect(compared).toBeGreaterThan(250);
  });
});

function double({ data, shape }: Numbers): { data: Float64Array; shape: readonly number[] } {
  return { data: Float64Array.from(data), shape };
}
