/** A block of cells of one colour: columns `x` to `x + width`, rows `y` to `y + height`. */
export interface Block {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Index into the ramp. */
  readonly index: number;
}

/** Runs along the rows, grown downwards while the next row has the same run. Index −1 is no block. */
export function mergedBlocks(indices: readonly number[], rows: number, columns: number): Block[] {
  const done: Block[] = [];
  let open = new Map<string, Block>();
  for (let y = 0; y < rows; ++y) {
    const next = new Map<string, Block>();
    for (let x = 0; x < columns;) {
      const index = indices[y * columns + x] ?? -1;
      let width = 1;
      while (x + width < columns && indices[y * columns + x + width] === index) ++width;
      if (index >= 0) {
        const key = `${x},${width},${index}`;
        const above = open.get(key);
        open.delete(key);
        next.set(key, above === undefined ? { x, y, width, height: 1, index } : { ...above, height: above.height + 1 });
      }
      x += width;
    }
    done.push(...open.values());
    open = next;
  }
  return [...done, ...open.values()];
}
