import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type * as slim from 'wasm-attention/slim';
import { modulesIn } from './support.js';

/** A copy of the entry in which nothing has been loaded yet. */
async function fresh(): Promise<typeof slim> {
  jest.resetModules();
  return import('wasm-attention/slim');
}

afterEach(() => {
  jest.restoreAllMocks();
});

const reject = async (loading: Promise<unknown>): Promise<{ name: string; message: string }> => {
  const error = await loading.then(
    () => {
      throw new Error('expected load to fail');
    },
    (reason: unknown) => reason as Error,
  );
  return { name: error.name, message: error.message };
};

const CLASSES = [
  ...['Adam', 'Embedding', 'FeedForward', 'LayerNorm', 'LearnedPositionalEncoding', 'Linear'],
  ...['GatedFeedForward', 'MultiHeadAttention', 'PositionalEncoding', 'RMSNorm'],
  ...['TransformerDecoderLayer', 'TransformerEncoderLayer'],
];
const OPERATIONS = [...modulesIn('web/lib/ops'), 'features', 'version'].sort();
describe('load of the slim entry', () => {
  test('gives operations and layers', async () => {
    const { load } = await fresh();
    const attention = await load();
    expect(Object.keys(attention).sort()).toEqual([...OPERATIONS, ...CLASSES].sort());
    const layer = new attention.Linear({ inFeatures: 2, outFeatures: 1, bias: false });
    layer.loadStateDict({ weight: [[3, 5]] });
    expect(Array.from(layer.forward([[1, 10]]).output.data)).toEqual([53]);
  });

  test.each([undefined, {}, { layers: true }, { layers: false }, { layers: undefined }] as const)(
    'gives the same promise with the options %j',
    async (options) => {
      const { load } = await fresh();
      expect(load(options as { layers?: true })).toBe(load());
    },
  );
});

describe('load of the slim entry fails', () => {
  test.each(['false', 0, 1, null, {}, []])('where layers is %j, and the next call works', async (layers) => {
    const { load } = await fresh();
    const expected = { name: 'TypeError', message: /^load: expected layers to be a boolean, got / };
    const wrong = { layers } as never;
    for (const loaded of [false, true]) {
      const { name, message } = await reject(load(wrong));
      expect(name).toBe(expected.name);
      expect(message).toMatch(expected.message);
      if (!loaded) await expect(load()).resolves.toHaveProperty('Linear');
    }
  });

  test.each([null, 5, [], 'wasm'])('where the options are %j', async (options) => {
    const { load } = await fresh();
    expect(await reject(load(options as never))).toEqual({
      name: 'TypeError',
      message: expect.stringMatching(/^load: expected options to be an object, got /),
    });
    await expect(load()).resolves.toHaveProperty('Linear');
  });

  test('on a corrupt wasm, and the next call works', async () => {
    const { load } = await fresh();
    expect(await reject(load({ wasm: new Uint8Array(8) }))).toEqual({
      name: 'RangeError',
      message: expect.stringMatching(/^load: expected the wasm of this version, got /),
    });
    await expect(load()).resolves.toHaveProperty('Linear');
  });
});
