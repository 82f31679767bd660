import { EPS, expectClose, maxAbs, type Numbers } from './close.js';

/** The parts of an attention result that are compared. */
interface Result {
  readonly output?: Numbers;
  readonly weights?: Numbers | undefined;
  readonly logSumExp?: Numbers | undefined;
  /** The oracle's scores. Needed only if they may be large, for instance slopes times distances. */
  readonly masked?: Numbers | undefined;
}

/**
 * The relative error of a weight, for inputs of unit variance, widths up to 65 and logits below about 10. A logit is a
 * sum of E products. Their roundings of 2^-24 add up at random to a standard deviation of about 2·EPS at E = 64; four
 * deviations are 8·EPS. A weight depends on two logits, its own and the largest: 16·EPS. The exponential (2·EPS), the
 * division and the sum in the denominator, whose errors average out, stay well within the other 16·EPS.
 */
export const WEIGHT_RTOL = 32 * EPS;

/**
 * Compares with an oracle: outputs relative to the largest value that they mix, weights relative to themselves. A logit
 * of magnitude m is a sum of up to four terms (product, bias, slope times distance, relative key), each rounded by
 * m·2^-24, which is half of m·EPS. A weight depends on two logits, so 2·4·m·EPS/2 = 4·m·EPS are allowed besides
 * WEIGHT_RTOL.
 */
export function expectAttention(actual: Result, expected: Result, value: Numbers): void {
  const largest = expected.masked ? maxAbs(finite(expected.masked.data)) : 0;
  const rtol = WEIGHT_RTOL + 4 * largest * EPS;
  if (expected.output) {
    expectClose(actual.output, expected.output, { atol: rtol * maxAbs(finite(value.data)) });
  }
  if (expected.weights) {
    // Weights below 2^-126, the smallest normal float32, may become zero.
    expectClose(actual.weights, expected.weights, { rtol, atol: 2 ** -126 });
  }
  if (expected.logSumExp) {
    // It depends on one logit where a weight depends on two, and is itself rounded once.
    expectClose(actual.logSumExp, expected.logSumExp, { rtol: EPS, atol: rtol / 2 });
  }
}

function finite(data: ArrayLike<number>): number[] {
  return Array.from(data).filter(Number.isFinite);
}
