import { describe, expect, test } from '@jest/globals';
import { depthCode } from '../../web/elements/depth-collapse/code.js';
import {
  cosinesOf,
  differenceOf,
  HEADS,
  LAYERS,
  scaled,
  STACKS,
  statesOf,
  TOKENS,
  WIDTH,
  type States,
} from '../../web/elements/depth-collapse/stack.js';
import { normalDraws } from '../../web/elements/shared/normal-draws.js';
import { runModule } from '../support/runModule.js';
import { attention } from '../support/library.js';
import { pythonWithTorch, runScripts } from '../support/python.js';

describe('the difference between tokens', () => {
  test('is zero for equal rows, one for rows that add up to zero, and takes no notice of scale', () => {
    const row = normalDraws(WIDTH, 3);
    const equal = Float32Array.from({ length: TOKENS * WIDTH }, (_, k) => row[k % WIDTH]!);
    // The mean of equal float32 rows is exact but for the rounding of float64 sums.
    expect(differenceOf(equal)).toBeLessThan(1e-14);
    const opposite = equal.map((value, k) => (Math.floor(k / WIDTH) % 2 === 0 ? value : -value));
    expect(differenceOf(opposite)).toBeCloseTo(1, 12);
    const any = normalDraws(TOKENS * WIDTH, 4);
    expect(differenceOf(any.map((value) => value * 4))).toBe(differenceOf(any));
  });
  test('and their cosines agree: all ones where they are equal', () => {
    const row = normalDraws(WIDTH, 3);
    const equal = Float32Array.from({ length: TOKENS * WIDTH }, (_, k) => row[k % WIDTH]!);
    for (const cosine of cosinesOf(equal)) expect(cosine).toBeCloseTo(1, 6);
  });
});

describe.each(['tokens', 'positions'] as const)('stacks over %s', (signal) => {
  const states = statesOf(attention, signal, 1);
  const left = (stack: (typeof STACKS)[number], layer: number): number => differenceOf(states[stack][layer]!);
  test('attention alone collapses to rounding, residuals and norms slow it down by orders of magnitude', () => {
    // float32: a mean of equal rows is off by some units in the last place.
    expect(left('attention', LAYERS)).toBeLessThan(16 * 2 ** -24);
    for (const stack of ['residual', 'postNorm', 'preNorm'] as const)
      expect(left(stack, LAYERS)).toBeGreaterThan(1e-5);
  });
  test('a norm behind the sum collapses all the same, one before the sublayer nearly stops the collapse', () => {
    expect(left('postNorm', LAYERS)).toBeLessThan(left('postNorm', 1) / 50);
    expect(left('preNorm', LAYERS)).toBeGreaterThan(left('preNorm', 1) / 5);
  });
  test('start from the same tokens, one state a layer, the same for the same seed', () => {
    for (const stack of STACKS) {
      expect(states[stack]).toHaveLength(LAYERS + 1);
      expect(states[stack][0]).toEqual(states.attention[0]);
    }
    expect(statesOf(attention, signal, 1)).toEqual(states);
    expect(statesOf(attention, signal, 2)).not.toEqual(states);
  });
  test('the code prints the rows of the table, to the last bit', async () => {
    const lines = await runModule(depthCode(signal, 1).javascript);
    const rows = Array.from({ length: LAYERS + 1 }, (_, layer) => [
      layer,
      ...STACKS.map((stack) => left(stack, layer)),
    ]);
    expect(lines.map((line) => line.split(' ').map(Number))).toEqual(rows);
  });
  test('the PyTorch code draws other numbers, and shows the same', () => {
    const python = pythonWithTorch();
    // Its grammar is checked with that of all figures (tests/browser/code.test.ts).
    if (python === undefined) return;
    const [printed = ''] = runScripts(python, [depthCode(signal, 1).pytorch]);
    const rows = printed
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number));
    expect(rows).toHaveLength(LAYERS + 1);
    const [, alone, residual, postNorm, preNorm] = rows.at(-1) as [number, number, number, number, number];
    expect(alone).toBeLessThan(16 * 2 ** -24);
    for (const slower of [residual, postNorm]) expect(slower).toBeGreaterThan(1e-5);
    expect(preNorm).toBeGreaterThan(rows[1]![4]! / 5);
    expect(preNorm).toBeGreaterThan(10 * postNorm);
  });
});

