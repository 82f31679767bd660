import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { figures } from '../../../../web/elements/registry.js';
import { fences } from '../../../support/fences.js';
import { useBrowser } from '../../browser.js';

const ROOT = join(import.meta.dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'wasm-attention-docs-'));

const pages = ['README.md', ...readdirSync(join(ROOT, 'web/docs')).map((name) => `web/docs/${name}`)].flatMap((file) =>
  fences(readFileSync(join(ROOT, file), 'utf8'))
    .filter(({ language }) => language === 'html')
    .map(({ code, line }) => ({ file, line, code, path: `${file.replaceAll(/\W/g, '-')}-${line}.html` })),
);

beforeAll(() => {
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true });
  for (const { path, code } of pages) writeFileSync(join(folder, path), code);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A page's figures, and the expected texts of its outputs, from the comment after each. */
const figuresOf = (code: string) => Object.keys(figures).filter((tag) => code.includes(`<${tag}`));
const promisesOf = (code: string) =>
  Array.from(code.matchAll(/<output><\/output>\s*<!-- (.*?) -->/g), ([, text]) => text!);

type Open = ReturnType<typeof useBrowser>['open'];

/** Waits until the page's figures are drawn, and for its outputs. */
async function expectAlive({ path, code }: { path: string; code: string }, open: Open): Promise<void> {
  const figures = figuresOf(code);
  const promises = promisesOf(code);
  expect(figures.length + promises.length).toBeGreaterThan(0);
  const page = await open({ path: `/${path}`, figures });
  for (const [i, promise] of promises.entries()) {
    const result = page.locator('output').nth(i);
    await result.filter({ hasText: /./ }).waitFor();
    expect(await result.textContent()).toBe(promise);
  }
}

/** The guide's policy. */
const csp = fences(readFileSync(join(ROOT, 'web/docs/entries-and-csp.md'), 'utf8')).find(({ code }) =>
  code.startsWith('Content-Security-Policy: '),
)!;
const policy = csp.code.replace('Content-Security-Policy: ', '').replaceAll(/\s+/g, ' ').trim();

describe('a page of the guides without an inline script', () => {
  const { open } = useBrowser({ folder, policy });
  const strict = pages.filter(({ code }) => !/<script(?![^>]* src=)/.test(code));
  test.each(strict)('$file, line $line: works under the guide’s policy', async (each) => expectAlive(each, open));
});

describe('a page of the guides with an inline script', () => {
  const { open } = useBrowser({
    folder,
    policy: policy.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'"),
  });
  const inline = pages.filter(({ code }) => /<script(?![^>]* src=)/.test(code));
  test.each(inline)('$file, line $line: shows what its comments say', async (each) => expectAlive(each, open));
});
