/** The script of a tokenizer's worker: tokenizer.ts. */
import { Tokenizer } from '@huggingface/tokenizers';
import type { TokenizerAnswer, TokenizerCalls } from './tokenizer.js';

/** The most characters of a token and of a text: in a stranger's file, a token may be as long as the file. */
const MOST = { token: 100, text: 10_000 };

let tokenizer: Tokenizer;

const calls: TokenizerCalls = {
  start({ json, config }) {
    tokenizer = new Tokenizer(json, config);
  },
  encode: (text) => tokenizer.encode(text).ids,
  decode: (ids) => tokenizer.decode([...ids], { skip_special_tokens: true }).slice(0, MOST.text),
  pieces: (ids) => ids.map((id) => (tokenizer.id_to_token(id) ?? '').slice(0, MOST.token)),
};

addEventListener('message', ({ data: [name, given] }: MessageEvent<[keyof TokenizerCalls, never]>) => {
  postMessage(answerTo(name, given));
});

function answerTo(name: keyof TokenizerCalls, given: never): TokenizerAnswer {
  try {
    return { result: calls[name](given) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
