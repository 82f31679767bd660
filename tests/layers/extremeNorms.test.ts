/** Norms of rows whose squares overflow or underflow float32, against float64. */
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { attention } from '../support/library.js';
import { EPS, expectClose } from '../support/close.js';

const MAX = 3.4028234e38;

function normalised(row: readonly number[], isCentred: boolean): number[] {
  const mean = isCentred ? row.reduce((sum, x) => sum + x / row.length, 0) : 0;
  const variance = row.reduce((sum, x) => sum + (x - mean) ** 2 / row.length, 0);
  return row.map((x) => (x - mean) / Math.sqrt(variance + 1e-5));
}

describe.each([
  ['LayerNorm', true],
  ['RMSNorm', false],
] as const)('%s', (name, isCentred) => {
  const norm = (rows: number[][], width: number) => {
    const layer = new attention[name]({ normalizedShape: width, eps: 1e-5 });
    const { output, backward } = layer.forward(rows, { training: true });
    const { input } = backward!(rows.map((row) => row.map(() => 1)));
    layer.dispose();
    return { output, gradient: input };
  };

  test('of finite numbers are finite, and right', () => {
    const numbers = fc.double({ min: -1, max: 1, noNaN: true });
    const cases = fc
      .integer({ min: 1, max: 70 })
      .chain((width) =>
        fc.tuple(
          fc.array(fc.array(numbers, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 4 }),
          fc.integer({ min: 0, max: 38 }),
        ),
      );
    fc.assert(
      fc.property(cases, ([shares, exponent]) => {
        const rows = shares.map((row) => row.map((x) => Math.fround(Math.min(10 ** exponent, MAX) * x)));
        const width = rows[0]!.length;
        const { output, gradient } = norm(rows, width);
        const expected = rows.flatMap((row) => normalised(row, isCentred));
        // Below the overflow, the mean's rounding counts as in the other tests of norms.
        const atol = 64 * EPS * Math.max(1, ...expected.map(Math.abs));
        expectClose(output, { data: expected, shape: [rows.length, width] }, { atol });
        expect(gradient.data.every(Number.isFinite)).toBe(true);
      }),
    );
  });

  test.each([
    [[1e20, 2e20, -1e20, 0]],
    [[3e38, 3e38, -3e38, 0]],
    [[MAX, -MAX, -MAX, -MAX]],
    [[MAX]],
    [[1e19, 2e19, 3e19, 1e-3, 5]],
  ])('%j', (row) => {
    const rounded = row.map(Math.fround);
    const expected = { data: normalised(rounded, isCentred), shape: [1, row.length] };
    expectClose(norm([rounded], row.length).output, expected, { atol: 4 * EPS });
  });

  test.each([1e-10, 1e-19, 1e-25, 1e-38, 1e-44])('of small numbers without eps are right: %d', (size) => {
    const row = [1, -2, 5, 0.5].map((x) => Math.fround(x * size));
    const layer = new attention[name]({ normalizedShape: 4, eps: 0 });
    const mean = isCentred ? row.reduce((sum, x) => sum + x / 4, 0) : 0;
    const root = Math.sqrt(row.reduce((sum, x) => sum + (x - mean) ** 2 / 4, 0));
    const expected = { data: row.map((x) => (x - mean) / root), shape: [1, 4] };
    expectClose(layer.forward([row]).output, expected, { atol: 16 * EPS });
    layer.dispose();
  });

  test.each([NaN, Infinity, -Infinity])('with %d there is no number', (x) => {
    expect(norm([[1, x, 2]], 3).output.data[1]).toBeNaN();
  });
});
