/**
 * The range of a picture's scale: 0 to 1 or −1 to 1 if the values fit, as weights and waves do; otherwise from the
 * least finite value to the greatest. Never empty.
 */
export function rangeOf(values: ArrayLike<number>): [low: number, high: number] {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < values.length; ++i) {
    const value = values[i]!;
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high || (low >= 0 && high <= 1)) return [0, 1];
  if (low >= -1 && high <= 1) return [-1, 1];
  return low < high ? [low, high] : [low - 1, high + 1];
}
