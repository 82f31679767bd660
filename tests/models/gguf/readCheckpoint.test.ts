/** A GGUF file, or a folder that has one, is a checkpoint without a config. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readCheckpoint, type Checkpoint } from 'wasm-attention/models';
import { ADDRESS, dropOf, filesOf, fixture, handleOf, json, serverOf } from '../checkpoint/folders.js';
import { checkpoint as safetensors } from '../fixtures.js';
import { modelOf, PUBLISHED } from './published.js';
import { resultOf } from './results.js';
import { writeGguf, type Keys } from './writer.js';

const gguf = new Uint8Array(fixture('gguf/llama-q8_0/model.gguf'));
const folder = mkdtempSync(join(tmpdir(), 'gguf-'));
const path = join(folder, 'a model: Q8.gguf');
writeFileSync(path, gguf);
afterAll(() => rmSync(folder, { recursive: true }));

const files = { 'model-Q8_0.gguf': gguf, 'README.md': new Uint8Array(3) };

describe('is found', () => {
  const expected = resultOf({ weights: gguf });

  test.each<[string, () => Promise<Checkpoint>]>([
    ['as a path', () => readCheckpoint(path)],
    ['as a file: address', () => readCheckpoint(pathToFileURL(path))],
    ['as the address of a folder on the disk', () => readCheckpoint(pathToFileURL(folder))],
    ['as a folder on the disk', () => readCheckpoint(folder)],
    ['as a File', () => readCheckpoint(new File([gguf], 'x.GGUF'))],
    ['in a list of Files', () => readCheckpoint(filesOf(files))],
    ['in a drop', () => readCheckpoint(dropOf(files))],
    ['in a handle', () => readCheckpoint(handleOf(files))],
    [
      'beside a config and other weights',
      () => readCheckpoint(filesOf({ ...files, 'config.json': json({}), 'pytorch_model.bin': gguf })),
    ],
  ])('%s', async (_, read) => {
    const found = await read();
    expect(Object.keys(found).sort()).toEqual(['tokenizer', 'weights']);
    expect(found.weights).toHaveLength(1);
    expect(await resultOf({ ...found })).toEqual(await expected);
  });

  test.each([
    ['that sends parts', {}, ''],
    ['that sends whole files', { ranges: false }, ''],
    ['that refuses HEAD', { head: false }, ''],
    ['with a query', {}, '?download=true'],
    ['with a colon in its name', {}, '', 'model:Q8_0.gguf'],
  ])('at an address of a server %s', async (_, options, query, name = 'model-Q8_0.gguf') => {
    const path = encodeURIComponent(name);
    const server = serverOf({ [path]: gguf }, options);
    const found = await readCheckpoint(`${ADDRESS}/${path}${query}`, { fetch: server.fetch });
    expect(found.weights[0]).toMatchObject({ name, size: gguf.length });
    expect(await resultOf({ ...found })).toEqual(await expected);
    expect(server.asked.every((each) => each.replace(/^HEAD /, '').startsWith(`${path}${query}`))).toBe(true);
  });

  test('at an address of a server that does not tell lengths, without what fills up the file', async () => {
    const { tensors } = modelOf('llama', 'F16');
    const large = writeGguf(PUBLISHED.llama!.keys, tensors);
    const { fetch } = serverOf({ 'x.gguf': large }, { lengths: false });
    const found = await readCheckpoint(`${ADDRESS}/x.gguf`, { fetch });
    expect(found.weights[0]!.size).toBe(large.length);
    expect(await resultOf({ ...found })).toEqual(await resultOf({ weights: large }));
  });
});

describe('is refused', () => {
  test.each<[string, () => Promise<Checkpoint>, RegExp]>([
    [
      'beside another',
      () => readCheckpoint(filesOf({ ...files, 'b.gguf': gguf })),
      /one GGUF file, got b.gguf, model-Q8_0.gguf$/,
    ],
    [
      'if it is a part',
      () => readCheckpoint(new File([gguf], 'x-00001-of-00003.gguf')),
      /a whole GGUF file, got the part x-00001-of-00003.gguf$/,
    ],
    [
      'if a folder has only a part',
      () => readCheckpoint(filesOf({ 'x-00002-of-00003.gguf': gguf })),
      /the part x-00002-of-00003.gguf$/,
    ],
    ['if it is not there', () => readCheckpoint(join(folder, 'none.gguf')), /expected none.gguf, got none$/],
    [
      'if it is something else',
      () => readCheckpoint(new File(['<html>……………………'], 'x.gguf')),
      /begins with GGUF in 'x.gguf', got something else$/,
    ],
    [
      'if it is cut',
      () => readCheckpoint(new File([gguf.slice(0, 3000)], 'x.gguf')),
      /key 'tokenizer.ggml.tokens' to end within the file's 3000 bytes in 'x.gguf', got byte/,
    ],
  ])('%s', async (_, read, message) => {
    const error: unknown = await read().catch((each: unknown) => each);
    expect(error).toBeInstanceOf(RangeError);
    expect((error as Error).message).toMatch(/^readCheckpoint: expected /);
    expect((error as Error).message).toMatch(message);
  });

  test('at an address where it is not', async () => {
    const { fetch } = serverOf({});
    await expect(readCheckpoint(`${ADDRESS}/x.gguf`, { fetch })).rejects.toThrow('expected x.gguf, got none');
  });
});

test('safetensors come first', async () => {
  const { config, bytes } = safetensors('gpt2');
  const found = await readCheckpoint(filesOf({ ...files, 'config.json': json(config), 'model.safetensors': bytes }));
  expect(found.config).toEqual(config);
});

test("a folder's own tokenizer comes first", async () => {
  const tokenizer = { model: { type: 'BPE' } };
  const found = await readCheckpoint(filesOf({ ...files, 'tokenizer.json': json(tokenizer) }));
  expect(found.tokenizer).toEqual({ json: tokenizer, config: {} });
});

test.each<[string, Keys]>([
  ['without a vocabulary', { 'tokenizer.ggml.model': ['string', 'no_vocab'] }],
  [
    'of another model',
    { 'tokenizer.ggml.model': ['string', 't5'], 'tokenizer.ggml.tokens': ['list', 'string', ['a']] },
  ],
  [
    'with unknown splits',
    {
      'tokenizer.ggml.model': ['string', 'gpt2'],
      'tokenizer.ggml.pre': ['string', 'constructor'],
      'tokenizer.ggml.tokens': ['list', 'string', ['a']],
      'tokenizer.ggml.merges': ['list', 'string', []],
    },
  ],
  [
    'with too few scores',
    {
      'tokenizer.ggml.model': ['string', 'llama'],
      'tokenizer.ggml.tokens': ['list', 'string', ['a', 'b']],
      'tokenizer.ggml.scores': ['list', 'f32', [0]],
    },
  ],
])('%s there is no tokenizer', async (_, keys) => {
  const found = await readCheckpoint(new File([writeGguf({ ...PUBLISHED.llama!.keys, ...keys }, [])], 'x.gguf'));
  expect(Object.keys(found)).toEqual(['weights']);
});
