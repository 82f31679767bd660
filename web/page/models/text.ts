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
  return { ids, names: (await piecesOf(reader.tokenizer, ids)).map(nameOf), cut: all.length > ids.length };
}

/** Tokens as they continue a text, with marks for a space and a line break. */
export async function piecesOf(tokenizer: TextCheckpoint['tokenizer'], ids: readonly number[]): Promise<string[]> {
  if (tokenizer === undefined) return ids.map(String);
  const pieces = await tokenizer.ask('pieces', ids);
  return pieces.map((piece) => (/^(<0x0A>|Ċ)$/.test(piece) ? '↵' : piece.replace(/^[▁Ġ]/, '␣')));
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
