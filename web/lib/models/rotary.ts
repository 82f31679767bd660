/** The frequencies of a model's rotary positions, which may depend on the length of the text. */
import type { ScalingEffect } from '../ops/rotary/scaling.js';
import type { Wasm } from '../runtime/wasm.js';
import { OPERATION, type Architecture } from './config/architecture.js';

export interface Frequencies {
  /** The address of the table; 0 for none. */
  readonly frequencies: number;
  readonly amplitude: number;
}

const NONE: Frequencies = { frequencies: 0, amplitude: 1 };

/** The frequencies for a text of this length, within a scope. */
export type FrequenciesAt = (length: number) => Frequencies;

/**
 * Places the frequencies of short texts, in memory that lives as long as the model.
 *
 * @returns a function for the frequencies of a text of any length
 */
export function rotaryFrequencies(
  wasm: Wasm,
  { rotary }: Architecture,
  allocate: (floats: number) => number,
): FrequenciesAt {
  if (!rotary) return () => NONE;
  const { dim, base } = rotary;
  const plain = { base, factors: undefined, amplitude: 1 };
  const effectAt = rotary.effectAt ?? (() => plain);
  const { raw, memory } = wasm;
  const size = 2 * raw.sinusoidalFrequenciesSize(dim);
  const place = (address: number, { base, factors, amplitude }: ScalingEffect): Frequencies => {
    raw.sinusoidalFrequencies(address, dim, base);
    if (factors) raw.scaleFrequencies(address, memory.doubles(factors), dim);
    return { frequencies: address, amplitude };
  };
  const short = effectAt(OPERATION, 1);
  const address = allocate(size);
  const placed = memory.scope(OPERATION, () => place(address, short));
  return (length) => {
    const effect = effectAt(OPERATION, length);
    const isShort = effect.base === short.base && effect.factors === short.factors;
    return isShort ? placed : place(memory.reserve(size), effect);
  };
}
