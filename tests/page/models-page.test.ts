import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { writeSafetensors } from 'wasm-attention';
import { openModel, readCheckpoint } from 'wasm-attention/models';
import { charactersOf } from '../../web/page/models/characters.js';
import { filesOf } from '../../web/page/models/checkpoint.js';
import { readUrl, VIEWS, writeUrl } from '../../web/page/models/link.js';
import { fitsOf } from '../../web/page/models/picture-texts.js';
import { sizesOf } from '../../web/page/models/sizes.js';
import { nameOf, piecesOf, textOf, tokensOf } from '../../web/page/models/text.js';
import { writeGguf } from '../models/gguf/writer.js';
import { BLOCKS } from '../reference/blocks.js';
import { attention } from '../support/library.js';

const file = (name: string, text = '{}'): File => new File([text], name);

describe('a folder', () => {
  test.each<[string, File[], object]>([
    ['nothing', [], { reason: 'noConfig' }],
    ['no config', [file('model.safetensors')], { reason: 'noConfig' }],
    ['no weights', [file('config.json')], { reason: 'noWeights' }],
    [
      'weights of another kind',
      [file('config.json'), file('pytorch_model.bin')],
      { reason: 'otherWeights', detail: 'pytorch_model.bin' },
    ],
    ['a broken config', [file('config.json', '{'), file('a.safetensors')], { reason: 'noJson', detail: 'config.json' }],
    [
      'a broken tokenizer',
      [file('config.json'), file('a.safetensors'), file('tokenizer.json', 'x')],
      { reason: 'noJson', detail: 'tokenizer.json' },
    ],
    ['two configs', [file('config.json'), file('config.json')], { reason: 'refused', detail: expect.any(String) }],
  ])('with %s is refused by its reason', async (_, files, refusal) => {
    await expect(filesOf(files, 'folder')).rejects.toMatchObject(refusal);
  });

  test('may lack a tokenizer, and may have several files of weights and other files', async () => {
    const names = ['README.md', 'model-00002.safetensors', 'config.json', 'model-00001.safetensors'];
    const { name, checkpoint } = await filesOf(
      names.map((each) => file(each)),
      'folder',
    );
    expect(name).toBe('folder');
    expect(checkpoint.weights).toHaveLength(2);
    expect(checkpoint.tokenizer).toBeUndefined();
    const whole = await filesOf(
      [...names, 'tokenizer.json'].map((each) => file(each)),
      'folder',
    );
    expect(whole.checkpoint.tokenizer).toEqual({ json: {}, config: {} });
  });
});

test('a link restores the state, and invalid parts are ignored', () => {
  const head = fc.tuple(fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 99 }));
  const names = fc.uniqueArray(
    head.map((pair) => pair.join('.')),
    { maxLength: 5 },
  );
  const urlState = fc.record({
    text: fc.string({ maxLength: 200, unit: 'grapheme' }),
    layer: fc.integer({ min: 1, max: 99 }),
    head: fc.integer({ min: 1, max: 99 }),
    positions: fc.boolean(),
    silent: names,
    neurons: names,
    view: fc.constantFrom(...VIEWS),
    followed: fc.option(fc.integer({ min: 0, max: 999_999 })),
    other: fc.string({ maxLength: 200, unit: 'grapheme' }),
  });
  fc.assert(
    fc.property(urlState, (given) => {
      const address = writeUrl('https://example.org/en/models/?kept=1', given);
      expect(new URL(address).searchParams.get('kept')).toBe('1');
      expect(readUrl(new URL(address).search)).toEqual(given);
    }),
  );
  expect(readUrl('?layer=0&head=NaN&silent=1.2 x 9.-1&neurons=0.1,2.30&view=all&followed=-1')).toEqual({
    text: '',
    layer: 1,
    head: 1,
    positions: true,
    silent: ['1.2'],
    neurons: ['2.30'],
    view: 'heads',
    followed: null,
    other: '',
  });
});

test('without a tokenizer, the numbers in a text are its token ids', async () => {
  const checkpoint = { model: { vocabSize: 100, maxLength: 4 }, tokenizer: undefined } as never;
  expect(await tokensOf(checkpoint, '5, 6 and 700 or 7')).toEqual({
    ids: [5, 6, 7],
    names: ['5', '6', '7'],
    cut: false,
  });
  expect(await tokensOf(checkpoint, '1 2 3 4 5')).toMatchObject({ ids: [1, 2, 3, 4], cut: true });
  expect(await textOf(undefined, [1, 2])).toBe('1 2');
});

/** A tokenizer whose ids are places in a vocabulary. */
const tokenizerOf = (vocabulary: readonly string[], isByteLevel = false) =>
  ({ isByteLevel, ask: (_: 'pieces', ids: number[]) => Promise.resolve(ids.map((id) => vocabulary[id])) }) as never;

