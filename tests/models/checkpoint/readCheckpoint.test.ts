/** Folders as they are published, from everywhere that they can come from. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openModel, readCheckpoint, type Checkpoint } from 'wasm-attention/models';
import { readSafetensors, writeSafetensors } from 'wasm-attention/safetensors';
import { attention } from '../../support/library.js';
import { checkpoint } from '../fixtures.js';
import {
  ADDRESS,
  dropOf,
  filesOf,
  handleOf,
  json,
  published,
  serverOf,
  sharded,
  write,
  type Files,
} from './folders.js';

const NAME = 'bert-padded';
const { config, bytes, expected } = checkpoint(NAME);
const modules = (...types: string[]): unknown =>
  types.map((type, idx) => ({
    idx,
    name: String(idx),
    path: idx === 0 ? '' : `${idx}_${type}`,
    type: `sentence_transformers.models.${type}`,
  }));

/** A folder with everything. Its other configs would be refused. */
const whole: Files = {
  ...published(NAME),
  'README.md': json('text'),
  'modules.json': json(modules('Transformer', 'Pooling', 'Normalize')),
  '1_Pooling/config.json': json({ pooling_mode_cls_token: true }),
  'onnx/config.json': json({}),
  'onnx/model.onnx': json(0),
  'generation_config.json': json({ eos_token_id: 3 }),
  'preprocessor_config.json': json({ size: 8 }),
  'tokenizer.json': json({ version: '1.0' }),
  'tokenizer_config.json': json({ model_max_length: 32 }),
};
const facts = {
  config,
  generationConfig: { eos_token_id: 3 },
  imageConfig: { size: 8, model_type: 'bert' },
  sentence: { pooling: { pooling_mode_cls_token: true }, normalize: true },
  tokenizer: { json: { version: '1.0' }, config: { model_max_length: 32 } },
};

