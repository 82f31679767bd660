/**
 * The linear memory grows by a fifth at a time, so that it hides small leaks until there are many. Filled up first, it shows
 * them.
 */
import { THREADS } from './instance.js';
import { attention, heapBytes } from './library.js';

/** Floats of half a piece: 16 KB together. */
const PIECE = 2048;
const PIECE_BYTES = 8 * PIECE;

interface Piece {
  dispose(): void;
}

/** A piece of the memory of one core, and one of that which several threads share. */
const PIECES: readonly (() => Piece)[] = [
  () => new attention.LayerNorm({ normalizedShape: PIECE }),
  () => new attention.Linear({ inFeatures: PIECE, outFeatures: 2, bias: false, seed: 1 }),
];

/** Fills the heap but for some 64 KB, with several threads both; the memory is given back by `dispose`. */
export function fillHeap(): Piece {
  const ballast: Piece[] = [];
  for (const piece of THREADS > 1 ? PIECES : PIECES.slice(0, 1)) fill(() => ballast.push(piece()));
  return { dispose: () => ballast.forEach((piece) => piece.dispose()) };
}

/** Fills the memory that `add` takes 16 KB of. */
function fill(add: () => void): void {
  const before = heapBytes();
  while (heapBytes() === before) add();
  // What is free now is what it grew by, but for the one piece that did not fit.
  const full = heapBytes();
  const free = full - before - 2 * PIECE_BYTES;
  for (let filled = 0; filled + PIECE_BYTES <= free; filled += PIECE_BYTES + 32) add();
  if (heapBytes() !== full) throw new Error(`expected a heap of ${full} bytes, got ${heapBytes()}`);
}
