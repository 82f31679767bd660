import { checkOptions, type Known } from '../check/options.js';
import { checkInteger, wrongValue } from '../check/values.js';
import { fresh } from '../runtime/memory.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor } from '../types.js';
import { checkBase } from './sinusoidal/frequencies.js';
import { sinusoidalEncoding } from './sinusoidalEncoding.js';

/** The options of `sinusoidalEncoding2d`. */
export interface Sinusoidal2dOptions {
  /** Rows of patches. */
  height: number;
  /** Patches in a row. */
  width: number;
  /** Columns of the result, a multiple of 4. */
  dim: number;
  /** As in `sinusoidalEncoding`; default 10000. */
  base?: number;
}

const OPERATION = 'sinusoidalEncoding2d';
const OPTIONS: Known<Sinusoidal2dOptions> = { height: 1, width: 1, dim: 1, base: 1 };

/** See `WasmAttention.sinusoidalEncoding2d`. */
export function sinusoidalEncoding2d(wasm: Wasm, options: Sinusoidal2dOptions): Tensor {
  const given = checkOptions(OPERATION, options, OPTIONS);
  const height = checkInteger(OPERATION, 'height', given.height, 0);
  const width = checkInteger(OPERATION, 'width', given.width, 0);
  const dim = checkInteger(OPERATION, 'dim', given.dim, 4, 2 ** 24);
  if (dim % 4 !== 0) wrongValue(OPERATION, 'dim to be a multiple of 4', dim);
  const base = checkBase(OPERATION, given.base, Math.max(height, width) - 1);
  const data = fresh(OPERATION, Float32Array, height * width * dim);
  const shape = [height * width, dim];
  // An empty result may have billions of rows or columns to loop over.
  if (data.length === 0) return { data, shape };
  const half = dim / 2;
  const rows = sinusoidalEncoding(wasm, { length: height, dim: half, base }).data;
  const columns = sinusoidalEncoding(wasm, { length: width, dim: half, base }).data;
  for (let y = 0, to = 0; y < height; ++y) {
    const row = rows.subarray(y * half, (y + 1) * half);
    for (let x = 0; x < width; ++x, to += dim) {
      data.set(row, to);
      data.set(columns.subarray(x * half, (x + 1) * half), to + half);
    }
  }
  return { data, shape };
}
