import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Tokenizer } from '@huggingface/tokenizers';
import { readCheckpoint } from 'wasm-attention/models';

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
