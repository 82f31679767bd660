import { describe, expect, test } from '@jest/globals';
import { clipped, embeddingsOf, LONGEST_TEXT, shortened } from '../../web/elements/shared/tokens.js';

describe('a text', () => {
  test('that is a pasted book is clipped', () => {
    expect(clipped('a word '.repeat(15_000))).toHaveLength(LONGEST_TEXT);
    // Letters of two code units each.
    expect(Array.from(clipped('😀'.repeat(50_000)))).toHaveLength(LONGEST_TEXT);
    expect(clipped('a b')).toBe('a b');
  });

  test('is truncated by width, to at least one letter', () => {
    expect(shortened('positional', 9)).toBe('positiona'.slice(0, 8) + '…');
    expect(shortened('position', 9)).toBe('position');
    expect(shortened('고양이들이', 9)).toBe('고양이…');
  });
});

test('equal tokens have equal embeddings, others do not, and all have the given length', () => {
  const [width, norm] = [32, 5];
  const E = embeddingsOf(['cat', 'dog', 'cat'], width, norm);
  expect(E.subarray(0, width)).toEqual(E.subarray(2 * width));
  expect(E.subarray(0, width)).not.toEqual(E.subarray(width, 2 * width));
  // Each of 32 entries is rounded once: 2^-24 of the length.
  for (const row of [0, 1, 2]) expect(Math.hypot(...E.subarray(row * width, (row + 1) * width))).toBeCloseTo(norm, 5);
});
