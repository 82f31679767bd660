import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { rotaryCode } from '../../web/elements/rotary-pairs/code.js';
import {
  draggedTo,
  LAST,
  PAIRS,
  productsOf,
  spreadAt,
  sumAt,
  thetaOf,
  turnBetween,
  rotated,
  WIDTH,
} from '../../web/elements/rotary-pairs/turning.js';
import { normalDraws } from '../../web/elements/shared/normal-draws.js';
import { attention } from '../support/library.js';
import { runModule } from '../support/runModule.js';

const positions = fc.integer({ min: 0, max: LAST });
const seeds = fc.integer({ min: 1, max: 9999 });

/** The products in float64: |q||k|·cos of the angle between the arrows, which depends only on the offset. */
function exactProducts(seed: number, offset: number): number[] {
  const draws = Array.from(normalDraws(2 * WIDTH, seed));
  const pairAt = (from: number, r: number): [number, number] => [draws[from + 2 * r]!, draws[from + 2 * r + 1]!];
  return Array.from({ length: PAIRS }, (_, r) => {
    const [q, k] = [pairAt(0, r), pairAt(WIDTH, r)];
    const between = Math.atan2(k[1], k[0]) - Math.atan2(q[1], q[0]);
    return Math.hypot(...q) * Math.hypot(...k) * Math.cos(between + offset * 10000 ** ((-2 * r) / WIDTH));
  });
}

/** Rows are rounded by 2⁻²⁴ of numbers up to the arrows' length, and a product has two terms of two such numbers. */
const tolerance = (seed: number): number => {
  const draws = normalDraws(2 * WIDTH, seed);
  const squares = (from: number): number => draws.subarray(from, from + WIDTH).reduce((sum, x) => sum + x * x, 0);
  return 8 * 2 ** -24 * Math.sqrt(squares(0) * squares(WIDTH));
};

describe('the products of the pairs', () => {
  test('are those of arrows rotated by the offset alone', () => {
    fc.assert(
      fc.property(seeds, positions, positions, (seed, i, j) => {
        const products = productsOf(rotated(attention, seed), i, j);
        const exact = exactProducts(seed, j - i);
        expect(products).toHaveLength(PAIRS);
        products.forEach((product, r) => expect(Math.abs(product - exact[r]!)).toBeLessThan(tolerance(seed)));
      }),
    );
  });

  test('have the same sum wherever the offset is the same, and another one elsewhere', () => {
    fc.assert(
      fc.property(seeds, positions, positions, positions, (seed, i, j, shift) => {
        const both = rotated(attention, seed);
        const by = Math.min(shift, LAST - Math.max(i, j));
        expect(Math.abs(sumAt(both, i + by, j + by) - sumAt(both, i, j))).toBeLessThan(2 * tolerance(seed));
        const { count, spread } = spreadAt(both, j - i);
        expect(count).toBe(LAST + 1 - Math.abs(j - i));
        expect(spread).toBeLessThan(2 * tolerance(seed));
      }),
    );
    const both = rotated(attention, 278);
    expect(Math.abs(sumAt(both, 12, 6) - sumAt(both, 12, 7))).toBeGreaterThan(0.1);
  });
});

test('an arrow that is dragged takes the position of its angle, and stops at the ends', () => {
  fc.assert(
    fc.property(positions, positions, fc.integer({ min: 0, max: PAIRS - 1 }), (from, to, pair) => {
      expect(draggedTo(from, (to - from) * thetaOf(pair), pair)).toBe(to);
    }),
  );
  expect(draggedTo(30, 100, 0)).toBe(LAST);
  expect(draggedTo(30, -100, 0)).toBe(0);
  expect(turnBetween(3, -3)).toBeCloseTo(2 * Math.PI - 6, 12);
  expect(turnBetween(-3, 3)).toBeCloseTo(6 - 2 * Math.PI, 12);
  expect(turnBetween(0.5, 1)).toBe(0.5);
});

test('the code prints the same products and the same sum', async () => {
  const products = productsOf(rotated(attention, 7), 30, 9);
  const lines = await runModule(rotaryCode(30, 9, 7).javascript);
  expect(lines).toEqual([
    ...products.map((product, r) => `${thetaOf(r)} ${product}`),
    String(products.reduce((sum, product) => sum + product, 0)),
  ]);
});
