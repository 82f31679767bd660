import { checkOptions, type Known } from '../check/options.js';
import { wrongValue } from '../check/values.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor, TensorLike } from '../types.js';
import { mapElements } from './activation/mapElements.js';

/** The options of `gelu`. */
export interface GeluOptions {
  /** 'none' for x·Φ(x), 'tanh' for the approximation by a hyperbolic tangent. Default 'none'. */
  approximate?: 'none' | 'tanh';
}

const OPERATION = 'gelu';
const OPTIONS: Known<GeluOptions> = { approximate: 1 };

/** See `WasmAttention.gelu`. */
export function gelu({ raw, memory }: Wasm, x: TensorLike, options?: GeluOptions): Tensor {
  const { approximate = 'none' } = checkOptions(OPERATION, options, OPTIONS);
  if (approximate !== 'none' && approximate !== 'tanh') {
    wrongValue(OPERATION, "approximate to be 'none' or 'tanh'", approximate);
  }
  const tanh = approximate === 'tanh';
  return mapElements(OPERATION, memory, x, (from, to, count) => raw.gelu(from, to, count, tanh));
}