/** What exercise 1 says about the figure, for other seeds than the one that it starts with, too. */
describe.each([1, 2, 3])('with seed %d', (seed) => {
  const left = (states: States, stack: (typeof STACKS)[number]): number =>
    differenceOf(states[stack][LAYERS]!);
  const options = (layer: number) => ({ numHiddens: WIDTH, numHeads: HEADS, seed: seed * 1000 + layer });
  const tokens = statesOf(attention, 'tokens', seed);
  const positions = statesOf(attention, 'positions', seed);

  test('residuals without norms keep more of the tokens than post-norm, and both lose the positions', () => {
    expect(left(tokens, 'residual')).toBeGreaterThan(10 * left(tokens, 'postNorm'));
    expect(left(tokens, 'residual')).toBeLessThan(0.2);
    const input = differenceOf(positions.residual[0]!);
    for (const stack of ['residual', 'postNorm'] as const)
      expect(left(positions, stack)).toBeLessThan(input / 1000);
    expect(left(positions, 'residual')).toBeLessThan(4 * left(positions, 'postNorm'));
  });

  test('pre-norm keeps the most of both', () => {
    for (const states of [tokens, positions])
      for (const stack of ['attention', 'residual', 'postNorm'] as const)
        expect(left(states, 'preNorm')).toBeGreaterThan(4 * left(states, stack));
  });

  test('residuals without norms let vectors grow, until all queries look at one and the same token', () => {
    const lengthOf = (x: Float32Array): number => Math.sqrt(x.reduce((sum, value) => sum + value ** 2, 0));
    expect(lengthOf(tokens.residual[LAYERS]!)).toBeGreaterThan(1000 * lengthOf(tokens.residual[0]!));
    /** The mean over all queries of their largest weight, and how many keys get one, of TOKENS, as a mean over the heads. */
    const focus = (layer: number): { largest: number; chosen: number } => {
      const heads = new attention.MultiHeadAttention(options(layer));
      scaled(heads);
      const X = { data: tokens.residual[layer]!, shape: [1, TOKENS, WIDTH] };
      const { data } = heads.forward(X, X, X, { needWeights: true }).weights!;
      heads.dispose();
      const rows = Array.from({ length: HEADS * TOKENS }, (_, r) =>
        data.subarray(r * TOKENS, (r + 1) * TOKENS),
      );
      const largest = rows.map((row) => Math.max(...row));
      const chosen = new Set(rows.map((row, r) => `${Math.floor(r / TOKENS)} ${row.indexOf(largest[r]!)}`));
      return {
        largest: largest.reduce((sum, weight) => sum + weight) / rows.length,
        chosen: chosen.size / HEADS,
      };
    };
    expect(focus(0).largest).toBeLessThan(0.7);
    expect(focus(0).chosen).toBeGreaterThan(6);
    for (const layer of [8, 16, LAYERS - 1]) expect(focus(layer).largest).toBeGreaterThan(0.95);
    expect(focus(LAYERS - 1).chosen).toBeLessThan(2);
  });

  test.each(['post', 'pre'] as const)(
    'the feed-forward blocks make hardly any difference with %s-norm',
    (norm) => {
      let X = { data: tokens.attention[0]!, shape: [1, TOKENS, WIDTH] };
      for (let layer = 0; layer < LAYERS; ++layer) {
        const heads = new attention.MultiHeadAttention(options(layer));
        const encoder = new attention.TransformerEncoderLayer({
          ...options(layer),
          ffnHiddens: 4 * WIDTH,
          norm,
        });
        const state = { ...encoder.stateDict(), ...scaled(heads) };
        for (const name of ['linear2.weight', 'linear2.bias'] as const) {
          const { data, shape } = state[name]!;
          state[name] = { data: new Float32Array(data.length), shape };
        }
        encoder.loadStateDict(state);
        X = { data: encoder.forward(X).output.data, shape: X.shape };
        heads.dispose();
        encoder.dispose();
      }
      // Four orders of magnitude lie between the curves of the figure; here it is a factor of two.
      const ratio = differenceOf(X.data) / left(tokens, norm === 'post' ? 'postNorm' : 'preNorm');
      expect(Math.abs(Math.log2(ratio))).toBeLessThan(1);
    },
  );
});
