import type { Localised } from '../localised.js';

/** A small map's name for who does not see it: `Layer 2, head 2, silent: mean entropy 1.2 bits`. */
export function headName(
  words: Localised,
  name: string,
  isSilent: boolean,
  entropy: 'map.entropy' | 'viewer.meanEntropy',
  bits = NaN,
): string {
  const whole = isSilent ? `${name}, ${words.text('viewer.silent')}` : name;
  // Queries that see nothing have none.
  return Number.isNaN(bits) ? whole : `${whole}: ${words.text(entropy, { bits: words.number(bits, 1) })}`;
}
