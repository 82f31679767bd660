/**
 * Moves overlapping labels apart by as little as possible: neighbours are at least `gap` apart and all stay within [top, bottom].
 * Takes and returns heights in the same order.
 */
export function spreadLabels(heights: readonly number[], gap: number, top: number, bottom: number): number[] {
  const order = heights.map((height, index) => ({ height, index })).sort((a, b) => a.height - b.height);
  let floor = top;
  for (const label of order) {
    label.height = Math.max(label.height, floor);
    floor = label.height + gap;
  }
  let ceiling = bottom;
  for (const label of order.reverse()) {
    label.height = Math.min(label.height, ceiling);
    ceiling = label.height - gap;
  }
  const spread = new Array<number>(heights.length);
  for (const { height, index } of order) spread[index] = height;
  return spread;
}