let folder: string;
let server: Server;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'checkpoint-'));
  for (const [path, content] of Object.entries(whole)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const { fetch: answer } = serverOf(whole);
  server = createServer((request, response) => {
    const range = request.headers.range;
    void answer(`https://example.org${request.url}`, { method: request.method!, headers: range ? { range } : {} }).then(
      async (given) => {
        response.writeHead(given.status, Object.fromEntries(given.headers));
        response.end(Buffer.from(await given.arrayBuffer()));
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  server.close();
});

const hiddenOf = async (given: Checkpoint) => {
  const model = await openModel({ ...given, attention });
  const { hidden } = model.forward(expected.ids);
  model.dispose();
  return hidden;
};
const inMemory = (files: Files) => readCheckpoint(filesOf(files));
const fetched = (files: Files, options = {}) => readCheckpoint(ADDRESS, { fetch: serverOf(files, options).fetch });

describe('the same folder', () => {
  test.each<[string, () => Promise<Checkpoint>]>([
    ['at a path', () => readCheckpoint(folder)],
    ['at a path with a slash', () => readCheckpoint(`${folder}/`)],
    ['at a file: URL', () => readCheckpoint(pathToFileURL(folder))],
    ['at an address', () => readCheckpoint(`http://127.0.0.1:${(server.address() as AddressInfo).port}/model`)],
    ['at an address with its own fetch', () => fetched(whole)],
    ['at an address that refuses HEAD', () => fetched(whole, { head: false })],
    ['at an address that ignores Range', () => fetched(whole, { ranges: false })],
    ['at an address that refuses HEAD and ignores Range', () => fetched(whole, { head: false, ranges: false })],
    ['at an address that tells no lengths', () => fetched(whole, { lengths: false })],
    ['at an address that compresses', () => fetched(whole, { lengths: false, ranges: false })],
    ['in a directory input', () => inMemory(whole)],
    ['in a directory input of the folder above', () => readCheckpoint(filesOf(whole, 'models/bert/'))],
    ['in a FileList', () => readCheckpoint(new Set(filesOf(whole)))],
    ['behind a handle', () => readCheckpoint(handleOf(whole))],
    ['in a drop', () => readCheckpoint(dropOf(whole))],
  ])('%s', async (_, read) => {
    const { weights, ...found } = await read();
    expect(found).toEqual(facts);
    expect(weights.map(({ name, size }) => [name, size])).toEqual([['model.safetensors', bytes.length]]);
    expect(new Uint8Array(await weights[0]!.slice(10, 5000).arrayBuffer())).toEqual(bytes.slice(10, 5000));
    const streamed = new Response(weights[0]!.stream() as BodyInit);
    expect(new Uint8Array(await streamed.arrayBuffer())).toEqual(bytes);
    const own = await openModel({ config, weights: bytes, attention });
    expect(await hiddenOf({ weights, ...found })).toEqual(own.forward(expected.ids).hidden);
    own.dispose();
  });
});

test('a folder of weights and a config is enough', async () => {
  for (const read of [inMemory, fetched]) {
    const { weights, ...others } = await read(published(NAME));
    expect(others).toEqual({ config });
    await hiddenOf({ weights, ...others });
  }
  const files = filesOf(published(NAME), '');
  expect((await readCheckpoint(files)).config).toEqual(config);
});

describe('at an address', () => {
  const small = published(NAME);
  const weights = writeSafetensors(readSafetensors(bytes), { weightType: 'int8' });
  const int8 = { ...small, 'model.safetensors': weights };

  test('config.json is asked for first, then the index, then sizes, and no weights', async () => {
    const { fetch: own, asked } = serverOf(small);
    await readCheckpoint(`${ADDRESS}?download=true`, { fetch: own });
    expect(asked.slice(0, 3)).toEqual([
      'config.json?download=true',
      'model.safetensors.index.json?download=true',
      'HEAD model.safetensors?download=true',
    ]);
    expect(asked.slice(3).sort()).toEqual([
      'generation_config.json?download=true',
      'modules.json?download=true',
      'preprocessor_config.json?download=true',
      'tokenizer.json?download=true',
      'tokenizer_config.json?download=true',
    ]);
  });

  test('a config that is not supported is refused before a byte of weights is fetched', async () => {
    const { fetch: own, asked } = serverOf({ ...small, 'config.json': json({ model_type: 'mamba' }) });
    const found = await readCheckpoint(ADDRESS, { fetch: own });
    const before = asked.length;
    await expect(openModel({ ...found, attention })).rejects.toThrow(/config\.model_type to be one of/);
    expect(asked).toHaveLength(before);
  });

  test('weights are read once, with one request for the header and one for tensors', async () => {
    for (const files of [small, int8]) {
      const { fetch: own, asked } = serverOf(files);
      await hiddenOf(await readCheckpoint(ADDRESS, { fetch: own }));
      const requests = asked.filter((each) => each.startsWith('model.safetensors bytes'));
      expect(requests.length).toBeLessThanOrEqual(2);
    }
  });

  test('a server that ignores Range sends a file once', async () => {
    for (const files of [small, int8, sharded(NAME, 3)]) {
      const { fetch: own, asked } = serverOf(files, { ranges: false });
      await hiddenOf(await readCheckpoint(ADDRESS, { fetch: own }));
      const requests = asked.filter((each) => each.includes('safetensors bytes'));
      expect(requests).toHaveLength(Object.keys(files).filter((name) => name.endsWith('.safetensors')).length);
    }
  });

  test.each([
    ['config.json', 500],
    ['generation_config.json', 403],
    ['tokenizer.json', 500],
    ['model.safetensors.index.json', 401],
    ['model.safetensors', 503],
  ])('%s with status %i is an error with both', async (path, status) => {
    const error = await fetched(small, { statuses: { [path]: status } }).catch(String);
    expect(error).toMatch(/^RangeError: readCheckpoint: expected /);
    expect(error).toContain(`expected ${path}, got HTTP status ${status}`);
  });

  test('a failure of fetch names the file and keeps the cause', async () => {
    const cause = new TypeError('no network');
    const error = await readCheckpoint(ADDRESS, { fetch: () => Promise.reject(cause) }).catch((each: unknown) => each);
    expect(error).toMatchObject({
      cause,
      message: 'readCheckpoint: expected config.json that can be read, got no network',
    });
  });

  test('a page in place of a file counts as none', async () => {
    const { fetch: own } = serverOf(small);
    const page = async (...args: Parameters<typeof fetch>): Promise<Response> => {
      const response = await own(...args);
      return response.status === 404
        ? new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } })
        : response;
    };
    expect(Object.keys(await readCheckpoint(ADDRESS, { fetch: page }))).toEqual(['config', 'weights']);
  });

  test('an abort ends with its reason, and so does one before', async () => {
    const reason = new Error('enough');
    const { asked } = serverOf(small);
    for (let requests = 0; requests < 8; ++requests) {
      const controller = new AbortController();
      const { fetch: own } = serverOf(small);
      let count = 0;
      const counted = (...args: Parameters<typeof fetch>): Promise<Response> => {
        if (count++ === requests) controller.abort(reason);
        return own(...args);
      };
      const reading = readCheckpoint(ADDRESS, { fetch: counted, signal: controller.signal });
      await expect(reading).rejects.toBe(reason);
    }
    const before = readCheckpoint(ADDRESS, { fetch: serverOf(small).fetch, signal: AbortSignal.abort(reason) });
    await expect(before).rejects.toBe(reason);
    expect(asked).toEqual([]);
  });
});

