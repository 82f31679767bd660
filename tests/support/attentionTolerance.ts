import { EPS, expectClose, maxAbs, type Numbers } from './close.js';

/** What is compared of an attention result. */
interface Result {
  readonly output?: Numbers;
  readonly weights?: Numbers | undefined;
  readonly logSumExp?: Numbers | undefined;
}

/**
 * For inputs of unit variance, widths up to 65 and logits below ~10: a logit is the sum of E products, whose roundings of
 * 2^-24 add up to about 2·EPS (one standard deviation at E = 64), 8·EPS at four; a weight sees two logits (its own and the
 * largest), an exponential (2·EPS) and a division, and the sum below it averages out. 32·EPS covers that.
 */
export const WEIGHT_RTOL = 32 * EPS;

/** Compares with an oracle: outputs relative to the largest value they mix, weights relative to themselves. */
export function expectAttention(actual: Result, expected: Result, value: Numbers): void {
  if (expected.output) {
    expectClose(actual.output, expected.output, { atol: WEIGHT_RTOL * maxAbs(finite(value.data)) });
  }
  if (expected.weights) {
    // Weights below the smallest normal float32 may be flushed to zero.
    expectClose(actual.weights, expected.weights, { rtol: WEIGHT_RTOL, atol: 2 ** -126 });
  }
  if (expected.logSumExp) {
    // Its error is that of a logit (8·EPS) plus the rounding of its own value.
    expectClose(actual.logSumExp, expected.logSumExp, { rtol: EPS, atol: 16 * EPS });
  }
}

function finite(data: ArrayLike<number>): number[] {
  return Array.from(data).filter(Number.isFinite);
}
