/** The proof page: its benchmark, with short samples, and its tables. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { textsOf } from '../../../support/proseFiles.js';
import { violationsOf, widthOf } from '../../alone.js';
import { useBrowser, type PageOptions } from '../../browser.js';
import { listen } from '../../heard.js';

const { open, expectErrors } = useBrowser();
/** On a busy machine the encoder in JavaScript alone takes seconds. */
const LONG = 120_000;

async function proof(options: PageOptions = {}, from = open): Promise<{ page: Page; benchmark: Locator }> {
  const page = await from({ path: '/en/proof/?quick', figures: [], ...options });
  const benchmark = page.locator('proof-benchmark');
  await benchmark.locator('table').last().waitFor();
  return { page, benchmark };
}

const start = (benchmark: Locator): Promise<void> =>
  benchmark.getByRole('button', { name: 'Start the benchmark' }).click();
const ended = (benchmark: Locator, text: string | RegExp): Promise<void> =>
  benchmark.getByRole('status').filter({ hasText: text }).waitFor({ timeout: LONG });
/** The cells of a row. */
const cellsOf = (benchmark: Locator, work: RegExp, row: string): Promise<string[]> =>
  benchmark.getByRole('group', { name: work }).getByRole('row', { name: row }).getByRole('cell').allInnerTexts();

/** Measures the page's longest task until the result is called, in milliseconds. */
async function watchTasks(page: Page): Promise<() => Promise<number>> {
  const tasks = await page.evaluateHandle(() => {
    const found: number[] = [];
    new PerformanceObserver((list) => found.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    });
    return found;
  });
  return () => tasks.evaluate((found) => Math.max(0, ...found));
}