describe('weights in several files', () => {
  const shards = sharded(NAME, 2);
  const [one, two] = Object.keys(shards).filter((name) => name.endsWith('.safetensors')) as [string, string];

  test('are those that the index names, and a stray copy is not opened', async () => {
    const stray = write({ 'bert.pooler.dense.bias': { data: new Float32Array(24).fill(9), shape: [24] } });
    const files: Files = { ...shards, 'model.safetensors': stray, 'other.safetensors': stray };
    const right = await hiddenOf(await inMemory(published(NAME)));
    for (const read of [inMemory, fetched]) {
      const found = await read(files);
      expect(found.weights.map(({ name }) => name)).toEqual([one, two]);
      expect(await hiddenOf(found)).toEqual(right);
      // Nor if it is given with the others.
      const { weights } = await inMemory({ 'config.json': files['config.json']!, 'model.safetensors': stray });
      expect(await hiddenOf({ ...found, weights: [...weights, ...found.weights] })).toEqual(right);
    }
  });

  test('may lack an index', async () => {
    const { 'model.safetensors.index.json': _, ...files } = shards;
    expect(await hiddenOf(await inMemory(files))).toEqual(await hiddenOf(await inMemory(published(NAME))));
  });

  test('are refused with the name of the one that is missing', async () => {
    const { [two]: _, ...files } = shards;
    for (const read of [inMemory, fetched]) await expect(read(files)).rejects.toThrow(`expected ${two}, got none`);
    const { weights, ...found } = await inMemory(shards);
    const fewer = openModel({ ...found, weights: weights.slice(0, 1), attention });
    await expect(fewer).rejects.toThrow(`expected a file '${two}', got none`);
  });

  test.each<[string, unknown, RegExp]>([
    ['a list', [], /weight_map to be an object/],
    ['no map', { metadata: {} }, /weight_map to be an object/],
    ['an empty map', { weight_map: {} }, /at least one tensor/],
    ['a number', { weight_map: { a: 1 } }, /weight_map\['a'\] to be a file's name without folders, got 1$/],
    ['a file elsewhere', { weight_map: { a: '../b.safetensors' } }, /to be a file's name without folders/],
    ['a folder', { weight_map: { a: '..' } }, /to be a file's name without folders, got \.\.$/],
  ])('are refused for an index with %s', async (_, index, message) => {
    await expect(inMemory({ ...shards, 'model.safetensors.index.json': json(index) })).rejects.toThrow(message);
    const { weights } = await inMemory(shards);
    await expect(openModel({ config, weights, index, attention })).rejects.toThrow(message);
  });

  test('are refused for an index that names a tensor which is not there', async () => {
    const { weight_map: map } = JSON.parse(new TextDecoder().decode(shards['model.safetensors.index.json'])) as {
      weight_map: Record<string, string>;
    };
    const [tensor, file] = Object.entries(map)[0]!;
    const other = file === one ? two : one;
    for (const changed of [
      { ...map, extra: one },
      { ...map, [tensor]: other },
    ]) {
      const found = await inMemory({ ...shards, 'model.safetensors.index.json': json({ weight_map: changed }) });
      const named = 'extra' in changed ? `'extra' in '${one}'` : `'${tensor}' in '${other}'`;
      await expect(openModel({ ...found, attention })).rejects.toThrow(
        `a tensor ${named}, as the index says, got none`,
      );
    }
  });
});

test('a file on the disk that has grown since is refused by its name', async () => {
  const found = await readCheckpoint(folder);
  const path = join(folder, 'model.safetensors');
  appendFileSync(path, ' ');
  await expect(openModel({ ...found, attention })).rejects.toThrow(
    `a file 'model.safetensors' of ${bytes.length} bytes, got ${bytes.length + 1}`,
  );
  writeFileSync(path, bytes);
  expect(await hiddenOf(found)).toEqual(await hiddenOf(await inMemory(whole)));
});

describe('a folder is refused', () => {
  const { 'model.safetensors': weights, ...bare } = published(NAME);
  const both = { 'config.json': bare['config.json']!, 'model.safetensors': weights! };
  const other = json(0);

  test.each<[string, Files, RegExp]>([
    ['without a config', { 'model.safetensors': weights! }, /expected config\.json, got none$/],
    [
      'with a config in a folder below',
      { 'a/config.json': bare['config.json']!, 'b/x': other },
      /config\.json, got none$/,
    ],
    [
      'with a broken config',
      { ...both, 'config.json': new TextEncoder().encode('{') },
      /config\.json to be JSON, got /,
    ],
    ['with a broken tokenizer', { ...both, 'tokenizer.json': new Uint8Array(1) }, /tokenizer\.json to be JSON, got /],
    ['without weights', bare, /expected model\.safetensors, got none$/],
    ['with a pickle', { ...bare, 'pytorch_model.bin': other }, /model\.safetensors, got pytorch_model\.bin$/],
    ['with ONNX', { ...bare, 'onnx/model.onnx': other }, /model\.safetensors, got onnx\/model\.onnx$/],
    [
      'with a module that is not known',
      { ...both, 'modules.json': json(modules('Transformer', 'CNN')) },
      /, got Transformer CNN$/,
    ],
    [
      'with modules in another order',
      { ...both, 'modules.json': json(modules('Transformer', 'Normalize', 'Pooling')) },
      /in this order, got Transformer Normalize Pooling$/,
    ],
    ['with modules that are no list', { ...both, 'modules.json': json({}) }, /modules\.json to be a list/],
    [
      'with a module without a type',
      { ...both, 'modules.json': json([{ path: '' }]) },
      /type of module 0 in modules\.json/,
    ],
    [
      'with a module elsewhere',
      { ...both, 'modules.json': json([{ type: 'Transformer', path: '../x' }]) },
      /path of module 0 in modules\.json/,
    ],
    [
      'with its model below',
      { ...both, 'modules.json': json([{ type: 'a.Transformer', path: '0_Transformer' }]) },
      /its Transformer in the top folder/,
    ],
    [
      'with a Dense that is a pickle',
      {
        ...both,
        'pytorch_model.bin': other,
        'modules.json': json(modules('Transformer', 'Pooling', 'Dense')),
        '1_Pooling/config.json': json({}),
        '2_Dense/config.json': json({}),
        '2_Dense/pytorch_model.bin': other,
      },
      /expected 2_Dense\/model\.safetensors, got 2_Dense\/pytorch_model\.bin$/,
    ],
    [
      'with a pickle, without a pooling config',
      { ...both, 'pytorch_model.bin': other, 'modules.json': json(modules('Transformer', 'Pooling')) },
      /1_Pooling\/config\.json, got none$/,
    ],
    [
      'without a pooling config',
      { ...both, 'modules.json': json(modules('Transformer', 'Pooling')) },
      /1_Pooling\/config\.json, got none$/,
    ],
  ])('%s', async (_, files, message) => {
    for (const read of [inMemory, fetched, (each: Files) => readCheckpoint(handleOf(each))]) {
      const error: unknown = await read(files).catch((each: unknown) => each);
      expect(error).toBeInstanceOf(RangeError);
      expect((error as Error).message).toMatch(/^readCheckpoint: expected /);
      expect((error as Error).message).toMatch(message);
    }
  });

  test('that has weights of another kind, which it names', async () => {
    await expect(inMemory({ ...bare, 'tf_model.h5': other, 'training_args.bin': other })).rejects.toThrow(
      'expected model.safetensors, got tf_model.h5',
    );
  });

  test('of Files without paths, two of which have one name', async () => {
    const files = [...filesOf(both, ''), ...filesOf({ '1_Pooling/config.json': json({}) }, '')];
    await expect(readCheckpoint(files)).rejects.toThrow('expected one config.json, got 2 files of this name');
  });

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['an object', {}],
    ['a list of numbers', [1]],
    ['bytes', new Uint8Array(3)],
    ['an empty path', ''],
    ['a File', new File([], 'model.safetensors')],
    ['an address of another kind', 'data:text/plain,x'],
    ['a file in place of a folder', new URL(import.meta.url)],
  ])('that is none: %s', async (_, given) => {
    const error: unknown = await readCheckpoint(given as never).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(/^readCheckpoint: expected a (folder|list of Files)/);
  });

  test('for unknown options', async () => {
    await expect(readCheckpoint(ADDRESS, { fetch: 1 as never })).rejects.toThrow('fetch to be a function');
    await expect(readCheckpoint(ADDRESS, { signal: 1 as never })).rejects.toThrow('signal to be an AbortSignal');
    await expect(readCheckpoint(ADDRESS, { folder: 1 } as never)).rejects.toThrow(TypeError);
  });
});

test('sentence modules are found in the order of their numbers, with the weights of each Dense', async () => {
  const dense = write({ 'linear.weight': { data: new Float32Array(4), shape: [2, 2] } });
  const list = modules('Transformer', 'Pooling', 'Dense', 'Dense', 'Normalize') as unknown[];
  const found = await inMemory({
    ...published(NAME),
    'modules.json': json(list.reverse()),
    '1_Pooling/config.json': json({ pooling_mode: 'mean' }),
    '2_Dense/config.json': json({ in_features: 2 }),
    '2_Dense/model.safetensors': dense,
    '3_Dense/config.json': json({ in_features: 3 }),
    '3_Dense/model.safetensors': dense,
  });
  expect(found.sentence).toMatchObject({
    pooling: { pooling_mode: 'mean' },
    dense: [
      { config: { in_features: 2 }, weights: { size: dense.length } },
      { config: { in_features: 3 }, weights: { size: dense.length } },
    ],
    normalize: true,
  });
});

test('a config of pictures keeps the processor that it names', async () => {
  for (const image of [{ image_processor_type: 'X' }, { feature_extractor_type: 'Y' }, null, []]) {
    const found = await inMemory({ ...published(NAME), 'preprocessor_config.json': json(image) });
    expect(found.imageConfig).toEqual(image);
  }
});

test('end tokens are those of generation_config.json, and of config.json where there is none', async () => {
  const files = published('llama-grouped');
  const found = await inMemory(files);
  const written = async (generationConfig?: unknown): Promise<number[]> => {
    const model = await openModel({ ...found, generationConfig, attention });
    const tokens = [];
    for await (const token of model.generate([3, 7], { maxTokens: 6 })) tokens.push(token);
    model.dispose();
    return tokens;
  };
  const all = await written();
  expect(await written({ eos_token_id: [all[1]] })).toEqual(all.slice(0, 2));
  expect(await written({ eos_token_id: null })).toEqual(all);
  await expect(written({ eos_token_id: 'x' })).rejects.toThrow('generationConfig.eos_token_id to be a token');
  await expect(written(7)).rejects.toThrow('generationConfig to be an object');
});
