/** Bounds for random counts and means. The seeds are fixed, so these checks never fail by chance. */

/**
 * Throws unless `hits` of `trials` independent draws are within four standard deviations of what `probability`
 * predicts.
 */
export function expectBinomial(hits: number, trials: number, probability: number): void {
  const mean = trials * probability;
  const allowed = 4 * Math.sqrt(mean * (1 - probability));
  if (Math.abs(hits - mean) > allowed) {
    throw new Error(`expected ${mean} ± ${allowed} of ${trials} draws, got ${hits}`);
  }
}

/** Throws unless the means of x, x² and x⁴ are within five standard deviations of those of a standard normal x. */
export function expectStandardNormal(data: ArrayLike<number>): void {
  const numbers = Array.from(data);
  for (const { power, mean, variance } of [
    { power: 1, mean: 0, variance: 1 },
    { power: 2, mean: 1, variance: 2 },
    { power: 4, mean: 3, variance: 96 },
  ]) {
    const found = numbers.reduce((sum, x) => sum + x ** power, 0) / numbers.length;
    const allowed = 5 * Math.sqrt(variance / numbers.length);
    if (!(Math.abs(found - mean) <= allowed)) {
      throw new Error(`expected a mean of x^${power} of ${mean} ± ${allowed}, got ${found}`);
    }
  }
}
