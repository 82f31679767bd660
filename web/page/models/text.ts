import { charactersOf } from './characters.js';
import type { TextCheckpoint } from './checkpoint.js';

/** The most tokens whose maps are legible. */
export const MOST = 128;

/** Token ids and their texts. */
export interface Tokens {
  readonly ids: readonly number[];
  readonly names: readonly string[];
  /** Whether the text has more tokens. */
  readonly cut: boolean;
}

type Reader = Pick<TextCheckpoint, 'model' | 'tokenizer'>;

/** The ids of a text: from the tokenizer or, without one, the whole numbers in it. */
export async function idsOf({ model, tokenizer }: Reader, text: string): Promise<readonly number[]> {
  if (tokenizer !== undefined) return tokenizer.ask('encode', text);
  return (text.match(/\d+/g) ?? []).map(Number).filter((id) => id < model.vocabSize);
}

/** The first tokens of a text, as many as the model can read and a reader can tell apart. */
export async function tokensOf(reader: Reader, text: string): Promise<Tokens> {
  const all = await idsOf(reader, text);
  const ids = all.slice(0, Math.min(MOST, reader.model.maxLength));
  const { tokenizer } = reader;
  const names = charactersOf(await vocabularyOf(tokenizer, ids), tokenizer?.isByteLevel ?? false);
  return { ids, names: names.map(nameOf), cut: all.length > ids.length };
}

/** Tokens, each by itself, as they continue a text, with marks for spaces and line breaks. */
export async function piecesOf(tokenizer: TextCheckpoint['tokenizer'], ids: readonly number[]): Promise<string[]> {
  const pieces = await vocabularyOf(tokenizer, ids);
  return pieces.flatMap((piece) => charactersOf([piece], tokenizer?.isByteLevel ?? false));
}

/** Tokens as the vocabulary writes them, or their ids. */
async function vocabularyOf(tokenizer: TextCheckpoint['tokenizer'], ids: readonly number[]): Promise<string[]> {
  return tokenizer === undefined ? ids.map(String) : tokenizer.ask('pieces', ids);
}

/** A piece as an axis label, without the mark of a space before a word. */
export function nameOf(piece: string): string {
  return piece.replace(/^␣(?=.)/, '');
}

/** The text of tokens; a token may be part of a character. */
export async function textOf(tokenizer: TextCheckpoint['tokenizer'], ids: readonly number[]): Promise<string> {
  if (tokenizer === undefined) return ids.join(' ');
  return (await tokenizer.ask('decode', ids)).replace(/\uFFFD+$/, '');
}
