import { describe, expect, test } from '@jest/globals';
import { MAX_TOKENS, sentenceOf } from '../../web/elements/attention-tokens/scene.js';
import { clipped, embeddingsOf, folded, LONGEST_TEXT, shortened, tokensOf } from '../../web/elements/shared/tokens.js';
import { HALF, NORM } from '../../web/elements/attention-tokens/designed-heads.js';

describe('tokens', () => {
  test('are words and punctuation, without whitespace', () => {
    const { tokens, cut } = tokensOf('The cat, 42 times: “don’t”!', 'en', 20);
    expect(tokens).toEqual(['The', 'cat', ',', '42', 'times', ':', '“', 'don’t', '”', '!']);
    expect(cut).toBe(false);
  });

  test('are the same in browsers without a segmenter', () => {
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

  test('of a pasted book are its first, and the cut is reported', () => {
    const book = 'a word '.repeat(15_000);
    const kept = clipped(book);
    expect(kept).toHaveLength(LONGEST_TEXT);
    expect(sentenceOf(kept, 'sample', 'en').tokens).toHaveLength(MAX_TOKENS);
    expect(sentenceOf(kept, 'sample', 'en').cut).toBe(true);
    // One endless word, and letters of two code units each.
    expect(sentenceOf(clipped('x'.repeat(100_000)), 'sample', 'en').cut).toBe(true);
    expect(Array.from(clipped('😀'.repeat(50_000)))).toHaveLength(LONGEST_TEXT);
    expect(sentenceOf('a b', 'sample', 'en')).toEqual({ tokens: ['a', 'b'], cut: false });
  });

  test('of a blank text are the sample’s', () => {
    expect(sentenceOf(' \n ', 'one two', 'en').tokens).toEqual(['one', 'two']);
  });

  test('fold case by the language’s own rules', () => {
    expect(folded('KIZ', 'tr')).toBe('kız');
    expect(folded('KIZ', 'en')).toBe('kiz');
  });

  test('are truncated by width, to at least one letter', () => {
    expect(shortened('positional', 9)).toBe('positiona'.slice(0, 8) + '…');
    expect(shortened('position', 9)).toBe('position');
    expect(shortened('고양이들이', 9)).toBe('고양이…');
  });
});

test('equal tokens have equal embeddings, others do not, and all have the given length', () => {
  const E = embeddingsOf(['cat', 'dog', 'cat'], HALF, NORM);
  expect(E.subarray(0, HALF)).toEqual(E.subarray(2 * HALF));
  expect(E.subarray(0, HALF)).not.toEqual(E.subarray(HALF, 2 * HALF));
  // Each of 32 entries is rounded once: 2^-24 of the length.
  for (const row of [0, 1, 2]) expect(Math.hypot(...E.subarray(row * HALF, (row + 1) * HALF))).toBeCloseTo(NORM, 5);
});
