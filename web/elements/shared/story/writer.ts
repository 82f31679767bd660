import type { WasmAttention } from 'wasm-attention';
import type { Model } from 'wasm-attention/models';

/** A language model with its tokenizer. */
export interface Writer {
  readonly model: Model;
  /** The tokens of a beginning, after the one that starts a text; at most `most`. */
  readonly tokensOf: (text: string, most: number) => readonly number[];
  /** The text of tokens from the first one on. */
  readonly textOf: (tokens: readonly number[]) => string;
  /** A token as it is, with a mark for the space before it. */
  readonly pieceOf: (token: number) => string;
  /** A token as an axis label. */
  readonly nameOf: (token: number) => string;
}

const opened = new WeakMap<WasmAttention, Promise<Writer>>();

/** Loads stories260K; all figures share one copy of it. */
export function openWriter(attention: WasmAttention): Promise<Writer> {
  let writer = opened.get(attention);
  if (writer === undefined) {
    writer = open(attention);
    opened.set(attention, writer);
    // Without the network, the next call tries again.
    writer.catch(() => opened.delete(attention));
  }
  return writer;
}

async function open(attention: WasmAttention): Promise<Writer> {
  const [{ openModel }, { files, Tokenizer }] = await Promise.all([
    import('wasm-attention/models'),
    import('./story-files.js'),
  ]);
  const model = await openModel({ config: files.config, weights: files.weights(), attention });
  const tokenizer = new Tokenizer(files.tokenizer, files.tokenizerConfig);
  return {
    model,
    tokensOf: (text, most) => tokenizer.encode(text).ids.slice(0, most),
    // A token may be part of a character.
    textOf: (tokens) => tokenizer.decode([...tokens], { skip_special_tokens: true }).replace(/\uFFFD+$/, ''),
    pieceOf: (token) => (tokenizer.id_to_token(token) ?? '').replace(/^▁/, '␣').replace('<0x0A>', '↵'),
    nameOf: (token) => named(tokenizer.id_to_token(token) ?? ''),
  };
}

/** `▁Once` → `Once`; invisible characters get a mark. */
function named(piece: string): string {
  if (piece === '<0x0A>') return '↵';
  return piece.replace(/^▁(?=.)/, '').replace(/^▁$/, '␣');
}
