/** Press et al. 2022: a geometric sequence from 2^(-8/n) for n heads, n a power of two, or two such sequences interleaved. */
export function alibiSlopes(numHeads: number): number[] {
  if (Number.isInteger(Math.log2(numHeads))) {
    const ratio = 2 ** -(2 ** -(Math.log2(numHeads) - 3));
    return Array.from({ length: numHeads }, (_, h) => ratio * ratio ** h);
  }
  const closest = 2 ** Math.floor(Math.log2(numHeads));
  const between = alibiSlopes(2 * closest).filter((_, h) => h % 2 === 0);
  return [...alibiSlopes(closest), ...between.slice(0, numHeads - closest)];
}
