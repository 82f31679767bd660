/** The errors of `load`, after which the next call works. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { load } from 'wasm-attention';
import { WASM_FILE as FILE } from '../../support/instance.js';

const bytes = () => new Uint8Array(readFileSync(FILE));

/** A copy of the package in which nothing has been loaded yet. */
async function fresh(): Promise<{ load: typeof load }> {
  jest.resetModules();
  return import('wasm-attention');
}

afterEach(() => {
  jest.restoreAllMocks();
});

/** Throws unless `load` fails with this kind of error and a message `load: expected …, got …`; returns the error. */
async function expectFailure(loading: Promise<unknown>, name: string): Promise<Error> {
  let failure: unknown;
  await loading.catch((error: unknown) => {
    failure = error;
  });
  if (failure === undefined) throw new Error('expected load to fail');
  const { message } = failure as Error;
  expect({ name: (failure as Error).name, message }).toEqual({
    name,
    message: expect.stringMatching(/^load: expected .+, got .+/),
  });
  return failure as Error;
}

describe('load fails', () => {
  const broken = () => {
    const wasm = bytes();
    wasm.fill(0xff, 1000, 1100);
    return wasm;
  };
  const emptyModule = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);
  test.each<[string, string, () => unknown]>([
    ['corrupt bytes', 'RangeError', broken],
    ['half a file', 'RangeError', () => bytes().subarray(0, 20000)],
    ['nothing', 'RangeError', () => new Uint8Array(0)],
    ['a page of HTML', 'RangeError', () => new TextEncoder().encode('<!doctype html><title>Not found</title>')],
    ['another wasm module', 'RangeError', () => emptyModule],
    ['a Response of HTML', 'RangeError', () => new Response('<!doctype html>')],
    ['a Response that failed', 'RangeError', () => new Response('', { status: 404 })],
    ['a number', 'TypeError', () => 7],
    ['a plain object', 'TypeError', () => ({})],
    ['a promise of bytes', 'TypeError', () => Promise.resolve(bytes())],
  ])('on %s with a reason, and the next call works', async (_what, name, wasm) => {
    const { load } = await fresh();
    await expectFailure(load({ wasm: wasm() as never }), name);
    const attention = await load();
    expect(attention.maskedSoftmax([[[0, 0]]]).data).toEqual(Float32Array.of(0.5, 0.5));
  });

  test.each<[string, () => unknown]>([
    ['a file that is not there', () => new URL('missing.wasm', FILE)],
    ['a string that is no URL', () => 'missing.wasm'],
    ['a promise that fails', () => Promise.reject(new Error('offline'))],
  ])('on %s, and the next call works', async (_what, wasm) => {
    const { load } = await fresh();
    await expect(load({ wasm: wasm() as never })).rejects.toThrow();
    await expect(load()).resolves.toHaveProperty('version');
  });

  test.each([
    ['TypeError', 5],
    ['TypeError', null],
    ['TypeError', { threads: '2' }],
    ['RangeError', { threads: 0 }],
    ['RangeError', { threads: 1.5 }],
    ['RangeError', { threads: NaN }],
  ])('with a %s for the options %j', async (name, options) => {
    const { load } = await fresh();
    await expectFailure(load(options as never), name);
    await expect(load()).resolves.toHaveProperty('version');
  });

  test('for every caller that waits for it', async () => {
    const { load } = await fresh();
    const first = load({ wasm: broken() });
    const second = load();
    expect(second).toBe(first);
    await expect(first).rejects.toThrow();
    await expect(second).rejects.toThrow();
    await expect(load()).resolves.toHaveProperty('version');
  });

  test('with the compile error as the cause if the wasm is corrupt', async () => {
    const { load } = await fresh();
    const { cause } = await expectFailure(load({ wasm: broken() }), 'RangeError');
    expect((cause as Error).name).toBe('CompileError');
  });

  test('and its message names SIMD if the engine has none', async () => {
    jest.spyOn(WebAssembly, 'validate').mockReturnValue(false);
    jest.spyOn(WebAssembly, 'compile').mockRejectedValue(new WebAssembly.CompileError('Wasm SIMD unsupported'));
    const { load } = await fresh();
    const { message, cause } = await expectFailure(load(), 'RangeError');
    expect(message).toContain('SIMD');
    expect((cause as Error).name).toBe('CompileError');
    jest.restoreAllMocks();
    await expect(load()).resolves.toHaveProperty('version');
  });

  test.each([
    ['a file that is not there', new URL('file:///nowhere/at/all.wasm')],
    ['a path that is no URL in Node', '/nowhere.wasm'],
    ['a server that does not answer', 'http://127.0.0.1:1/wasm-attention.wasm'],
  ])('and its message names %s', async (_what, wasm) => {
    const { load } = await fresh();
    const { message } = await expectFailure(load({ wasm }), 'RangeError');
    expect(message).toContain(String(wasm));
    await expect(load()).resolves.toHaveProperty('version');
  });

  test('on bad options even after the library was loaded', async () => {
    const { load } = await fresh();
    await load();
    await expectFailure(load({ threads: NaN }), 'RangeError');
    await expectFailure(load([] as never), 'TypeError');
    await expect(load({ threads: 1 })).resolves.toHaveProperty('version');
  });
});
