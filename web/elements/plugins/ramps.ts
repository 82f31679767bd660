import { interpolateBlues } from 'd3-scale-chromatic';
import type { Plugin } from 'vite';

const ID = 'virtual:wasm-attention/ramps';

/**
 * Vite plugin: serves the colour ramps as data, so that no page downloads the code that interpolates them.
 *
 * `blues` is 256 colours of d3's `interpolateBlues`, six hexadecimal digits each, from the lowest value to the highest.
 */
export function ramps(): Plugin {
  return {
    name: 'wasm-attention-ramps',
    resolveId: (id) => (id === ID ? `\0${ID}` : null),
    load: (id) =>
      id === `\0${ID}` ? `export const blues = ${JSON.stringify(rampTable(interpolateBlues))};` : null,
  };
}

/** Samples an interpolator of `rgb(…)` colours at 256 evenly spaced points, both ends included. */
export function rampTable(interpolate: (t: number) => string): string {
  const hex = (channel: string): string => Number(channel).toString(16).padStart(2, '0');
  const colour = (i: number): string => (interpolate(i / 255).match(/\d+/g) ?? []).map(hex).join('');
  return Array.from({ length: 256 }, (_, i) => colour(i)).join('');
}
