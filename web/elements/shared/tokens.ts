import { normalDraws } from './normal-draws.js';

/** The first tokens of a text, and whether the text has more. */
export interface Tokens {
  readonly tokens: readonly string[];
  readonly cut: boolean;
}

/** Words, numbers and single characters, for browsers without a segmenter. */
const PIECE = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*|[^\s]/gu;

/**
 * Splits a text into words and punctuation, at most `most` of them, without whitespace. `Intl.Segmenter` knows the
 * words of languages without spaces; without it, a word is a run of letters and digits. A long text takes no longer
 * than a short one, because it stops after the last token.
 *
 * @param language BCP 47 tag
 */
export function tokensOf(text: string, language: string, most: number): Tokens {
  const tokens: string[] = [];
  for (const piece of pieces(text, language)) {
    if (tokens.length === most) return { tokens, cut: true };
    tokens.push(piece);
  }
  return { tokens, cut: false };
}

let segmenter: { readonly language: string; readonly parts: Intl.Segmenter } | undefined;

function* pieces(text: string, language: string): Generator<string> {
  const Segmenter = (Intl as { Segmenter?: typeof Intl.Segmenter }).Segmenter;
  if (Segmenter === undefined) {
    for (const [piece] of text.matchAll(PIECE)) yield piece;
    return;
  }
  // Creating one takes milliseconds, and readers type more often than they change languages.
  if (segmenter?.language !== language) {
    segmenter = { language, parts: new Segmenter(language, { granularity: 'word' }) };
  }
  for (const { segment } of segmenter.parts.segment(text)) {
    if (segment.trim() !== '') yield segment;
  }
}

/** A token as embeddings use it: `The` and `the` are the same, by the rules of the language (Turkish I and ı). */
export function folded(token: string, language: string): string {
  return token.toLocaleLowerCase(language);
}

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

/** Whether `clipped` has cut the text, or may have. */
export function isClipped(text: string): boolean {
  return Array.from(text).length >= LONGEST_TEXT;
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
