import { checkOptions, type Known } from '../check/options.js';
import { checkFinite, checkInteger, wrongValue } from '../check/values.js';
import type { Wasm } from '../runtime/wasm.js';
import type { Tensor } from '../types.js';
import { checkBase, placeFrequencies } from './sinusoidal/frequencies.js';

/** The options of `encodingRotation`. */
export interface EncodingRotationOptions {
  /** The distance between the two positions; may be negative or a fraction. */
  delta: number;
  /** Width of the encoding, an even number. */
  dim: number;
  /** As in `sinusoidalEncoding`; default 10000. */
  base?: number;
}

const OPERATION = 'encodingRotation';
const OPTIONS: Known<EncodingRotationOptions> = { delta: 1, dim: 1, base: 1 };

/** See `WasmAttention.encodingRotation`. */
export function encodingRotation({ raw, memory }: Wasm, options: EncodingRotationOptions): Tensor {
  const given = checkOptions(OPERATION, options, OPTIONS);
  const delta = checkFinite(OPERATION, 'delta', given.delta);
  const dim = checkInteger(OPERATION, 'dim', given.dim, 2, 2 ** 24);
  if (dim % 2 !== 0) wrongValue(OPERATION, 'dim to be even', dim);
  const base = checkBase(OPERATION, given.base, Math.abs(delta));
  return memory.scope(OPERATION, () => {
    const frequencies = placeFrequencies({ raw, memory }, dim, base);
    const out = memory.reserve(2 * dim);
    raw.encodingRotation(frequencies, out, dim, delta);
    return memory.tensor(out, [dim / 2, 2, 2]);
  });
}
