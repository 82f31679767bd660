import { expect, test } from '@jest/globals';
import { sinusoidalEncoding } from '../reference/sinusoidalEncoding.js';
import { cellsOf, readProse } from '../support/proseFiles.js';
import { runCell, type Shown, type ShownTensor } from '../support/runCell.js';

const EPS = 2 ** -23;
const CELLS = cellsOf(readProse('en'));
const shown: Shown[][] = [];
for (const { javascript } of CELLS) shown.push(await runCell(javascript));
const values = (cell: number): unknown[] => shown[cell]!.map(({ value }) => value);

function expectClose(actual: unknown, expected: ArrayLike<number>, tolerance: number): void {
  const { data } = actual as ShownTensor;
  expect(data).toHaveLength(expected.length);
  expect(Array.from(data).filter((value, i) => !(Math.abs(value - expected[i]!) <= tolerance))).toEqual([]);
}

test('there are six, and each shows something', () => {
  expect(shown).toHaveLength(6);
  for (const calls of shown) expect(calls.length).toBeGreaterThan(0);
});

test('attention keeps the shape of its input', () => {
  expect(values(0)).toEqual([[2, 4, 100]]);
});

test('shuffled tokens have shuffled outputs, except under a causal mask', () => {
  const [free, causal] = values(3) as [number, number];
  // Outputs below 1, from sums over 8 in another order: a few roundings each.
  expect(free).toBeLessThanOrEqual(16 * EPS);
  expect(causal).toBeGreaterThan(0.01);
});

test('the class of the encoding adds P', async () => {
  expect(values(1)).toEqual([[60, 32]]);
  const [, all] = await runCell(`${CELLS[1]!.javascript}\nshow({ data: P.flat(), shape: [60, 32] });`);
  expectClose(all!.value, sinusoidalEncoding({ length: 60, dim: 32 }).data, EPS / 2);
});

test('the binary numbers are those from 0 to 7', () => {
  expect(values(2)).toEqual(['000', '001', '010', '011', '100', '101', '110', '111'].map((b, i) => `${i}: ${b}`));
});

test('the rotation by seven differs only by rounding', () => {
  // Two products of numbers below 1, each of the three factors rounded to float32.
  expect(values(4)[0]).toBeLessThanOrEqual(4 * EPS);
});

test('the relative table alone decides the weights, clipped at two', () => {
  // The scores are 4/√4 · (1 - min(|offset|, 2)): a softmax ignores the constant.
  const expected = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => {
    const row = [0, 1, 2, 3, 4, 5, 6, 7].map((j) => Math.exp(-2 * Math.min(Math.abs(j - i), 2)));
    const sum = row.reduce((a, b) => a + b);
    return row.map((w) => w / sum);
  });
  expectClose(values(5)[0], expected, 4 * EPS);
});
