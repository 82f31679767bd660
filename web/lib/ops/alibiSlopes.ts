import { checkInteger } from '../check/values.js';
import type { Tensor } from '../types.js';

const OPERATION = 'alibiSlopes';

/** See `WasmAttention.alibiSlopes`. */
export function alibiSlopes(numHeads: number): Tensor {
  checkInteger(OPERATION, 'numHeads', numHeads, 1, 2 ** 24);
  return { data: Float32Array.from(slopesOf(numHeads)), shape: [numHeads] };
}

/** The slopes in float64. */
export function slopesOf(numHeads: number): Float64Array {
  const power = 2 ** Math.floor(Math.log2(numHeads));
  // Heads beyond the largest power of two get every other slope of twice as many heads.
  return Float64Array.from({ length: numHeads }, (_, h) =>
    h < power ? 2 ** ((-8 * (h + 1)) / power) : 2 ** ((-8 * (2 * (h - power) + 1)) / (2 * power)),
  );
}
