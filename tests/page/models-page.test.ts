import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { filesOf } from '../../web/page/models/checkpoint.js';
import { readUrl, VIEWS, writeUrl } from '../../web/page/models/link.js';
import { fitsOf } from '../../web/page/models/picture-texts.js';
import { nameOf, piecesOf, textOf, tokensOf } from '../../web/page/models/text.js';

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

test('a token’s name has no mark of a space before it', async () => {
  const vocabulary = ['▁the', 'Ġcat', 'Ċ', '▁', '##s'];
  const tokenizer = { ask: (_: 'pieces', ids: number[]) => Promise.resolve(ids.map((id) => vocabulary[id])) } as never;
  const pieces = await piecesOf(tokenizer, [0, 1, 2, 3, 4]);
  expect(pieces).toEqual(['␣the', '␣cat', '↵', '␣', '##s']);
  expect(pieces.map(nameOf)).toEqual(['the', 'cat', '↵', '␣', '##s']);
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
