/** Compares float32 results with float64 ones. */

export const EPSILON = 2 ** -23;

/** Keeps the largest error, in units of the error allowed. */
export class Errors {
  largest = 0;
  /** The largest plain difference, for rows whose bar is about accuracy. */
  absolute = 0;

  /** `scale`: the sum of the magnitudes of the terms of `expected`; `factor`: how many roundings of it are allowed. */
  compare(actual, expected, scale, factor) {
    const difference = Math.abs(actual - expected);
    const units = difference / (factor * EPSILON * scale);
    // The comparison is false for NaN, which counts as an infinite error.
    if (!(units <= this.largest)) this.largest = Number.isNaN(units) ? Infinity : units;
    if (!(difference <= this.absolute)) this.absolute = Number.isNaN(difference) ? Infinity : difference;
  }

  /** Throws unless `data` is a Float32Array of that length. */
  static length(name, data, length) {
    if (!(data instanceof Float32Array)) throw new Error(`${name}: expected a Float32Array, got ${typeof data}`);
    if (data.length !== length) throw new Error(`${name}: expected ${length} numbers, got ${data.length}`);
  }
}

/** Softmax in float64 of the first `valid` scores; the other weights are 0. */
export function softmax64(scores, valid) {
  let largest = -Infinity;
  for (let j = 0; j < valid; j++) largest = Math.max(largest, scores[j]);
  const weights = new Float64Array(scores.length);
  let sum = 0;
  for (let j = 0; j < valid; j++) sum += weights[j] = Math.exp(scores[j] - largest);
  for (let j = 0; j < valid; j++) weights[j] /= sum;
  return weights;
}
