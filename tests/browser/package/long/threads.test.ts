/** Threads in pages: what each entry downloads for them, and when one thread is used instead. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launch } from '../../chromium.js';
import { POLICY, servePage } from '../../server.js';

const DIST = join(import.meta.dirname, '../../../../dist');
const ISOLATED = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

interface Run {
  features: { simd: string; threads: number };
  /** Whether two threads have computed the same bits as one. */
  same: boolean;
  asked: string[];
  warnings: string[];
}

/** Loads the entry twice in an empty page, for one thread and for two, and computes the same with both. */
async function run(entry: string, headers: Record<string, string>, policy = POLICY): Promise<Run> {
  const server = await servePage({ folder: DIST, headers, policy });
  const page = await browser.newPage();
  try {
    const asked: string[] = [];
    const warnings: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname.slice(1)));
    page.on('console', (message) => {
      if (message.text().startsWith('load: ')) warnings.push(message.text());
    });
    await page.route('**/empty.html', (route) =>
      route.fulfill({
        contentType: 'text/html',
        headers: { 'content-security-policy': policy, ...headers },
        body: '<!doctype html><html lang="en"><title>Empty</title></html>',
      }),
    );
    await page.goto(`${server.origin}/empty.html`);
    const { features, same } = await page.evaluate(async (entry) => {
      type Library = Partial<typeof import('wasm-attention') & typeof import('wasm-attention/worker')>;
      const x = {
        data: Float32Array.from({ length: 4 * 300 * 24 }, (_, i) => Math.sin(i * i)),
        shape: [4, 300, 24],
      };
      const compute = async (copy: string, threads: number) => {
        const { load, loadWorker = load! } = (await import(`${location.origin}/${entry}${copy}`)) as Library;
        const attention = await loadWorker({ threads });
        const { output } = await attention.scaledDotProductAttention(x, x, x, { isCausal: true });
        return { features: await attention.features, data: output.data };
      };
      const one = await compute('?one', 1);
      const two = await compute('', 2);
      return { features: two.features, same: two.data.every((value, i) => Object.is(value, one.data[i])) };
    }, entry);
    return { features, same, asked: [...new Set(asked)].sort(), warnings };
  } finally {
    await page.close();
    await server.close();
  }
}

describe('in an isolated page, under a strict policy', () => {
  test.each([
    ['index.js', 'simd128', ['thread.js', 'wasm-attention-threads.wasm']],
    [
      'slim.js',
      'relaxed-simd',
      ['thread.js', 'threads.js', 'wasm-attention-relaxed.wasm', 'wasm-attention-threads-relaxed.wasm'],
    ],
    ['worker.js', 'simd128', ['wasm-attention-threads.wasm']],
  ])('%s computes the same on two threads as on one', async (entry, simd, files) => {
    const { features, same, asked, warnings } = await run(entry, ISOLATED);
    expect({ features, same, warnings }).toEqual({
      features: { simd, threads: 2 },
      same: true,
      warnings: [],
    });
    expect(asked).toEqual(expect.arrayContaining(files));
    expect(asked.filter((file) => file.endsWith('.wasm'))).toEqual(files.filter((file) => file.endsWith('.wasm')));
  });
});

describe('one thread is used, the console says why, and no wasm for threads is downloaded', () => {
  test.each(['index.js', 'slim.js'])('by %s in a page that is not isolated', async (entry) => {
    const { features, same, asked, warnings } = await run(entry, {});
    expect([features.threads, same]).toEqual([1, true]);
    expect(warnings).toEqual([expect.stringMatching(/^load: expected 2 threads, got 1: .*not cross-origin isolated$/)]);
    expect(asked.join()).not.toMatch(/-threads[\w-]*\.wasm|\/thread\.js/);
  });
});

test.each(['index.js', 'slim.js'])('%s uses one thread if the policy forbids workers', async (entry) => {
  const policy = POLICY.replace(/worker-src [^;]+/, "worker-src 'none'");
  const { features, same, warnings } = await run(entry, ISOLATED, policy);
  expect([features.threads, same]).toEqual([1, true]);
  expect(warnings).toEqual([expect.stringMatching(/^load: expected 2 threads, got 1: ./)]);
});
