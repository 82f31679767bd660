import { describe, expect, test } from '@jest/globals';
import { tokensCode } from '../../web/elements/attention-tokens/code.js';
import {
  designedLayer,
  designedWeights,
  HALF,
  HEADS,
  NORM,
  vectorsOf,
} from '../../web/elements/attention-tokens/designed-heads.js';
import { entropies } from '../../web/elements/shared/entropy/entropy.js';
import { tokensScene, type TokensScene } from '../../web/elements/attention-tokens/scene.js';
import { embeddingsOf } from '../../web/elements/shared/tokens.js';
import { multiHeadAttention } from '../reference/multiHeadAttention.js';
import { runModule } from '../support/runModule.js';
import { attention } from '../support/library.js';

const SENTENCE = ['the', 'cat', 'saw', 'the', 'dog', 'and', 'the', 'dog', 'ran'];

function scene(options: Partial<Parameters<typeof tokensScene>[2]> = {}): TokensScene {
  const layer = designedLayer(attention, 1);
  const all = { queries: SENTENCE, keys: SENTENCE, positions: true, causal: false, language: 'en' };
  const shown = tokensScene(attention, layer, { ...all, ...options });
  layer.dispose();
  return shown;
}

/** The weight that query `row` of a head gives key `column`. */
function weight({ heads, keys }: TokensScene, kind: (typeof HEADS)[number], row: number, column: number): number {
  return heads[HEADS.indexOf(kind)]?.[row * keys.length + column] ?? NaN;
}

describe('heads set by hand', () => {
  test('do what their names say', () => {
    const full = scene();
    const last = SENTENCE.length - 1;
    for (let row = 0; row <= last; ++row) {
      if (row > 0) expect(weight(full, 'previous', row, row - 1)).toBeGreaterThan(0.9);
      if (row < last) expect(weight(full, 'next', row, row + 1)).toBeGreaterThan(0.9);
      const same = SENTENCE.map((token, column) => (token === SENTENCE[row] ? weight(full, 'same', row, column) : 0));
      expect(same.reduce((sum, w) => sum + w, 0)).toBeGreaterThan(0.8);
      // Rows of P become less similar up to three places apart; farther out the slower pairs' cosines oscillate.
      for (let column = Math.max(1, row - 2); column <= row; ++column)
        expect(weight(full, 'near', row, column)).toBeGreaterThan(weight(full, 'near', row, column - 1));
    }
  });

  test('cannot find neighbours without positions: those heads attend uniformly', () => {
    const blind = scene({ positions: false });
    for (const kind of ['previous', 'next', 'near'] as const) {
      const weights = blind.heads[HEADS.indexOf(kind)] ?? [];
      for (const value of weights) expect(value).toBeCloseTo(1 / SENTENCE.length, 6);
    }
    expect(weight(blind, 'same', 1, 1)).toBeGreaterThan(0.8);
  });

  test('find the same word in a second sentence', () => {
    const cross = scene({ keys: ['a', 'dog', 'barked'] });
    expect(cross.heads[0]).toHaveLength(SENTENCE.length * 3);
    expect(weight(cross, 'same', 4, 1)).toBeGreaterThan(0.8);
  });
});

test.each([
  { positions: true, causal: false, keys: SENTENCE },
  { positions: true, causal: true, keys: ['a', 'dog', 'barked'] },
  { positions: false, causal: true, keys: SENTENCE },
])('every weight is that of the reference: positions $positions, causal $causal', ({ keys, ...rest }) => {
  const shown = scene({ ...rest, keys });
  const vectors = (tokens: readonly string[]) => vectorsOf(attention, embeddingsOf(tokens, HALF, NORM), rest.positions);
  const layer = designedLayer(attention, 1);
  const state = { ...layer.stateDict(), ...designedWeights(attention, 1) };
  layer.dispose();
  const memory = vectors(keys);
  const options = { isCausal: rest.causal };
  const wanted = multiHeadAttention(vectors(SENTENCE), memory, memory, { numHeads: HEADS.length, state }, options);
  const size = SENTENCE.length * keys.length;
  // Scores reach 130; float32 rounds sums of 64 and of 32 products of that size: 130·96·2^-24 at the worst in the
  // exponent.
  shown.heads.forEach((head, h) =>
    head.forEach((value, i) => {
      expect(Math.abs(value - (wanted.weights.data[h * size + i] ?? NaN))).toBeLessThan(1e-3);
    }),
  );
});

test('the entropy is 0 for one key, log₂ n for n equal ones, and NaN for a row of zeros', () => {
  expect(entropies([1, 0, 0, 0, 0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0, 0, 0, 0, 0, 0], 4)).toEqual([0, 2, 1, NaN]);
});

test.each([
  { keys: undefined, positions: true, causal: false, seed: 1 },
  { keys: ['a', 'dog'], positions: false, causal: true, seed: 7 },
])('the JavaScript prints the figure’s weights', async (settings) => {
  const lines = await runModule(tokensCode({ queries: SENTENCE, ...settings }).javascript);
  const layer = designedLayer(attention, settings.seed);
  const keys = settings.keys ?? SENTENCE;
  const shown = tokensScene(attention, layer, { ...settings, queries: SENTENCE, keys, language: 'en' });
  layer.dispose();
  const rows = shown.heads.flatMap((weights, head) => {
    const bits = entropies(weights, keys.length);
    return SENTENCE.map((token, row) => [
      String(head + 1),
      token,
      ...Array.from(weights.subarray(row * keys.length, (row + 1) * keys.length), String),
      bits[row],
    ]);
  });
  expect(lines).toHaveLength(rows.length);
  lines.forEach((line, i) => {
    const printed = line.split(' ');
    const row = rows[i] ?? [];
    expect(printed.slice(0, -1)).toEqual(row.slice(0, -1));
    expect(Number(printed.at(-1))).toBeCloseTo(Number(row.at(-1)), 5);
  });
});
