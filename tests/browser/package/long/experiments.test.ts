/** The guide whose programs run on their page, in the site that is built of the guides, on a phone. */
import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fences, promised } from '../../../support/fences.js';
import { useBrowser } from '../../browser.js';

const ROOT = join(import.meta.dirname, '../../../..');
const folder = join(ROOT, 'build/docs-browser-test');
execFileSync('node', ['scripts/docs.mjs', folder], { cwd: ROOT });
const blocks = fences(readFileSync(join(ROOT, 'web/docs/experiments.md'), 'utf8')).map(({ code }) => code);
// TypeDoc's pages have inline scripts and styles.
const { open, expectErrors } = useBrowser({
  folder,
  policy: "default-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob: data:",
});

test('its blocks print what they say, alone and one after another', async () => {
  const page = await open({ path: '/documents/experiments.html', still: true, viewport: { width: 360, height: 740 } });
  const buttons = page.getByRole('button', { name: 'Run' });
  expect(await buttons.count()).toBe(blocks.length);
  const outputs = page.locator('output');
  const run = async (index: number): Promise<void> => {
    await buttons.nth(index).click();
    await page.locator('.run:disabled').first().waitFor({ state: 'detached' });
  };
  await run(0);
  expect(await outputs.allTextContents()).toEqual([...promisedBy([blocks[0]!]), ...blocks.slice(1).map(() => '')]);
  await run(blocks.length - 1);
  expect(await outputs.allTextContents()).toEqual(promisedBy(blocks));
  // A checkpoint need not have all of the files that are asked for.
  expectErrors(/(index|generation_config|preprocessor_config|modules)\.json$|status of 404/);
  // Code scrolls, and the page does not.
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
}, 120_000);

const promisedBy = (codes: string[]): string[] =>
  codes.map((code) =>
    promised(code)
      .map((line) => `${line}\n`)
      .join(''),
  );
