import { expect, test } from '@jest/globals';
import { interpolateBlues } from 'd3-scale-chromatic';
import fc from 'fast-check';
import { arcPath, residual, rotate } from '../../web/elements/encoding-rotation/rotation.js';
import { blues } from '../../web/elements/shared/heat-map/blues.js';
import { moveCursor } from '../../web/elements/shared/heat-map/cursor.js';
import { normalDraws } from '../../web/elements/shared/normal-draws.js';
import { spreadLabels } from '../../web/elements/shared/plot/direct-labels.js';
import { encodingRotation } from '../reference/encodingRotation.js';
import { sinusoidalEncoding } from '../reference/sinusoidalEncoding.js';

test('the shipped ramp is d3’s Blues at 256 points', () => {
  expect(blues).toHaveLength(256 * 6);
  for (let i = 0; i < 256; ++i) {
    const channels = [0, 2, 4].map((at) => parseInt(blues.slice(6 * i + at, 6 * i + at + 2), 16));
    expect(`rgb(${channels.join(', ')})`).toBe(interpolateBlues(i / 255));
  }
});

test('labels are moved at least the gap apart and inside, and not at all if they already are', () => {
  expect(spreadLabels([10, 12, 80], 14, 0, 100)).toEqual([10, 24, 80]);
  expect(spreadLabels([99, 98, 50], 14, 0, 100)).toEqual([100, 86, 50]);
  const heights = fc.array(fc.double({ min: 0, max: 200, noNaN: true }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(heights, (wanted) => {
      const got = spreadLabels(wanted, 14, 0, 200);
      const sorted = [...got].sort((a, b) => a - b);
      for (let i = 1; i < sorted.length; ++i)
        expect((sorted[i] ?? 0) - (sorted[i - 1] ?? 0)).toBeGreaterThan(14 - 1e-9);
      expect(sorted[0]).toBeGreaterThanOrEqual(0);
      expect(sorted.at(-1)).toBeLessThanOrEqual(200);
    }),
  );
});

test('no key moves the cursor out of the matrix, and other keys do not move it', () => {
  const keys = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End'];
  const size = fc.integer({ min: 1, max: 70 });
  fc.assert(
    fc.property(size, size, fc.array(fc.tuple(fc.constantFrom(...keys), fc.boolean())), (rows, columns, strokes) => {
      let cell = { row: 0, column: 0 };
      for (const [key, ctrl] of strokes) cell = moveCursor(cell, key, ctrl, rows, columns) ?? cell;
      expect(cell.row).toBeGreaterThanOrEqual(0);
      expect(cell.row).toBeLessThan(rows);
      expect(cell.column).toBeGreaterThanOrEqual(0);
      expect(cell.column).toBeLessThan(columns);
    }),
  );
  expect(moveCursor({ row: 1, column: 1 }, 'Tab', false, 3, 3)).toBeUndefined();
});

test('the residual of the exact matrices is rounding error, and that of a wrong offset is larger', () => {
  const P = sinusoidalEncoding({ length: 90, dim: 16 }).data;
  const exact = (delta: number): ArrayLike<number> => encodingRotation({ delta, dim: 16 }).data;
  // Angles up to 90 radians are themselves rounded at 2^-47; a handful of such errors add up.
  expect(residual(exact(7), P, { positions: 60, offset: 7, dim: 16 })).toBeLessThan(2 ** -44);
  expect(residual(exact(-7), P, { positions: 60, offset: -7, dim: 16 })).toBeLessThan(2 ** -44);
  expect(residual(exact(8), P, { positions: 60, offset: 7, dim: 16 })).toBeGreaterThan(0.5);
});

test('a matrix is applied in row-major order', () => {
  expect(rotate([1, 2, 3, 4], [5, 6])).toEqual([17, 39]);
});

test('an arc goes clockwise from twelve, the long way if necessary, and at most once around', () => {
  expect(arcPath(0, Math.PI / 2, 1)).toMatch(/^M 0 -1 A 1 1 0 0 1 1 -/);
  expect(arcPath(0, 4, 1)).toContain(' 0 1 1 ');
  expect(arcPath(0, -1, 1)).toContain(' 0 0 0 ');
  expect(arcPath(0, 7, 1).match(/A/g)).toHaveLength(2);
});

test('draws repeat for the same seed, differ for others, and are standard normal', () => {
  const draws = normalDraws(20000, 3);
  expect(normalDraws(20000, 3)).toEqual(draws);
  expect(normalDraws(20000, 4)).not.toEqual(draws);
  const mean = draws.reduce((sum, x) => sum + x, 0) / draws.length;
  const variance = draws.reduce((sum, x) => sum + (x - mean) ** 2, 0) / draws.length;
  // Five standard errors: 5/√20000 for the mean, √2 as much for the variance.
  expect(Math.abs(mean)).toBeLessThan(0.036);
  expect(Math.abs(variance - 1)).toBeLessThan(0.05);
});
