import type { Checkpoint } from './checkpoint.js';

/** The most tokens whose maps are legible. */
export const MOST = 128;

/** Token ids and their texts. */
export interface Tokens {
  readonly ids: readonly number[];
  readonly names: readonly string[];
  /** Whether the text has more tokens. */
  readonly cut: boolean;
}

/** The tokens of a text: from the tokenizer or, without one, the whole numbers in it. */
export async function tokensOf({ model, tokenizer }: Checkpoint, text: string): Promise<Tokens> {
  const most = Math.min(MOST, model.maxLength);
  const all =
    tokenizer === undefined
      ? (text.match(/\d+/g) ?? []).map(Number).filter((id) => id < model.vocabSize)
      : await tokenizer.ask('encode', text);
  const ids = all.slice(0, most);
  return { ids, names: (await piecesOf(tokenizer, ids)).map(nameOf), cut: all.length > most };
}

/** Tokens as they continue a text, with marks for a space and a line break. */
export async function piecesOf(tokenizer: Checkpoint['tokenizer'], ids: readonly number[]): Promise<string[]> {
  if (tokenizer === undefined) return ids.map(String);
  const pieces = await tokenizer.ask('pieces', ids);
  return pieces.map((piece) => (/^(<0x0A>|Ċ)$/.test(piece) ? '↵' : piece.replace(/^[▁Ġ]/, '␣')));
}

/** A piece as an axis label, without the mark of a space before a word. */
export function nameOf(piece: string): string {
  return piece.replace(/^␣(?=.)/, '');
}

/** The text of tokens; a token may be part of a character. */
export async function textOf(tokenizer: Checkpoint['tokenizer'], ids: readonly number[]): Promise<string> {
  if (tokenizer === undefined) return ids.join(' ');
  return (await tokenizer.ask('decode', ids)).replace(/\uFFFD+$/, '');
}
