import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type * as slim from 'wasm-attention/slim';
import { modulesIn } from './support.js';

const FILE = new URL('../../dist/wasm-attention.wasm', import.meta.url);

/** A copy of the entry that nothing was loaded into yet. */
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
/** They come with the layers. */
const BESIDE = /Backward$|^(softmaxCrossEntropy|conv1d|rnn|complexity)$/;

describe('load of the slim entry', () => {
  test('gives operations and layers', async () => {
    const { load } = await fresh();
    const attention = await load();
    expect(Object.keys(attention).sort()).toEqual([...OPERATIONS, ...CLASSES].sort());
    const layer = new attention.Linear({ inFeatures: 2, outFeatures: 1, bias: false });
    layer.loadStateDict({ weight: [[3, 5]] });
    expect(Array.from(layer.forward([[1, 10]]).output.data)).toEqual([53]);
  });

  test.each([undefined, {}, { layers: true }, { layers: undefined }] as const)(
    'gives the same promise with the options %j',
    async (options) => {
      const { load } = await fresh();
      expect(load(options as { layers?: true })).toBe(load());
      expect(await load()).toBe(await load({ layers: true }));
    },
  );
});

describe('load({ layers: false })', () => {
  test('gives the operations of forward passes, and no class', async () => {
    const { load } = await fresh();
    const operations = await load({ layers: false });
    expect(Object.keys(operations).sort()).toEqual(OPERATIONS.filter((name) => !BESIDE.test(name)));
    // sin(0), cos(0), sin(1), cos(1) in float64.
    const { data } = operations.sinusoidalEncoding({ length: 2, dim: 2 });
    [0, 1, Math.sin(1), Math.cos(1)].forEach((value, i) =>
      expect(Math.abs(data[i]! - value)).toBeLessThanOrEqual(2 ** -24),
    );
    const { output } = operations.scaledDotProductAttention([[0]], [[1], [2]], [[1], [4]]);
    expect(output).toEqual({ data: Float32Array.of(2.5), shape: [1, 1] });
  });

  test.each([
    ['before', true],
    ['after', false],
  ])('shares the wasm with a load of everything %s it', async (_when, first) => {
    const compile = jest.spyOn(WebAssembly, 'compile');
    const { load } = await fresh();
    const whole = first ? await load() : undefined;
    const alone = await load({ layers: false });
    expect(load({ layers: false })).toBe(load({ layers: false }));
    const attention = whole ?? (await load());
    expect(attention).toMatchObject(alone);
    expect(attention.features).toBe(alone.features);
    expect(compile).toHaveBeenCalledTimes(1);
  });

  test('leaves the first call to decide the rest', async () => {
    const { load } = await fresh();
    const operations = await load({ layers: false, wasm: readFileSync(FILE) });
    expect(await load()).toMatchObject({ ...operations });
  });
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
    await expect(load({ layers: false })).resolves.toHaveProperty('matmul');
  });

  test.each([null, 5, [], 'wasm'])('where the options are %j', async (options) => {
    const { load } = await fresh();
    expect(await reject(load(options as never))).toEqual({
      name: 'TypeError',
      message: expect.stringMatching(/^load: expected options to be an object, got /),
    });
    await expect(load()).resolves.toHaveProperty('Linear');
  });

  test.each([
    ['everything', undefined],
    ['the operations', false],
  ])('on a corrupt wasm when asked for %s, and the next call works', async (_what, layers) => {
    const { load } = await fresh();
    const options = { wasm: new Uint8Array(8), ...(layers === false && { layers }) };
    expect(await reject(load(options))).toEqual({
      name: 'RangeError',
      message: expect.stringMatching(/^load: expected the wasm of this version, got /),
    });
    await expect(load({ layers: false })).resolves.toHaveProperty('matmul');
    await expect(load()).resolves.toHaveProperty('Linear');
  });
});
