import { describe, expect, test } from '@jest/globals';
import type { STACKS } from '../../../web/elements/depth-collapse/stack.js';
import {
  differenceOf,
  HEADS,
  LAYERS,
  scaled,
  statesOf,
  TOKENS,
  WIDTH,
  type States,
} from '../../../web/elements/depth-collapse/stack.js';
import { attention } from '../../support/library.js';

/** What exercise 1 says about the figure, for its initial seed and others. */
describe.each([1, 2, 3])('with seed %d', (seed) => {
  const left = (states: States, stack: (typeof STACKS)[number]): number => differenceOf(states[stack][LAYERS]!);
  const options = (layer: number) => ({ numHiddens: WIDTH, numHeads: HEADS, seed: seed * 1000 + layer });
  const tokens = statesOf(attention, 'tokens', seed);
  const positions = statesOf(attention, 'positions', seed);

  test('residuals without norms keep more of the tokens than post-norm, and both lose the positions', () => {
    expect(left(tokens, 'residual')).toBeGreaterThan(10 * left(tokens, 'postNorm'));
    expect(left(tokens, 'residual')).toBeLessThan(0.2);
    const input = differenceOf(positions.residual[0]!);
    for (const stack of ['residual', 'postNorm'] as const) expect(left(positions, stack)).toBeLessThan(input / 1000);
    expect(left(positions, 'residual')).toBeLessThan(4 * left(positions, 'postNorm'));
  });

  test('pre-norm keeps most of both', () => {
    for (const states of [tokens, positions])
      for (const stack of ['attention', 'residual', 'postNorm'] as const)
        expect(left(states, 'preNorm')).toBeGreaterThan(4 * left(states, stack));
  });

  test('residuals without norms let vectors grow, until all queries attend to the same token', () => {
    const lengthOf = (x: Float32Array): number => Math.sqrt(x.reduce((sum, value) => sum + value ** 2, 0));
    expect(lengthOf(tokens.residual[LAYERS]!)).toBeGreaterThan(1000 * lengthOf(tokens.residual[0]!));
    /**
     * The mean over all queries of their largest weight, and the mean over the heads of how many of the TOKENS keys get
     * one.
     */
    const focus = (layer: number): { largest: number; chosen: number } => {
      const heads = new attention.MultiHeadAttention(options(layer));
      scaled(heads);
      const X = { data: tokens.residual[layer]!, shape: [1, TOKENS, WIDTH] };
      const { data } = heads.forward(X, X, X, { needWeights: true }).weights!;
      heads.dispose();
      const rows = Array.from({ length: HEADS * TOKENS }, (_, r) => data.subarray(r * TOKENS, (r + 1) * TOKENS));
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

  test.each(['post', 'pre'] as const)('the feed-forward networks make hardly any difference with %s-norm', (norm) => {
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
  });
});
