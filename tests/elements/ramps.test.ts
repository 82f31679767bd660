import { describe, expect, test } from '@jest/globals';
import { rampIn, rampIndex } from '../../web/elements/shared/heat-map/ramps.js';

/** WCAG 2.2, “relative luminance”, of a ramp's colour under `brightness(light)`. */
function luminance(ramp: Uint8ClampedArray, index: number, light: number): number {
  const [red, green, blue] = Array.from(ramp.subarray(4 * index, 4 * index + 3), (byte) => {
    const channel = (byte * light) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const contrast = (a: number, b: number): number => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

describe.each(['light', 'dark'] as const)('the ramp of signed values in a %s scheme', (scheme) => {
  const ramp = rampIn(scheme, -1);
  const at = (value: number): number => rampIndex(value, -1, 1);

  test.each([1, 0.9])('has ends that differ without hues, from each other and from zero, at brightness %d', (light) => {
    const [low, zero, high] = [-1, 0, 1].map((value) => luminance(ramp, at(value), light)) as [number, number, number];
    expect(contrast(low, high)).toBeGreaterThanOrEqual(3);
    expect(contrast(low, zero)).toBeGreaterThanOrEqual(3);
    expect(contrast(high, zero)).toBeGreaterThanOrEqual(3);
  });

  test('goes away from zero step by step, red below and blue above', () => {
    for (const sign of [-1, 1]) {
      const steps = Array.from({ length: 127 }, (_, i) => luminance(ramp, at(sign * ((i + 1) / 127)), 1));
      const ways = steps.slice(1).map((step, i) => Math.sign(step - steps[i]!));
      expect(new Set(ways.filter((way) => way !== 0)).size).toBe(1);
      const [red, , blue] = ramp.subarray(4 * at(sign * 0.7));
      expect(Math.sign(blue! - red!)).toBe(sign);
    }
    const [red, green, blue] = ramp.subarray(4 * at(0));
    expect(Math.max(red!, green!, blue!) - Math.min(red!, green!, blue!)).toBeLessThan(24);
  });
});