test('a token’s name has no mark of a space before it', async () => {
  const pieces = await piecesOf(tokenizerOf(['▁the', '<0x0A>', '▁', '##s', '<0x0B>']), [0, 1, 2, 3, 4]);
  expect(pieces).toEqual(['␣the', '↵', '␣', '##s', '<0x0B>']);
  expect(pieces.map(nameOf)).toEqual(['the', '↵', '␣', '##s', '<0x0B>']);
  expect(await piecesOf(tokenizerOf(['Ġcat', 'Ċ', 'Ð¿', 'ĠĠ'], true), [0, 1, 2, 3])).toEqual(['␣cat', '↵', 'п', '␣␣']);
});

describe('the characters of tokens', () => {
  const TEXT = '옛 पि ๆ 👍🏽 aé\u00a0ß';
  /** GPT-2's letters for bytes, written out as its authors do: printable ones are themselves. */
  const letterOf = (byte: number): string => {
    const printable = [...range(0x21, 0x7e), ...range(0xa1, 0xac), ...range(0xae, 0xff)];
    const others = range(0, 0xff).filter((each) => !printable.includes(each));
    return String.fromCharCode(printable.includes(byte) ? byte : 256 + others.indexOf(byte));
  };
  function range(from: number, to: number): number[] {
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  }
  const bytes = Array.from(new TextEncoder().encode(TEXT));
  const byteToken = (byte: number): string => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;

  test.each<[string, boolean, (byte: number) => string]>([
    ['of bytes', false, byteToken],
    ['of byte-level letters', true, letterOf],
  ])('%s are whole, in every script', (_, isByteLevel, pieceOf) => {
    const expected = Array.from(TEXT).flatMap((character) => {
      const { length } = new TextEncoder().encode(character);
      const shown = character === ' ' ? '␣' : character;
      return length === 1 ? [shown] : range(1, length).map((i) => `${shown} ${i}/${length}`);
    });
    expect(charactersOf(bytes.map(pieceOf), isByteLevel)).toEqual(expected);
  });

  test('that are cut anywhere hold the whole text, and none is lost', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: bytes.length - 1 });
    fc.assert(
      fc.property(cuts, (places) => {
        const ends = [0, ...places.sort((a, b) => a - b), bytes.length];
        const pieces = ends.slice(1).map((end, i) => bytes.slice(ends[i], end).map(letterOf).join(''));
        const names = charactersOf(pieces, true);
        expect(names).toHaveLength(pieces.length);
        const whole = names.map((name) => / (\d)\/\d$/.exec(name)?.[1] ?? '1');
        const text = names.filter((_, i) => whole[i] === '1').map((name) => name.replace(/ 1\/\d$/, ''));
        expect(text.join('').replaceAll('␣', ' ')).toBe(TEXT);
      }),
    );
  });

  test('stay bytes where they are part of none, and take no others with them', () => {
    expect(charactersOf(['<0xEC>', '<0x98>', 'a', '<0x9B>', '▁b'], false)).toEqual([
      '<0xEC>',
      '<0x98>',
      'a',
      '<0x9B>',
      '␣b',
    ]);
  });

  test('that no byte stands for are as the vocabulary writes them', () => {
    expect(charactersOf(['<|end|>', '한국', 'Ġ한'], true)).toEqual(['<|end|>', '한국', 'Ġ한']);
    expect(charactersOf(['Ġcat'], false)).toEqual(['Ġcat']);
  });
});

