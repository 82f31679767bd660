import type { Heads } from '../../web/elements/shared/heads/heads.js';

/** The maps of all heads, as plain arrays: those of the first layer, then those of the second. */
export function mapsOf({ layers, heads, mapOf }: Heads): number[][] {
  return Array.from({ length: layers * heads }, (_, i) =>
    Array.from(mapOf(Math.floor(i / heads) + 1, (i % heads) + 1)),
  );
}
