/**
 * Press et al. 2022: for n heads, n a power of two, the geometric sequence that starts at 2^(-8/n) and has that ratio.
 * For other numbers of heads the slopes of the next lower power of two, followed by every other slope of the next
 * higher one.
 */
export function alibiSlopes(numHeads: number): number[] {
  if (Number.isInteger(Math.log2(numHeads))) {
    const ratio = 2 ** -(2 ** -(Math.log2(numHeads) - 3));
    return Array.from({ length: numHeads }, (_, h) => ratio * ratio ** h);
  }
  const closest = 2 ** Math.floor(Math.log2(numHeads));
  const between = alibiSlopes(2 * closest).filter((_, h) => h % 2 === 0);
  return [...alibiSlopes(closest), ...between.slice(0, numHeads - closest)];
}
