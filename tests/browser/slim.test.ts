/** What a page without a bundler downloads of the slim entry, and when. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { POLICY, servePage, type PageServer } from './server.js';

const DIST = join(import.meta.dirname, '../../dist');
let browser: Browser;
let server: PageServer;

beforeAll(async () => {
  server = await servePage({ folder: DIST });
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** An empty page under the strict policy, and the names of the files that it asks for. */
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

/** Loads in the page; the type of a layer's class, or what went wrong. */
const load = (page: Page, options?: { layers: boolean }): Promise<string> =>
  page.evaluate(async (options) => {
    const { load } = (await import(`${location.origin}/slim.js`)) as {
      load: (options?: object) => Promise<{ Linear: unknown; maskedSoftmax: (x: unknown) => object }>;
    };
    try {
      const attention = await load(options);
      attention.maskedSoftmax([[[1, 2]]]);
      return typeof attention.Linear;
    } catch (error) {
      return String(error);
    }
  }, options);

test('the operations alone are two files, and the layers a third when they are asked for', async () => {
  const { page, asked } = await open();
  expect(await load(page, { layers: false })).toBe('undefined');
  expect(asked).toEqual(['slim.js', 'wasm-attention.wasm']);
  expect(await load(page)).toBe('function');
  expect(asked).toEqual(['slim.js', 'wasm-attention.wasm', 'layers.js']);
  await page.close();
});

test('layers and wasm are on their way at the same time', async () => {
  const { page } = await open();
  // Neither is answered before both are asked for.
  const asked = Promise.all(
    ['layers.js', 'wasm-attention.wasm'].map(
      (name) =>
        new Promise<void>((resolve) => {
          void page.route(`**/${name}`, async (route) => {
            resolve();
            await asked;
            await route.continue();
          });
        }),
    ),
  );
  expect(await load(page)).toBe('function');
  await page.close();
});

test.each([
  ['is not there', (page: Page) => page.route('**/layers.js', (route) => route.fulfill({ status: 404 }))],
  ['cannot be reached', (page: Page) => page.route('**/layers.js', (route) => route.abort())],
])('where the file of the layers %s, load says so, and tries again', async (_what, spoil) => {
  const { page, asked } = await open();
  await spoil(page);
  const failure = /^RangeError: load: expected the file of the layers, got .*layers\.js/;
  expect(await load(page)).toMatch(failure);
  expect(await load(page)).toMatch(failure);
  // What does not need them is not held up.
  expect(await load(page, { layers: false })).toBe('undefined');
  await page.unroute('**/layers.js');
  expect(await load(page)).toBe('function');
  expect(asked.filter((name) => name === 'wasm-attention.wasm')).toHaveLength(1);
  await page.close();
});
