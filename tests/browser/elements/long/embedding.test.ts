import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { attention } from '../../../support/library.js';
import { useBrowser } from '../../browser.js';
import { servePage, type PageServer } from '../../server.js';
import { choose } from '../../shown.js';

const DIST = join(import.meta.dirname, '../../../../dist');
const folder = mkdtempSync(join(tmpdir(), 'wasm-attention-embedding-'));
const { open, origin } = useBrowser({ folder });

/** A third-party page: three figures, one in another language, the third far below. */
const pageWith = (script: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Lecture</title><link rel="icon" href="data:,">
<script type="module" src="${script}"></script></head>
<body><h1>Lecture</h1>
<positional-curves length="5" width="6" columns="2 3"></positional-curves>
<section lang="ko-KR"><attention-lookup></attention-lookup></section>
<svg width="1" height="9000"></svg>
<complexity-race length="16" width="8"></complexity-race>
</body></html>`;

beforeAll(() => {
  cpSync(DIST, join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'all.html'), pageWith('../dist/elements/index.js'));
  writeFileSync(join(folder, 'auto.html'), pageWith('../dist/elements/auto.js'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname.replace('/dist/', '')),
  );

describe.each(['all', 'auto'])('one script tag (%s)', (name) => {
  test('draws a page’s figures under the strict policy, from its own server alone', async () => {
    const page = await open({ path: `/${name}.html`, figures: ['positional-curves', 'attention-lookup'] });
    const curves = page.locator('positional-curves');
    await choose(curves, 'Values as a table');
    await curves.locator('tbody tr').first().waitFor();
    // Compare its table with the library: five positions of columns 2 and 3.
    const P = attention.sinusoidalEncoding({ length: 5, dim: 6 });
    const cells = await curves.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.textContent ?? ''));
    expect(cells).toHaveLength(5);
    expect(cells[1]).toContain(P.data[6 + 2]!.toFixed(3));
    expect(await page.locator('attention-lookup').textContent()).not.toBeNull();
    expect(await page.locator('attention-lookup .controls').first().textContent()).toMatch(/\p{Script=Hangul}/u);
    const resources = await page.evaluate(() => performance.getEntriesByType('resource').map((entry) => entry.name));
    for (const resource of resources.filter((each) => !each.startsWith('data:')))
      expect(new URL(resource).origin).toBe(origin());
  });

  test('uses one copy of the library, which the page can use, too', async () => {
    const page = await open({ path: `/${name}.html`, figures: ['positional-curves'] });
    expect((await files(page)).filter((file) => file === 'index.js')).toHaveLength(1);
  });
});

test('auto.js loads a figure when it comes near, and figures that the page adds later', async () => {
  const page = await open({ path: '/auto.html', figures: ['positional-curves'] });
  expect(await files(page)).not.toContain('elements/complexity-race.js');
  await page.locator('complexity-race').scrollIntoViewIfNeeded();
  await page.locator('complexity-race[drawn]').waitFor();
  await page.evaluate(() => document.body.append(document.createElement('permutation-demo')));
  await page.locator('permutation-demo').scrollIntoViewIfNeeded();
  await page.locator('permutation-demo[drawn]').waitFor();
});

test.each([
  ['light', '#222', 'white', 'normal'],
  ['dark', '#eee', '#111', 'normal'],
  ['dark', 'oklch(0.95 0.02 90)', 'oklch(0.2 0 0)', 'normal'],
  ['light', '#eee', '#111', 'only light'],
])('figures are %s if the text around them is %s on %s and color-scheme %s', async (scheme, ink, paper, given) => {
  const page = await open({ path: '/auto.html', figures: [] });
  await page.evaluate(
    ([ink, paper, given]) => {
      Object.assign(document.documentElement.style, { color: ink, background: paper, colorScheme: given });
      document.body.replaceChildren(...['attention-lookup', 'heat-map'].map((tag) => document.createElement(tag)));
    },
    [ink, paper, given] as const,
  );
  for (const tag of ['attention-lookup', 'heat-map']) {
    await page.waitForFunction((tag) => customElements.get(tag), tag);
    const text = await page.locator(tag).evaluate((element) => getComputedStyle(element).color);
    expect(text).toBe(scheme === 'dark' ? 'rgb(230, 232, 235)' : 'rgb(27, 31, 36)');
  }
});

test('a right-to-left page does not change formulas and axes', async () => {
  const page = await open({ path: '/auto.html', figures: [] });
  await page.evaluate(() => {
    document.documentElement.dir = 'rtl';
    document.body.replaceChildren(document.createElement('attention-lookup'));
  });
  await page.locator('attention-lookup[drawn]').waitFor();
  // Minus sign and brackets are where they are written.
  const lefts = await page.locator('.chain tfoot strong').evaluate((element) => {
    const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const all: number[] = [];
    for (let node = text.nextNode(); node !== null; node = text.nextNode())
      for (let i = 0; i < (node.textContent ?? '').length; ++i) {
        const range = document.createRange();
        range.setStart(node, i);
        range.setEnd(node, i + 1);
        if (range.toString().trim() !== '') all.push(range.getBoundingClientRect().left);
      }
    return all;
  });
  expect(lefts.length).toBeGreaterThan(5);
  expect(lefts).toEqual([...lefts].sort((a, b) => a - b));
});

test('auto.js finds figures in shadow roots, including later ones', async () => {
  const page = await open({ path: '/auto.html', figures: ['positional-curves'] });
  await page.evaluate(() => {
    const inside = (tag: string) =>
      class extends HTMLElement {
        connectedCallback(): void {
          this.attachShadow({ mode: 'open' }).append(document.createElement(tag));
        }
      };
    customElements.define('early-host', inside('permutation-demo'));
    document.body.prepend(document.createElement('early-host'), document.createElement('late-host'));
    setTimeout(() => customElements.define('late-host', inside('binary-positions')), 100);
    // Into an existing shadow root, one level deeper.
    setTimeout(() => {
      const frame = document.createElement('div');
      frame.attachShadow({ mode: 'open' }).append(document.createElement('attention-masks'));
      document.querySelector('early-host')?.shadowRoot?.append(frame);
    }, 200);
  });
  for (const tag of ['permutation-demo', 'binary-positions', 'attention-masks'])
    await page.locator(`${tag}[drawn]`).waitFor();
});

describe('a worker', () => {
  const race = async (page: Page): Promise<void> => {
    const figure = page.locator('complexity-race');
    await figure.scrollIntoViewIfNeeded();
    await figure.getByRole('button', { name: 'Start the race' }).click();
    // A dot shows that it has measured something.
    await figure.locator('.plot path.dot').first().waitFor();
    await figure.getByRole('button', { name: 'Cancel' }).click();
  };

  test('starts from the page’s own server', async () => {
    await race(await open({ path: '/auto.html', figures: ['complexity-race'] }));
  });

  test('starts if the figures come from another origin', async () => {
    const cdn: PageServer = await servePage({ folder, shared: true });
    const policy = `default-src 'none'; script-src ${cdn.origin} 'wasm-unsafe-eval'; style-src 'self'; worker-src blob: ${cdn.origin}; connect-src 'self'; img-src data:`;
    writeFileSync(join(folder, 'cdn.html'), pageWith(`${cdn.origin}/dist/elements/auto.js`));
    const own = await servePage({ folder, policy });
    try {
      await race(await open({ path: `${own.origin}/cdn.html`, figures: ['complexity-race'] }));
    } finally {
      await own.close();
      await cdn.close();
    }
  });
});

test('in a frame whose sandbox allows only scripts, training says why it cannot run', async () => {
  writeFileSync(
    join(folder, 'training.html'),
    `<!doctype html><script type="module" src="./dist/elements/auto.js"></script><position-training></position-training>`,
  );
  const policy = "default-src http://127.0.0.1:* blob: data:; script-src http://127.0.0.1:* 'wasm-unsafe-eval'";
  const framed = await servePage({ folder, shared: true, policy });
  try {
    const page = await open({ path: `${framed.origin}/auto.html`, figures: [] });
    await page.evaluate((source) => {
      const frame = Object.assign(document.createElement('iframe'), { width: 700, height: 700, src: source });
      frame.sandbox.add('allow-scripts');
      document.body.replaceChildren(frame);
    }, `${framed.origin}/training.html`);
    const figure = page.frameLocator('iframe').locator('position-training');
    await figure.getByRole('button', { name: 'Train: learned' }).click();
    await figure.getByText('could not run here').first().waitFor();
    expect(await figure.locator('.readout').innerText()).toMatch(/sandbox attribute.*allow-same-origin/);
  } finally {
    await framed.close();
  }
});
