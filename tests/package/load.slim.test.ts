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

  test('on a page in place of the wasm, as some servers answer', async () => {
    const { load } = await fresh();
    const wasm = new Response('<!doctype html>', { headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(await reject(load({ wasm }))).toEqual({
      name: 'RangeError',
      message: 'load: expected the wasm, got HTML',
    });
  });

  // The messages of Chromium, Firefox, WebKit and Cloudflare.
  test.each([
    [
      'CompileError',
      "WebAssembly.compile(): Compiling or instantiating WebAssembly module violates the following Content Security policy directive because neither 'wasm-unsafe-eval' nor 'unsafe-eval' is an allowed source of script",
      "a content security policy with 'wasm-unsafe-eval' in script-src",
    ],
    [
      'CompileError',
      'call to WebAssembly.compile() blocked by CSP',
      "a content security policy with 'wasm-unsafe-eval' in script-src",
    ],
    [
      'EvalError',
      "Refused to create a WebAssembly object because 'unsafe-eval' or 'wasm-unsafe-eval' is not an allowed source of script",
      "a content security policy with 'wasm-unsafe-eval' in script-src",
    ],
    [
      'CompileError',
      'WebAssembly.compile(): Wasm code generation disallowed by embedder',
      'load({ wasm }) with a WebAssembly.Module, where bytes cannot be compiled',
    ],
    ['CompileError', 'Wasm SIMD unsupported', 'the wasm of this version'],
  ])('with the cause of %s: %s', async (name, message, expected) => {
    const { load } = await fresh();
    jest.spyOn(WebAssembly, 'compile').mockRejectedValue(Object.assign(new Error(message), { name }));
    expect(await reject(load())).toEqual({
      name: 'RangeError',
      message: `load: expected ${expected}, got ${message}`,
    });
  });

  test('in an engine without SIMD', async () => {
    const { load } = await fresh();
    jest.spyOn(WebAssembly, 'validate').mockReturnValue(false);
    jest.spyOn(WebAssembly, 'compile').mockRejectedValue(new WebAssembly.CompileError('Wasm SIMD unsupported'));
    const { message } = await reject(load());
    expect(message).toBe('load: expected an engine with WebAssembly SIMD, got Wasm SIMD unsupported');
  });

  test('in an engine without WebAssembly', async () => {
    const { load } = await fresh();
    const { WebAssembly } = globalThis;
    Reflect.deleteProperty(globalThis, 'WebAssembly');
    try {
      const { message } = await reject(load({ wasm: new Uint8Array(8) }));
      expect(message).toBe('load: expected an engine with WebAssembly, got none');
    } finally {
      Object.assign(globalThis, { WebAssembly });
    }
  });
});
