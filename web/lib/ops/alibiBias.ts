import { checkOptions, type Known } from '../check/options.js';
import { checkBoolean, checkInteger, sizeOf } from '../check/values.js';
import { fresh } from '../runtime/memory.js';
import type { Tensor } from '../types.js';
import { slopesOf } from './alibiSlopes.js';
import { checkDistances, DISTANCE_SIZES, fillDiagonals, fillLine, type DistanceSizes } from './relative/diagonals.js';

/** The options of `alibiBias`. */
export interface AlibiBiasOptions extends DistanceSizes {
  /** H */
  numHeads: number;
  /**
   * Whether to use the absolute value of the distance, for encoders. Default false: keys ahead of a query get a
   * positive bias.
   */
  symmetric?: boolean;
  /** Whether keys ahead of a query get -Infinity. Default false: attention's option `isCausal` masks them. */
  isCausal?: boolean;
}

const OPERATION = 'alibiBias';
const OPTIONS: Known<AlibiBiasOptions> = { ...DISTANCE_SIZES, numHeads: 1, symmetric: 1, isCausal: 1 };

/** See `WasmAttention.alibiBias`. */
export function alibiBias(options: AlibiBiasOptions): Tensor {
  const given = checkOptions(OPERATION, options, OPTIONS);
  const heads = checkInteger(OPERATION, 'numHeads', given.numHeads, 1, 2 ** 24);
  const symmetric = checkBoolean(OPERATION, 'symmetric', given.symmetric ?? false);
  const isCausal = checkBoolean(OPERATION, 'isCausal', given.isCausal ?? false);
  const sizes = checkDistances(OPERATION, given);
  const { queries, keys } = sizes;
  const shape = [heads, queries, keys];
  const data = fresh(OPERATION, Float32Array, sizeOf(shape));
  if (data.length === 0) return { data, shape };
  const line = fresh(OPERATION, Float32Array, sizes.line);
  slopesOf(heads).forEach((slope, h) => {
    fillLine(line, sizes, (distance) => {
      if (isCausal && distance > 0) return -Infinity;
      return slope * (symmetric ? -Math.abs(distance) : distance);
    });
    fillDiagonals(data, h, line, sizes);
  });
  return { data, shape };
}
