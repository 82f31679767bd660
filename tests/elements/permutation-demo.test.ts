import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { permutationCode } from '../../web/elements/permutation-demo/code.js';
import {
  COUNT,
  FIRST,
  moved,
  NUM_HEADS,
  orderSetting,
  permutationScene,
  permuted,
  ROUNDING,
  shuffled,
  WIDTH,
  type PermutationScene,
} from '../../web/elements/permutation-demo/permutation.js';
import { multiHeadAttention } from '../reference/multiHeadAttention.js';
import { sinusoidalEncoding } from '../reference/sinusoidalEncoding.js';
import { runModule } from '../support/runModule.js';
import { attention } from '../support/library.js';

const tokens = ['the', 'dog', 'bit', 'the', 'man'];
const order = [1, 5, 3, 4, 2];
const orders = fc.shuffledSubarray([...FIRST], { minLength: COUNT });

function scene(given: Partial<Parameters<typeof permutationScene>[2]> = {}): PermutationScene {
  const layer = new attention.MultiHeadAttention({ numHiddens: WIDTH, numHeads: NUM_HEADS, seed: 1 });
  const all = { tokens, order, positions: false, causal: false, ...given };
  const shown = permutationScene(attention, layer, all);
  layer.dispose();
  return shown;
}

test('without positions every order permutes the same outputs', () => {
  fc.assert(fc.property(orders, (given) => expect(scene({ order: given }).residual).toBeLessThan(ROUNDING)));
});

test('with positions or a causal mask they are not', () => {
  expect(scene({ positions: true }).residual).toBeGreaterThan(0.01);
  expect(scene({ causal: true }).residual).toBeGreaterThan(0.01);
  expect(scene({ positions: true, causal: true, order: FIRST }).residual).toBe(0);
});

test.each([
  { positions: false, causal: false },
  { positions: true, causal: false },
  { positions: false, causal: true },
])('what it shows is the reference’s: positions $positions, causal $causal', (given) => {
  const { PX, Z } = scene(given);
  const layer = new attention.MultiHeadAttention({ numHiddens: WIDTH, numHeads: NUM_HEADS, seed: 1 });
  const P = sinusoidalEncoding({ length: COUNT, dim: WIDTH }).data;
  const data = Array.from(PX, (x, i) => x + (given.positions ? (P[i] ?? NaN) : 0));
  const X = { data, shape: [1, COUNT, WIDTH] };
  const parameters = { numHeads: NUM_HEADS, state: layer.stateDict() };
  layer.dispose();
  const { output } = multiHeadAttention(X, X, X, parameters, { isCausal: given.causal });
  Z.forEach((value, i) => expect(Math.abs(value - (output.data[i] ?? NaN))).toBeLessThan(ROUNDING));
});

test('an order is valid only if it has each number once', () => {
  const setting = orderSetting(order);
  expect(setting.read(' 2,1 3 5 4 ')).toEqual([2, 1, 3, 5, 4]);
  for (const bad of ['', '1 2 3 4', '1 2 3 4 4', '1 2 3 4 5 6', '0 1 2 3 4', 'a b c d e', '1 2 3 4 5.5'])
    expect(setting.read(bad)).toBeUndefined();
});

test('a token moves one place, and not beyond the ends', () => {
  expect(moved(order, 1, -1)).toEqual([5, 1, 3, 4, 2]);
  expect(moved(order, 0, -1)).toBe(order);
  expect(moved(order, 4, 1)).toBe(order);
});

test('a shuffle repeats for the same seed, and all orders occur', () => {
  expect(shuffled(3)).toEqual(shuffled(3));
  const seen = new Set(Array.from({ length: 3000 }, (_, seed) => shuffled(seed + 1).join(' ')));
  // Of 120 orders each is missed with probability (119/120)^3000, about 1e-11.
  expect(seen.size).toBe(120);
});

test('rows are permuted by number', () => {
  const rows = Float32Array.from({ length: COUNT * WIDTH }, (_, i) => Math.floor(i / WIDTH) + 1);
  expect(Array.from(permuted(rows, order)).filter((_, i) => i % WIDTH === 0)).toEqual(order);
});

test.each([
  { positions: false, causal: false },
  { positions: true, causal: true },
])('the JavaScript prints the figure’s outputs and residual: positions $positions', async (given) => {
  const lines = await runModule(permutationCode({ tokens, order, ...given }).javascript);
  const { Z, residual } = scene(given);
  expect(lines.slice(0, COUNT).flatMap((line) => line.split(' ').map(Number))).toEqual(Array.from(Z));
  expect(Number(lines[COUNT])).toBe(residual);
});
