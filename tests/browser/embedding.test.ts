import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { attention } from '../support/library.js';
import { useBrowser } from './browser.js';
import { servePage, type PageServer } from './server.js';

const DIST = join(import.meta.dirname, '../../dist');
const folder = mkdtempSync(join(tmpdir(), 'wasm-attention-embedding-'));
const { open, origin } = useBrowser({ folder });

/** Somebody's page: three figures, one in another language, the third far below. */
const pageWith = (script: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Lecture</title><link rel="icon" href="data:,">
<script type="module" src="${script}"></script></head>
<body><h1>Lecture</h1>
<positional-curves length="5" width="6" columns="2 3"></positional-curves>
<section lang="ko"><attention-lookup></attention-lookup></section>
<svg width="1" height="9000"></svg>
<complexity-race length="16" width="8"></complexity-race>
</body></html>`;

beforeAll(() => {
  cpSync(DIST, join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'all.html'), pageWith('./dist/elements/index.js'));
  writeFileSync(join(folder, 'auto.html'), pageWith('./dist/elements/auto.js'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const files = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname.replace('/dist/', '')),
  );

describe.each(['all', 'auto'])('one script tag (%s)', (name) => {
  test('draws the figures of a page under the strict policy, from its own server alone', async () => {
    const page = await open({ path: `/${name}.html`, figures: ['positional-curves', 'attention-lookup'] });
    const curves = page.locator('positional-curves');
    await curves.getByRole('button', { name: 'Values as a table' }).click();
    await curves.locator('tbody tr').first().waitFor();
    // Its table against the library: five positions of columns 2 and 3.
    const P = attention.sinusoidalEncoding({ length: 5, dim: 6 });
    const cells = await curves
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => row.textContent ?? ''));
    expect(cells).toHaveLength(5);
    expect(cells[1]).toContain(P.data[6 + 2]!.toFixed(3));
    expect(await page.locator('attention-lookup').textContent()).not.toBeNull();
    expect(await page.locator('attention-lookup .controls').textContent()).toMatch(/\p{Script=Hangul}/u);
    const resources = await page.evaluate(() =>
      performance.getEntriesByType('resource').map((entry) => entry.name),
    );
    for (const resource of resources.filter((each) => !each.startsWith('data:')))
      expect(new URL(resource).origin).toBe(origin());
  });

  test('works with one copy of the library, which the page can use as well', async () => {
    const page = await open({ path: `/${name}.html`, figures: ['positional-curves'] });
    expect((await files(page)).filter((file) => file === 'index.js')).toHaveLength(1);
  });
});

test('auto.js loads a figure when its reader comes near, and figures that the page adds later', async () => {
  const page = await open({ path: '/auto.html', figures: ['positional-curves'] });
  expect(await files(page)).not.toContain('elements/complexity-race.js');
  await page.locator('complexity-race').scrollIntoViewIfNeeded();
  await page.locator('complexity-race[drawn]').waitFor();
  await page.evaluate(() => document.body.append(document.createElement('attention-shapes')));
  await page.locator('attention-shapes').scrollIntoViewIfNeeded();
  await page.locator('attention-shapes[drawn]').waitFor();
});

describe('a worker', () => {
  const race = async (page: Page): Promise<void> => {
    const figure = page.locator('complexity-race');
    await figure.scrollIntoViewIfNeeded();
    await figure.getByRole('button', { name: 'Start the race' }).click();
    // It has measured something.
    await figure.locator('path.dot').first().waitFor();
    await figure.getByRole('button', { name: 'Cancel' }).click();
  };

  test('starts from the page’s own server', async () => {
    await race(await open({ path: '/auto.html', figures: ['complexity-race'] }));
  });

  test('starts where the figures come from another origin', async () => {
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
