import { expect, test } from '@jest/globals';
import { sinusoidalEncoding } from '../reference/sinusoidalEncoding.js';
import { cellsOf, readProse } from '../support/proseFiles.js';
import { runCell, type Shown, type ShownTensor } from '../support/runCell.js';

const EPS = 2 ** -23;
const shown: Shown[][] = [];
for (const { javascript } of cellsOf(readProse('en'))) shown.push(await runCell(javascript));
const values = (cell: number): unknown[] => shown[cell]!.map(({ value }) => value);

function expectClose(actual: unknown, expected: ArrayLike<number>, tolerance: number): void {
  const { data } = actual as ShownTensor;
  expect(data).toHaveLength(expected.length);
  expect(Array.from(data).filter((value, i) => !(Math.abs(value - expected[i]!) <= tolerance))).toEqual([]);
}

test('there are eight, and each shows something', () => {
  expect(shown).toHaveLength(8);
  for (const calls of shown) expect(calls.length).toBeGreaterThan(0);
});

test('attention over equal tokens is uniform over the valid ones', () => {
  const [output, weights, map] = values(0);
  expect(output).toEqual([2, 4, 100]);
  expect(weights).toEqual([2, 5, 4, 4]);
  expect((map as ShownTensor).shape).toEqual([4, 4]);
  const third = Math.fround(1 / 3);
  expect((map as ShownTensor).data).toEqual([0, 1, 2, 3].flatMap(() => [third, third, third, 0]));
});

test('shuffled tokens have shuffled outputs, except under a causal mask', () => {
  const [free, causal] = values(1) as [number, number];
  // Outputs below 1, from sums over 8 in another order: a few roundings each.
  expect(free).toBeLessThanOrEqual(16 * EPS);
  expect(causal).toBeGreaterThan(0.01);
});

test('the reimplemented class agrees with the library’s', () => {
  const [shape, difference] = values(2);
  expect(shape).toEqual([1, 60, 32]);
  expect(difference).toBeLessThanOrEqual(EPS / 2);
});

test('the curves and the heat map are P', () => {
  const P = sinusoidalEncoding({ length: 60, dim: 32 }).data;
  expect(shown[3]![0]).toMatchObject({ call: 'lines', options: { columns: [6, 7, 8, 9] } });
  expect(shown[5]![0]).toMatchObject({ call: 'show', options: { kind: 'heatmap' } });
  for (const cell of [3, 5]) expectClose(values(cell)[0], P, EPS / 2);
});

test('the binary numbers are those from 0 to 7', () => {
  expect(values(4)).toEqual(['000', '001', '010', '011', '100', '101', '110', '111'].map((b, i) => `${i}: ${b}`));
});

test('the rotation by seven differs only by rounding', () => {
  // Two products of numbers below 1, each of the three factors rounded to float32.
  expect(values(6)[0]).toBeLessThanOrEqual(4 * EPS);
});

test('the relative table alone decides the weights, clipped at two', () => {
  // The scores are 4/√4 · (1 - min(|offset|, 2)): a softmax ignores the constant.
  const expected = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => {
    const row = [0, 1, 2, 3, 4, 5, 6, 7].map((j) => Math.exp(-2 * Math.min(Math.abs(j - i), 2)));
    const sum = row.reduce((a, b) => a + b);
    return row.map((w) => w / sum);
  });
  expectClose(values(7)[0], expected, 4 * EPS);
});
