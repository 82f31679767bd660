/** The slim entry in a page without a bundler. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launch } from '../../chromium.js';
import { POLICY, servePage, type PageServer } from '../../server.js';

const DIST = join(import.meta.dirname, '../../../../dist');
/** The wasm for relaxed SIMD, which Chromium supports. */
const RELAXED = 'wasm-attention-relaxed.wasm';
let browser: Browser;
let server: PageServer;

beforeAll(async () => {
  server = await servePage({ folder: DIST });
  browser = await launch();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** An empty page under the strict policy, and the names of the files that it requests. */
async function open(): Promise<{ page: Page; asked: string[] }> {
  const page = await browser.newPage();
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (/\.(js|wasm)$/.test(pathname)) asked.push(pathname.slice(1));
  });
  await page.route('**/empty.html', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'content-security-policy': POLICY },
      body: '<!doctype html><html lang="en"><title>Empty</title></html>',
    }),
  );
  await page.goto(`${server.origin}/empty.html`);
  return { page, asked };
}

test('Float16Arrays are read and written', async () => {
  const { page } = await open();
  const results = await page.evaluate(async () => {
    type Floats = Float32Array | Uint16Array;
    const { load } = (await import(`${location.origin}/slim.js`)) as {
      load: () => Promise<{
        scaledDotProductAttention(q: object, k: object, v: object, options?: object): { output: { data: Floats } };
      }>;
    };
    const { Float16Array: Half } = globalThis as unknown as {
      Float16Array: new (from: ArrayLike<number>) => Floats;
    };
    const attention = await load();
    const x = Array.from({ length: 5000 }, (_, i) => Math.sin(i));
    const halves = new Half(x);
    const tensor = (data: ArrayLike<number>) => ({ data, shape: [1, 1, 5000] });
    const run = (data: ArrayLike<number>, options?: object) =>
      attention.scaledDotProductAttention(tensor(data), tensor(data), tensor(data), options).output.data;
    const output = new Half(new Float32Array(5000));
    const bits = new Uint16Array(5000);
    const expected = run(Float32Array.from(halves));
    return [
      run(halves).every((value, i) => value === expected[i]),
      run(halves, { out: { output } }) === output,
      // With one key, the output is the value.
      output.every((value, i) => value === halves[i]),
      run(new Uint16Array(halves.buffer), { out: { output: bits } }) === bits,
      bits.every((value, i) => value === new Uint16Array(halves.buffer)[i]),
    ];
  });
  expect(results).toEqual([true, true, true, true, true]);
  await page.close();
});

test.each([
  ['relaxed SIMD, the wasm for it', 'relaxed-simd', RELAXED],
  ['none, the plain wasm', 'simd128', 'wasm-attention.wasm'],
])('with %s is loaded, and no other', async (_what, simd, file) => {
  const { page, asked } = await open();
  if (simd === 'simd128') await withoutRelaxedSimd(page);
  const [loaded, shares] = await page.evaluate(async () => {
    const { load } = (await import(`${location.origin}/slim.js`)) as typeof import('wasm-attention/slim');
    const attention = await load();
    return [attention.features.simd, Array.from(attention.maskedSoftmax([[[7, 7]]]).data)];
  });
  expect([loaded, shares]).toEqual([simd, [0.5, 0.5]]);
  expect(asked.filter((name) => name.endsWith('.wasm'))).toEqual([file]);
  await page.close();
});

/** An engine without relaxed SIMD, which rejects the module that probes for it. */
async function withoutRelaxedSimd(page: Page): Promise<void> {
  await page.evaluate(() => {
    const { validate } = WebAssembly;
    WebAssembly.validate = (module) =>
      // 0xfd 0x80 0x02: i8x16.relaxed_swizzle.
      !String(new Uint8Array(module as ArrayBuffer)).includes('253,128,2') && validate(module);
  });
}
