/** The table of positions of pictures, resized for their patches. */
import type { Memory } from '../../runtime/memory.js';
import type { Architecture } from '../config/architecture.js';
import { countOf } from '../config/pictures.js';
import type { Grid } from './grid.js';
import { KERNELS, sharesOf, type Shares } from './taps.js';

/** Makes a function that gives the table of a picture's tokens, (tokens, hiddens), and keeps the last one. */
export function tablesOf(memory: Memory, a: Architecture, address: number): (grid: Grid) => Float32Array {
  let last: Grid | undefined;
  let table: Float32Array = new Float32Array(0);
  return (grid) => {
    const { rows, columns, keepsTable } = grid;
    if (last?.rows !== rows || last.columns !== columns || last.keepsTable !== keepsTable) {
      table = tableOf(memory.read(address, a.positions!.rows * a.hiddens), a, grid);
      last = grid;
    }
    return table;
  };
}

/** The rows of special tokens, zeros for those without positions, and the rows of patches. */
function tableOf(stored: Float32Array, { pictures, hiddens }: Architecture, grid: Grid): Float32Array {
  const { specials, resizing } = pictures!;
  const first = countOf(specials) * hiddens;
  const own = countOf(specials.filter(({ hasPositions }) => hasPositions)) * hiddens;
  const patches = stored.subarray(own);
  const side = Math.sqrt(patches.length / hiddens);
  const resize = (data: Float32Array, to: number, width: number): Float32Array => {
    const shares = Array.from({ length: to }, (_, i) =>
      resizing === 'antialias' ? sharesOf(i, side, to, KERNELS[3]!) : cubicShares(i, side, to),
    );
    return resized(data, side, shares, width);
  };
  const fitted = grid.keepsTable
    ? patches
    : resize(resize(patches, grid.columns, hiddens), grid.rows, grid.columns * hiddens);
  const table = new Float32Array(first + fitted.length);
  table.set(stored.subarray(0, own));
  table.set(fitted, first);
  return table;
}

/** Keys's cubic kernel with a = −0.75 over four rows, those at the edges repeated, as PyTorch's interpolate has it. */
function cubicShares(i: number, from: number, to: number): Shares {
  const place = ((i + 0.5) * from) / to - 0.5;
  const before = Math.floor(place);
  const t = place - before;
  const near = (x: number): number => (1.25 * x - 2.25) * x * x + 1;
  const far = (x: number): number => ((x - 5) * x + 8) * x * -0.75 + 3;
  const shares = new Float64Array(from);
  [far(t + 1), near(t), near(1 - t), far(2 - t)].forEach((share, tap) => {
    shares[Math.min(Math.max(before - 1 + tap, 0), from - 1)]! += share;
  });
  return { start: 0, shares };
}

/** Resizes each list of `from` vectors, which come one after another. */
function resized(data: Float32Array, from: number, shares: readonly Shares[], width: number): Float32Array {
  const lists = data.length / (from * width);
  const result = new Float32Array(lists * shares.length * width);
  let to = 0;
  for (let list = 0; list < lists; ++list) {
    for (const { start, shares: each } of shares) {
      const sum = result.subarray(to, (to += width));
      each.forEach((share, tap) => {
        const at = (list * from + start + tap) * width;
        if (share !== 0) for (let k = 0; k < width; ++k) sum[k]! += share * data[at + k]!;
      });
    }
  }
  return result;
}
