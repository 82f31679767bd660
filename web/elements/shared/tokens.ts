import { normalDraws } from './normal-draws.js';

/** A whole number that depends only on the token's text: FNV-1a over its UTF-16 code units, 32 bits. */
export function seedOf(token: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < token.length; ++i) hash = Math.imul(hash ^ token.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/**
 * An embedding for each token, (tokens.length, width): normal draws with the token's text as the seed, scaled to length
 * `norm`. Equal tokens get equal rows, and different ones rows that are nearly orthogonal for a large `width`.
 */
export function embeddingsOf(tokens: readonly string[], width: number, norm: number): Float32Array {
  const table = new Float32Array(tokens.length * width);
  tokens.forEach((token, row) => {
    const draws = normalDraws(width, seedOf(token));
    const length = Math.hypot(...draws);
    table.set(
      draws.map((draw) => (draw / length) * norm),
      row * width,
    );
  });
  return table;
}

/** The most characters of a text that are read, so that a pasted book takes no longer than a line. */
export const LONGEST_TEXT = 400;

/** The beginning of a pasted text, or all of it if it is short. */
export function clipped(text: string): string {
  // Twice as many code units hold at least as many characters; only those are split.
  return text.length <= LONGEST_TEXT
    ? text
    : Array.from(text.slice(0, 2 * LONGEST_TEXT))
        .slice(0, LONGEST_TEXT)
        .join('');
}

/** A token as an axis label, truncated to `room` letters. Letters of East Asian scripts count twice. */
export function shortened(token: string, room: number): string {
  const letters = Array.from(token);
  let used = 0;
  for (let i = 0; i < letters.length; ++i) {
    used += (letters[i]?.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1;
    if (used > room) return `${letters.slice(0, Math.max(1, i - 1)).join('')}…`;
  }
  return token;
}