describe('the benchmark', () => {
  test('measures, keeps the page free, and gives its results as a link and as JSON', async () => {
    const { page, benchmark } = await proof();
    const [heard, longest] = [await listen(page), await watchTasks(page)];
    await start(benchmark);
    await ended(benchmark, 'Measuring');
    expect(await benchmark.getByRole('progressbar').isVisible()).toBe(true);
    await ended(benchmark, 'Done after');
    expect((await heard()).map(({ text }) => text)).toEqual([
      'Measuring…',
      expect.stringMatching(/^Done after \d+ s\.$/),
    ]);
    expect(await longest()).toBeLessThan(200);
    expect(await benchmark.locator('progress').isVisible()).toBe(false);

    const [milliseconds, rate, share, times, ort] = await cellsOf(benchmark, /Product/, 'float32, one thread');
    expect(Number(milliseconds)).toBeGreaterThan(0);
    expect(Number(rate) * Number(milliseconds)).toBeCloseTo(268, -1);
    expect(share).toMatch(/^\d+%$/);
    expect(Number(times)).toBeGreaterThan(1);
    expect(ort).toBe('–');
    expect(await cellsOf(benchmark, /Story/, 'float32, all threads')).toEqual([
      'needs a host with cross-origin isolation and several processors',
    ]);
    expect(await cellsOf(benchmark, /Product/, 'onnxruntime-web, int8')).toEqual(['needs its files, chosen above']);

    const waiting = page.waitForEvent('download');
    await benchmark.getByRole('link', { name: 'Results as JSON' }).click();
    const download = await waiting;
    const json = JSON.parse(readFileSync(await download.path(), 'utf8')) as { rows: { median: number }[] };
    expect(download.suggestedFilename()).toBe('wasm-attention-benchmark.json');
    expect(json).toMatchObject({ threads: 1, userAgent: expect.stringContaining('Chrom') });
    // Attention; both types of three works; JavaScript in four.
    expect(json.rows).toHaveLength(1 + 2 * 3 + 4);

    const shown = await benchmark.locator('table').allInnerTexts();
    const link = await benchmark
      .getByRole('link', { name: 'Link to these results' })
      .evaluate((a: HTMLAnchorElement) => a.href);
    expect(page.url()).toBe(link);
    const { benchmark: other } = await proof({ path: new URL(link).pathname + new URL(link).search });
    await ended(other, 'These results come from a link.');
    expect(await other.locator('table').allInnerTexts()).toEqual(shown);
  });

  test('can be stopped, and started again', async () => {
    const { page, benchmark } = await proof({ path: '/en/proof/' });
    const heard = await listen(page);
    const button = benchmark.locator('button');
    await button.focus();
    for (const _ of [1, 2]) {
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.querySelector('progress')!.value > 0);
      await page.keyboard.press('Enter');
      await ended(benchmark, 'Stopped');
      expect(await page.locator(':focus').innerText()).toBe('Start the benchmark');
    }
    const once = ['Measuring…', 'Stopped. What was measured before stays.'];
    expect((await heard()).map(({ text }) => text)).toEqual([...once, ...once]);
  });

  test('compares with an onnxruntime-web that the reader gives, and goes on without what it cannot do', async () => {
    const { benchmark } = await proof();
    const script = `
      export const env = { wasm: {} };
      export class Tensor { constructor(type, data, dims) { Object.assign(this, { type, data, dims }); } }
      export const InferenceSession = { async create(model) {
        if (env.wasm.wasmBinary.byteLength !== 3) throw new Error('no wasm');
        if (model.length > 10000) throw new Error('only small graphs');
        return { async run({ query, key, value }) {
          const [, heads, n, d] = query.dims;
          const out = new Float32Array(query.data.length);
          for (let at = 0; at < out.length; at += n * d) for (let i = 0; i < n; ++i) {
            const weights = Float64Array.from({ length: n }, (_, j) => {
              let sum = 0;
              for (let e = 0; e < d; ++e) sum += query.data[at + i * d + e] * key.data[at + j * d + e];
              return Math.exp(sum / Math.sqrt(d));
            });
            const total = weights.reduce((a, b) => a + b);
            for (let j = 0; j < n; ++j) for (let e = 0; e < d; ++e)
              out[at + i * d + e] += (weights[j] / total) * value.data[at + j * d + e];
          }
          return { output: { data: out } };
        } };
      } };`;
    await benchmark.locator('input').setInputFiles([
      { name: 'ort.wasm.bundle.min.mjs', mimeType: 'text/javascript', buffer: Buffer.from(script) },
      { name: 'ort-wasm-simd-threaded.wasm', mimeType: 'application/wasm', buffer: Buffer.from('abc') },
    ]);
    await start(benchmark);
    await ended(benchmark, /Done after \d+ s\.\s+onnxruntime-web is left out: Error: only small graphs/);
    expect(Number((await cellsOf(benchmark, /Attention/, 'float32, one thread'))[4])).toBeGreaterThan(0);
    expect((await cellsOf(benchmark, /Product/, 'float32, one thread'))[4]).toBe('–');
    // The files are there, so nothing asks for them.
    expect(await cellsOf(benchmark, /Product/, 'onnxruntime-web, int8')).toEqual(Array(5).fill('–'));
  });

  /** Starts the benchmark where some files cannot be loaded, and waits for the reason that it gives. */
  async function startWithout(files: string, reason: RegExp): Promise<void> {
    const { page, benchmark } = await proof();
    await page.route(files, (route) => route.abort());
    await start(benchmark);
    await ended(benchmark, reason);
    expect(await benchmark.locator('button').innerText()).toBe('Start the benchmark');
  }

  test('says so if it cannot start without the wasm', async () => {
    await startWithout('**/*.wasm', /The benchmark could not go on: .*wasm/);
    expectErrors(/wasm|Failed to load/);
  });

  test('says so if it cannot start without its worker', () =>
    startWithout('**/proof-worker*', /The benchmark could not go on: proof-worker\.js/));
});

describe('on an isolated host', () => {
  const isolated = useBrowser({
    headers: { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' },
  });

  test('all threads are measured', async () => {
    const { benchmark } = await proof({}, isolated.open);
    await start(benchmark);
    await ended(benchmark, 'Done after');
    for (const type of ['float32', 'int8']) {
      expect(Number((await cellsOf(benchmark, /Encoder/, `${type}, all threads`))[1])).toBeGreaterThan(0);
    }
  });
});

describe.each(LANGUAGES)('in %s', (language) => {
  test.each([
    ['light', 1280],
    ['dark', 320],
  ] as const)('axe finds nothing in a %s scheme at %d px, and nothing overflows', async (colorScheme, width) => {
    const results = 'times=attention.limit-0.03_attention.float32.one-12.5_attention.float32.javascript-300';
    const path = `/${language}/proof/?${results}`;
    const { page, benchmark } = await proof({ path, colorScheme, viewport: { width, height: 800 } });
    expect(await violationsOf(page, 'html')).toEqual([]);
    expect(await widthOf(page)).toBe(width);
    const { proof: words, page: around } = textsOf(language);
    expect(await page.locator('h1').innerText()).toBe(words['proof.title']);
    expect(await benchmark.getByRole('status').innerText()).toBe(words['proof.fromLink']);
    const sizes = await benchmark
      .locator('button, input')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(24);
    // The page of the text links here, and the menu of languages back and forth.
    await page.goto(new URL('../', page.url()).href);
    await page.locator('main footer').getByRole('link', { name: around.proof }).click();
    expect(new URL(page.url()).pathname).toBe(`/${language}/proof/`);
  });
});
