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
export function tokensOf({ model, tokenizer }: Checkpoint, text: string): Tokens {
  const most = Math.min(MOST, model.maxLength);
  const all =
    tokenizer === undefined
      ? (text.match(/\d+/g) ?? []).map(Number).filter((id) => id < model.vocabSize)
      : tokenizer.encode(text).ids;
  const ids = all.slice(0, most);
  return { ids, names: ids.map((id) => nameOf(tokenizer, id)), cut: all.length > most };
}

/** A token as an axis label, without the mark of a space before a word. */
export function nameOf(tokenizer: Checkpoint['tokenizer'], id: number): string {
  return pieceOf(tokenizer, id).replace(/^␣(?=.)/, '');
}

/** A token as it continues a text, with marks for a space and a line break. */
export function pieceOf(tokenizer: Checkpoint['tokenizer'], id: number): string {
  if (tokenizer === undefined) return String(id);
  const piece = tokenizer.id_to_token(id) ?? '';
  return /^(<0x0A>|Ċ)$/.test(piece) ? '↵' : piece.replace(/^[▁Ġ]/, '␣');
}

/** The text of tokens; a token may be part of a character. */
export function textOf(tokenizer: Checkpoint['tokenizer'], ids: readonly number[]): string {
  if (tokenizer === undefined) return ids.join(' ');
  return tokenizer.decode([...ids], { skip_special_tokens: true }).replace(/\uFFFD+$/, '');
}
