import { EPS, expectClose, maxAbs, type Numbers } from './close.js';

/** What is compared of an attention result. */
interface Result {
  readonly output?: Numbers;
  readonly weights?: Numbers | undefined;
  readonly logSumExp?: Numbers | undefined;
  /** Of an oracle: the scores, where they may be large (distances times slopes, say). */
  readonly masked?: Numbers | undefined;
}

/**
 * For inputs of unit variance, widths up to 65 and logits below ~10: a logit is the sum of E products, whose roundings of
 * 2^-24 add up to about 2·EPS (one standard deviation at E = 64), 8·EPS at four; a weight sees two logits (its own and the
 * largest), an exponential (2·EPS) and a division, and the sum below it averages out. 32·EPS covers that.
 */
export const WEIGHT_RTOL = 32 * EPS;

/**
 * Compares with an oracle: outputs relative to the largest value they mix, weights relative to themselves. Logits of
 * magnitude m are sums of up to four terms (product, bias, slope times distance, relative key), each rounded at m·2^-24; a weight
 * sees two of them: another 4·m·EPS.
 */
export function expectAttention(actual: Result, expected: Result, value: Numbers): void {
  const largest = expected.masked ? maxAbs(finite(expected.masked.data)) : 0;
  const rtol = WEIGHT_RTOL + 4 * largest * EPS;
  if (expected.output) {
    expectClose(actual.output, expected.output, { atol: rtol * maxAbs(finite(value.data)) });
  }
  if (expected.weights) {
    // Weights below the smallest normal float32 may be flushed to zero.
    expectClose(actual.weights, expected.weights, { rtol, atol: 2 ** -126 });
  }
  if (expected.logSumExp) {
    // Its error is that of one logit, half of what a weight sees, plus the rounding of its own value.
    expectClose(actual.logSumExp, expected.logSumExp, { rtol: EPS, atol: rtol / 2 });
  }
}

function finite(data: ArrayLike<number>): number[] {
  return Array.from(data).filter(Number.isFinite);
}
