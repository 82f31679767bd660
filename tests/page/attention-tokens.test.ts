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
import { entropies } from '../../web/elements/attention-tokens/entropy.js';
import {
  MOST_TOKENS,
  sentenceOf,
  tokensScene,
  type TokensScene,
} from '../../web/elements/attention-tokens/scene.js';
import {
  clipped,
  embeddingsOf,
  folded,
  LONGEST_TEXT,
  shortened,
  tokensOf,
} from '../../web/elements/shared/tokens.js';
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
function weight(
  { heads, keys }: TokensScene,
  kind: (typeof HEADS)[number],
  row: number,
  column: number,
): number {
  return heads[HEADS.indexOf(kind)]?.[row * keys.length + column] ?? NaN;
}

describe('tokens', () => {
  test('are words and signs, without the blanks', () => {
    const { tokens, cut } = tokensOf('The cat, 42 times: “don’t”!', 'en', 20);
    expect(tokens).toEqual(['The', 'cat', ',', '42', 'times', ':', '“', 'don’t', '”', '!']);
    expect(cut).toBe(false);
  });

  test('are the same where the browser has no segmenter', () => {
    const Segmenter = Intl.Segmenter;
    const text = 'The cat, 42 times: “don’t”! Şeker ve ığdır 고양이가 잔다';
    const wanted = tokensOf(text, 'en', 30);
    Object.assign(Intl, { Segmenter: undefined });
    try {
      expect(tokensOf(text, 'en', 30)).toEqual(wanted);
    } finally {
      Object.assign(Intl, { Segmenter });
    }
  });

  test('of a pasted book are its first, and the cut is told', () => {
    const book = 'a word '.repeat(15_000);
    const kept = clipped(book);
    expect(kept).toHaveLength(LONGEST_TEXT);
    expect(sentenceOf(kept, 'sample', 'en').tokens).toHaveLength(MOST_TOKENS);
    expect(sentenceOf(kept, 'sample', 'en').cut).toBe(true);
    // One word without an end, and letters of two code units each.
    expect(sentenceOf(clipped('x'.repeat(100_000)), 'sample', 'en').cut).toBe(true);
    expect(Array.from(clipped('😀'.repeat(50_000)))).toHaveLength(LONGEST_TEXT);
    expect(sentenceOf('a b', 'sample', 'en')).toEqual({ tokens: ['a', 'b'], cut: false });
  });

  test('of nothing but blanks are the sample’s', () => {
    expect(sentenceOf(' \n ', 'one two', 'en').tokens).toEqual(['one', 'two']);
  });

  test('fold by the language’s own rule', () => {
    expect(folded('KIZ', 'tr')).toBe('kız');
    expect(folded('KIZ', 'en')).toBe('kiz');
  });

  test('are shortened by width, at least one letter left', () => {
    expect(shortened('positional', 9)).toBe('positiona'.slice(0, 8) + '…');
    expect(shortened('position', 9)).toBe('position');
    expect(shortened('고양이들이', 9)).toBe('고양이…');
  });
});

test('equal tokens have equal embeddings, others do not, and all have the length asked for', () => {
  const E = embeddingsOf(['cat', 'dog', 'cat'], HALF, NORM);
  expect(E.subarray(0, HALF)).toEqual(E.subarray(2 * HALF));
  expect(E.subarray(0, HALF)).not.toEqual(E.subarray(HALF, 2 * HALF));
  // Each of 32 entries is rounded once: 2^-24 of the length.
  for (const row of [0, 1, 2])
    expect(Math.hypot(...E.subarray(row * HALF, (row + 1) * HALF))).toBeCloseTo(NORM, 5);
});

describe('heads set by hand', () => {
  test('do what their names say', () => {
    const full = scene();
    const last = SENTENCE.length - 1;
    for (let row = 0; row <= last; ++row) {
      if (row > 0) expect(weight(full, 'previous', row, row - 1)).toBeGreaterThan(0.9);
      if (row < last) expect(weight(full, 'next', row, row + 1)).toBeGreaterThan(0.9);
      const same = SENTENCE.map((token, column) =>
        token === SENTENCE[row] ? weight(full, 'same', row, column) : 0,
      );
      expect(same.reduce((sum, w) => sum + w, 0)).toBeGreaterThan(0.8);
      // P's rows grow unlike up to three places apart; farther out the slower pairs' cosines wave.
      for (let column = Math.max(1, row - 2); column <= row; ++column)
        expect(weight(full, 'near', row, column)).toBeGreaterThan(weight(full, 'near', row, column - 1));
    }
  });

  test('cannot find neighbours without positions: those heads attend evenly', () => {
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
  const vectors = (tokens: readonly string[]) =>
    vectorsOf(attention, embeddingsOf(tokens, HALF, NORM), rest.positions);
  const layer = designedLayer(attention, 1);
  const state = { ...layer.stateDict(), ...designedWeights(attention, 1) };
  layer.dispose();
  const memory = vectors(keys);
  const options = { isCausal: rest.causal };
  const wanted = multiHeadAttention(
    vectors(SENTENCE),
    memory,
    memory,
    { numHeads: HEADS.length, state },
    options,
  );
  const size = SENTENCE.length * keys.length;
  // Scores reach 130; float32 rounds sums of 64 and of 32 products of that size: 130·96·2^-24 at the worst in the exponent.
  shown.heads.forEach((head, h) =>
    head.forEach((value, i) => {
      expect(Math.abs(value - (wanted.weights.data[h * size + i] ?? NaN))).toBeLessThan(1e-3);
    }),
  );
});

test('the entropy is 0 for one key, log₂ n for n alike, and none for a row of zeros', () => {
  expect(entropies([1, 0, 0, 0, 0.25, 0.25, 0.25, 0.25, 0.5, 0.5, 0, 0, 0, 0, 0, 0], 4)).toEqual([
    0,
    2,
    1,
    NaN,
  ]);
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
