/**
 * The linear memory grows by a fifth at a time, so that it hides small leaks until there are many. Filled up first, it shows
 * them.
 */
import { attention, heapBytes } from './library.js';

/** Floats of each of a piece's two arrays: 16 KB together. */
const PIECE = 2048;
const PIECE_BYTES = 8 * PIECE;

/** Fills the heap but for some 64 KB; the memory is given back by `dispose`. */
export function fillHeap(): { dispose(): void } {
  const ballast: { dispose(): void }[] = [];
  const add = () => ballast.push(new attention.LayerNorm({ normalizedShape: PIECE }));
  const before = heapBytes();
  while (heapBytes() === before) add();
  // What is free now is what it grew by, but for the one piece that did not fit.
  const full = heapBytes();
  const free = full - before - 2 * PIECE_BYTES;
  for (let filled = 0; filled + PIECE_BYTES <= free; filled += PIECE_BYTES + 32) add();
  if (heapBytes() !== full) throw new Error(`expected a heap of ${full} bytes, got ${heapBytes()}`);
  return { dispose: () => ballast.forEach((piece) => piece.dispose()) };
}
