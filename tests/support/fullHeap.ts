/** Fills the linear memory. It grows by a fifth at a time, so a small leak shows late, but in a full memory at once. */
import { THREADS } from './instance.js';
import { attention, heapBytes } from './library.js';

/** A piece is two arrays of this many floats: 16 KB. */
const PIECE = 2048;
const PIECE_BYTES = 8 * PIECE;

interface Piece {
  dispose(): void;
}

/** A piece of the memory of the module for one thread, and a piece of the memory that several threads share. */
const PIECES: readonly (() => Piece)[] = [
  () => new attention.LayerNorm({ normalizedShape: PIECE }),
  () => new attention.Linear({ inFeatures: PIECE, outFeatures: 2, bias: false, seed: 1 }),
];

/** Fills the heap except for about 64 KB; with several threads both heaps. `dispose` frees the memory. */
export function fillHeap(): Piece {
  const ballast: Piece[] = [];
  for (const piece of THREADS > 1 ? PIECES : PIECES.slice(0, 1)) fill(() => ballast.push(piece()));
  return { dispose: () => ballast.forEach((piece) => piece.dispose()) };
}

/** Fills a memory from which each `add` takes 16 KB. */
function fill(add: () => void): void {
  const before = heapBytes();
  while (heapBytes() === before) add();
  // The memory has just grown for a piece that did not fit: the rest of the growth is free. One more piece stays free.
  const full = heapBytes();
  const free = full - before - 2 * PIECE_BYTES;
  for (let filled = 0; filled + PIECE_BYTES <= free; filled += PIECE_BYTES + 32) add();
  if (heapBytes() !== full) throw new Error(`expected a heap of ${full} bytes, got ${heapBytes()}`);
}
