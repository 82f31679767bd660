import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { load } from 'wasm-attention';
import { WASM_FILE as FILE } from '../support/instance.js';

const bytes = () => new Uint8Array(readFileSync(FILE));

/** A copy of the package in which nothing has been loaded yet. */
async function fresh(): Promise<{ load: typeof load }> {
  jest.resetModules();
  return import('wasm-attention');
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('load', () => {
  test('returns the same promise every time, whatever its options', async () => {
    const { load } = await fresh();
    const first = load();
    expect(load()).toBe(first);
    expect(load({ wasm: bytes() })).toBe(first);
    const attention = await first;
    expect(await load()).toBe(attention);
    expect(load()).toBe(first);
  });

  test('compiles the wasm once', async () => {
    const compile = jest.spyOn(WebAssembly, 'compile');
    const { load } = await fresh();
    await Promise.all([load(), load(), load()]);
    expect(compile).toHaveBeenCalledTimes(1);
  });

  const response = (type: string) => new Response(bytes(), { headers: { 'content-type': type } });
  test.each<[string, () => unknown]>([
    ['a Uint8Array', () => bytes()],
    ['an ArrayBuffer', () => bytes().buffer],
    ['a Buffer', () => readFileSync(FILE)],
    [
      'a view into a larger buffer',
      () => {
        const wasm = bytes();
        const larger = new Uint8Array(wasm.length + 9);
        larger.set(wasm, 5);
        return larger.subarray(5, 5 + wasm.length);
      },
    ],
    ['a WebAssembly.Module', () => new WebAssembly.Module(bytes())],
    ['a Response', () => response('application/wasm')],
    ['a Response of another media type', () => response('application/octet-stream')],
    ['a promise of a Response', () => Promise.resolve(response('application/wasm'))],
    ['a file URL', () => FILE],
    ['a file URL as a string', () => FILE.href],
    ['a data URL', () => `data:application/wasm;base64,${readFileSync(FILE, 'base64')}`],
  ])('accepts the wasm as %s', async (_what, wasm) => {
    const { load } = await fresh();
    const attention = await load({ wasm: wasm() as never });
    expect(attention.maskedSoftmax([[[0, 0, 9]]], [2]).data).toEqual(Float32Array.of(0.5, 0.5, 0));
  });

  test('reports the kind of SIMD and the number of threads', async () => {
    const { load } = await fresh();
    const { features } = await load({ threads: 1 });
    expect(features.simd).toMatch(/^(simd128|relaxed-simd)$/);
    expect(features.threads).toBe(1);
  });
});
