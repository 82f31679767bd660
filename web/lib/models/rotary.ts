/** The frequencies of a model's rotary positions, which may depend on the length of the text. */
import type { ScalingEffect } from '../ops/rotary/scaling.js';
import type { Wasm } from '../runtime/wasm.js';
import { OPERATION, type Architecture, type RotaryPositions } from './config/architecture.js';

export interface Frequencies {
  /** The address of the table. */
  readonly frequencies: number;
  readonly dim: number;
  readonly amplitude: number;
}

/**
 * The frequencies of each layer for a text of this length, within a scope. Layers that turn alike have the same object,
 * and short texts the same list.
 */
export type FrequenciesAt = (length: number) => readonly (Frequencies | undefined)[];

/**
 * Places the frequencies of short texts, in memory that lives as long as the model.
 *
 * @returns a function for the frequencies of a text of any length
 */
export function rotaryFrequencies(
  wasm: Wasm,
  { rotary = [] }: Architecture,
  allocate: (floats: number) => number,
): FrequenciesAt {
  const kinds = new Map([...new Set(rotary)].map((kind) => [kind, kind && frequenciesOf(wasm, kind, allocate)]));
  const all = (length: number) => {
    const found = new Map([...kinds].map(([kind, at]) => [kind, at?.(length)]));
    return rotary.map((kind) => found.get(kind));
  };
  const short = all(1);
  return (length) => {
    const some = all(length);
    return some.every((each, i) => each === short[i]) ? short : some;
  };
}

/** Tells whether texts of two lengths turn by other factors, so that a cache of the one is stale for the other. */
export function otherFactors({ rotary = [] }: Architecture): (one: number, other: number) => boolean {
  const effects = [...new Set(rotary)].flatMap((kind) => kind?.effectAt ?? []);
  return (one, other) =>
    effects.some((effectAt) => effectAt(OPERATION, one).factors !== effectAt(OPERATION, other).factors);
}

function frequenciesOf(
  { raw, memory }: Wasm,
  { dim, base, effectAt }: RotaryPositions,
  allocate: (floats: number) => number,
): (length: number) => Frequencies {
  const plain: ScalingEffect = { base, factors: undefined, amplitude: 1 };
  const size = 2 * raw.sinusoidalFrequenciesSize(dim);
  const place = (address: number, { base, factors, amplitude }: ScalingEffect): Frequencies => {
    raw.sinusoidalFrequencies(address, dim, base);
    if (factors) raw.scaleFrequencies(address, memory.doubles(factors), dim);
    return { frequencies: address, dim, amplitude };
  };
  const short = effectAt?.(OPERATION, 1) ?? plain;
  const address = allocate(size);
  const placed = memory.scope(OPERATION, () => place(address, short));
  return (length) => {
    const effect = effectAt?.(OPERATION, length) ?? plain;
    const isShort = effect.base === short.base && effect.factors === short.factors;
    return isShort ? placed : place(memory.reserve(size), effect);
  };
}
