/** Comparing float32 results with float64 ones. */

export const EPSILON = 2 ** -23;

/** Collects the largest error in units of what is allowed there. */
export class Errors {
  largest = 0;
  /** The largest plain difference, for rows whose bar is about accuracy. */
  absolute = 0;

  /** `scale`: the size of the numbers that were added up to get `expected`; `factor`: how many roundings are fine. */
  compare(actual, expected, scale, factor) {
    const difference = Math.abs(actual - expected);
    const units = difference / (factor * EPSILON * scale);
    // A NaN fails every comparison, so it has to be let in by name.
    if (!(units <= this.largest)) this.largest = Number.isNaN(units) ? Infinity : units;
    if (!(difference <= this.absolute)) this.absolute = Number.isNaN(difference) ? Infinity : difference;
  }

  /** Throws unless `data` is a Float32Array of that length. */
  static length(name, data, length) {
    if (!(data instanceof Float32Array))
      throw new Error(`${name}: expected a Float32Array, got ${typeof data}`);
    if (data.length !== length) throw new Error(`${name}: expected ${length} numbers, got ${data.length}`);
  }
}

/** Softmax in float64 of `scores`, of which the first `valid` count. */
export function softmax64(scores, valid) {
  let largest = -Infinity;
  for (let j = 0; j < valid; j++) largest = Math.max(largest, scores[j]);
  const weights = new Float64Array(scores.length);
  let sum = 0;
  for (let j = 0; j < valid; j++) sum += weights[j] = Math.exp(scores[j] - largest);
  for (let j = 0; j < valid; j++) weights[j] /= sum;
  return weights;
}
