import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Tokenizer } from '@huggingface/tokenizers';
import { readCheckpoint } from 'wasm-attention/models';
import { writeGguf, type Keys } from './writer.js';

const ROOT = join(import.meta.dirname, '../../fixtures/gguf');
const folders = readdirSync(ROOT).sort();

for (const folder of folders) {
  test(`${folder}: llama.cpp's ids`, async () => {
    const { tokenizer } = await readCheckpoint(join(ROOT, folder, 'model.gguf'));
    const { json, config } = tokenizer!;
    const made = new Tokenizer(json as object, config as object);
    const { tokenizer: cases } = JSON.parse(readFileSync(join(ROOT, folder, 'expected.json'), 'utf8')) as {
      tokenizer: { text: string; ids: number[] }[];
    };
    const got = cases.map(({ text }) => ({ text, ids: made.encode(text, { add_special_tokens: false }).ids }));
    expect(got).toEqual(cases);
  });
}

/** The tokens of letters and digits, and of some pieces, one of which no merges make. */
async function byteLevel(pre: string, more: Keys = {}): Promise<Tokenizer> {
  const tokens = [
    ...'abcdefghijklmnopqrstuvwxyz0123456789'.split(''),
    'Ġ',
    "'",
    'S',
    '12',
    '123',
    'whole',
    '<|end|>',
    '[user]',
  ];
  const keys: Keys = {
    'tokenizer.ggml.model': ['string', 'gpt2'],
    'tokenizer.ggml.pre': ['string', pre],
    'tokenizer.ggml.tokens': ['list', 'string', tokens],
    'tokenizer.ggml.token_type': ['list', 'i32', tokens.map((each) => ({ '<|end|>': 3, '[user]': 4 })[each] ?? 1)],
    'tokenizer.ggml.merges': ['list', 'string', ['1 2', '12 3']],
    'tokenizer.ggml.bos_token_id': ['u32', tokens.indexOf('<|end|>')],
    'tokenizer.ggml.eos_token_id': ['u32', tokens.indexOf('<|end|>')],
    ...more,
  };
  const { tokenizer } = await readCheckpoint(new File([writeGguf(keys, [])], 'x.gguf'));
  return new Tokenizer(tokenizer!.json as object, tokenizer!.config as object);
}

test.each<[string, string, string[], string[]]>([
  // Digits apart or not, and whether a token is taken whole.
  ['gpt-2', "a1234'S", ['a', '123', '4', "'", 'S'], ['w', 'h', 'o', 'l', 'e']],
  ['smollm', "a1234'S", ['a', '1', '2', '3', '4', "'", 'S'], ['w', 'h', 'o', 'l', 'e']],
  ['qwen2', "a1234'S", ['a', '1', '2', '3', '4', "'", 'S'], ['w', 'h', 'o', 'l', 'e']],
  ['llama-bpe', "a1234'S", ['a', '123', '4', "'", 'S'], ['whole']],
  ['smaug-bpe', "a1234'S", ['a', '123', '4', "'", 'S'], ['w', 'h', 'o', 'l', 'e']],
])('%s splits as it should', async (pre, text, tokens, whole) => {
  const tokenizer = await byteLevel(pre);
  expect(tokenizer.tokenize(text)).toEqual(tokens);
  expect(tokenizer.tokenize('whole')).toEqual(whole);
  expect(tokenizer.tokenize('a[user]b<|end|>c')).toEqual(['a', '[user]', 'b', '<|end|>', 'c']);
});

test('special tokens are around a text as the file says', async () => {
  const end = '<|end|>';
  expect((await byteLevel('qwen2')).encode('a').tokens).toEqual(['a']);
  expect((await byteLevel('llama-bpe')).encode('a').tokens).toEqual([end, 'a']);
  expect((await byteLevel('qwen2', { 'tokenizer.ggml.add_eos_token': ['bool', 1] })).encode('a').tokens).toEqual([
    'a',
    end,
  ]);
  expect((await byteLevel('llama-bpe', { 'tokenizer.ggml.add_bos_token': ['bool', 0] })).encode('a').tokens).toEqual([
    'a',
  ]);
  const tokenizer = await byteLevel('gpt-2');
  expect(tokenizer.decode(tokenizer.encode('a 1[user]').ids)).toBe('a 1[user]');
});

test.each<[string, string[]]>([
  ['Phi 3.5 Mini Instruct', ['<|user|>', '▁a', '<|end|>', '<|endoftext|>', '▁', '<0x0A>', 'a']],
  ['phi3', ['<|user|>', '▁a', '<|end|>', '<|endoftext|>', '▁', '<0x0A>', 'a']],
  ['another', ['<|user|>', '▁', '<0x0A>', '▁a', '<|end|>', '▁', '<0x0A>', '<|endoftext|>', '▁', '<0x0A>', 'a']],
])('white space behind special tokens of %s', async (name, expected) => {
  const tokens = ['<unk>', '▁', 'a', '▁a', '<0x0A>', '<|endoftext|>', '<|user|>', '<|end|>'];
  const keys: Keys = {
    'general.name': ['string', name],
    'tokenizer.ggml.model': ['string', 'llama'],
    'tokenizer.ggml.tokens': ['list', 'string', tokens],
    'tokenizer.ggml.scores': ['list', 'f32', tokens.map((_, id) => -id)],
    'tokenizer.ggml.token_type': ['list', 'i32', [2, 1, 1, 1, 6, 3, 3, 3]],
  };
  const { tokenizer } = await readCheckpoint(new File([writeGguf(keys, [])], 'x.gguf'));
  const made = new Tokenizer(tokenizer!.json as object, tokenizer!.config as object);
  expect(made.tokenize('<|user|>\n a<|end|>\n<|endoftext|>\na')).toEqual(expected);
});