describe('the sizes of a checkpoint', () => {
  const FIXTURES = join(import.meta.dirname, '../fixtures');
  const opened = async (path: string, weightType: 'float32' | 'int8') => {
    const checkpoint = await readCheckpoint(join(FIXTURES, path));
    const model = await openModel({ ...checkpoint, weightType, attention });
    const { parameterBytes, unused } = model;
    model.dispose();
    return { sizes: (await sizesOf(checkpoint.weights))!, parameterBytes, unused };
  };

  test.each(['stories260K', 'gguf/llama-q8_0/model.gguf', 'gguf/bert-f16/model.gguf', 'models/gpt2', 'models/vit'])(
    'of %s are about those in memory',
    async (path) => {
      const { sizes, parameterBytes } = await opened(path, 'float32');
      // Rows and columns are padded to the width of vectors.
      expect(sizes.float32 / parameterBytes).toBeGreaterThan(0.9);
      expect(sizes.float32 / parameterBytes).toBeLessThan(1.02);
      expect(sizes.float32).toBe(4 * sizes.count);
    },
  );

  test('of a model as it is published are those of int8, too', async () => {
    const { sizes, parameterBytes } = await opened('stories260K', 'int8');
    // Rows of 64 have a scale each, too, and there is little else.
    expect(sizes.int8 / parameterBytes).toBeGreaterThan(0.85);
    expect(sizes.int8 / parameterBytes).toBeLessThan(1.02);
  });

  test('count the files’ bytes, and a matrix in int8 once', async () => {
    const weights = { data: new Float32Array(64 * 256).fill(1), shape: [64, 256] };
    const files = [{}, { weightType: 'int8' } as const].map(
      (how) => new File([new Uint8Array(writeSafetensors({ weights }, how))], 'a.safetensors'),
    );
    const [plain, rounded] = await Promise.all(files.map((each) => sizesOf([each])));
    expect(plain).toEqual({ count: 16384, type: 'float32', files: files[0]!.size, float32: 65536, int8: 16384 + 512 });
    expect(rounded).toEqual({ ...plain, type: 'int8', files: files[1]!.size });
    expect((await sizesOf(files))!.count).toBe(32768);
  });

  test.each([
    ['gguf/llama-q8_0/model.gguf', 'Q8_0'],
    ['gguf/bert-f16/model.gguf', 'float16'],
    ['models/gpt2/model.safetensors', 'float32'],
    ['../../web/elements/shared/story/stories260K/model.safetensors', 'int8'],
  ])('name the type in %s: %s', async (path, type) => {
    expect((await sizesOf([new Blob([readFileSync(join(FIXTURES, path))])]))!.type).toBe(type);
  });

  test.each(Object.entries(BLOCKS))('name %s, which most numbers of a file have', async (name, { number }) => {
    const file = writeGguf({}, [
      { name: 'norm', shape: [256], type: 0, bytes: new Uint8Array(1024) },
      { name: 'matrix', shape: [2, 256], type: number, bytes: new Uint8Array() },
    ]);
    expect((await sizesOf([new Blob([file])]))!.type).toBe(name.replace('BF', 'bfloat').replace(/^F/, 'float'));
  });

  test('of broken files are none, and come to an end', async () => {
    const whole = readFileSync(join(FIXTURES, 'gguf/llama-q8_0/model.gguf'));
    const bad = [new Uint8Array(), new Uint8Array(64), new TextEncoder().encode('\u0002\0\0\0\0\0\0\0{}}')];
    // The numbers of tensors and keys, a length, and a type.
    for (const at of [8, 16, 24, 52]) {
      const file = new Uint8Array(whole);
      file.fill(255, at, at + 8);
      bad.push(file);
    }
    for (const length of [20, 100, 2000]) bad.push(whole.subarray(0, length));
    const found = await Promise.all(bad.map((bytes) => sizesOf([new Blob([new Uint8Array(bytes)])])));
    expect(found.filter((sizes) => sizes !== undefined && sizes.count > 0)).toEqual([]);
  });
});

describe('texts beside a picture', () => {
  const vectors: Record<number, number[]> = { 1: [3, 0], 2: [0, 2], 3: [-1, 0] };
  const asked: number[][] = [];
  const texts = {
    vocabSize: 10,
    maxLength: 3,
    forward: ([ids]: [number[]]) => {
      asked.push(ids);
      return Promise.resolve({ embeds: { data: Float32Array.from(vectors[ids[0]!]!) } });
    },
  };
  const checkpoint = (logitBias?: number) =>
    ({ model: { logitScale: Math.log(2), logitBias }, texts, tokenizer: undefined }) as never;
  const picture = Float32Array.of(1, 0);

  test('share out their probabilities, each text once, and are read once', async () => {
    const known = new Map();
    const fits = await fitsOf(checkpoint(), picture, ' 1 \n2\n\n1', known);
    expect(fits.map(({ name }) => name)).toEqual(['1', '2']);
    // exp(logitScale) times the cosine is 2, and 0.
    expect(fits[0]!.share).toBeCloseTo(Math.exp(2) / (Math.exp(2) + 1), 12);
    expect(fits[0]!.share + fits[1]!.share).toBeCloseTo(1, 12);
    await fitsOf(checkpoint(), picture, '1\n2\n3', known);
    expect(asked).toEqual([[1], [2], [3]]);
  });

  test('have probabilities of their own where the model has a bias', async () => {
    const [fit] = await fitsOf(checkpoint(-1), picture, '3', new Map());
    expect(fit!.share).toBeCloseTo(1 / (1 + Math.exp(3)), 12);
  });

  test('that are too long keep their last token', async () => {
    asked.length = 0;
    await fitsOf(checkpoint(), picture, '1 4 5 6 7', new Map());
    expect(asked).toEqual([[1, 4, 7]]);
  });
});
