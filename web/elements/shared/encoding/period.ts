/** The period of pair j of columns, in positions. */
export function periodOf(j: number, dim: number, base: number): number {
  return 2 * Math.PI * base ** ((2 * j) / dim);
}
