/** The licence of each package that the page contains is one link away. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import ts from 'typescript';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { useBrowser } from '../../browser.js';

const ROOT = join(import.meta.dirname, '../../../..');
const { open, leave } = useBrowser();

/** The packages that the sources of the page import. Plugins are not in it. */
function importedPackages(): string[] {
  const sources = ['elements', 'training', 'page'].flatMap((folder) =>
    readdirSync(join(ROOT, 'web', folder), { recursive: true, encoding: 'utf8' })
      .filter(
        (file) => file.endsWith('.ts') && !/^plugins\/|config\.ts$|^generated\/|\.d\.ts$|^declarations/.test(file),
      )
      .map((file) => readFileSync(join(ROOT, 'web', folder, file), 'utf8')),
  );
  const names = sources
    .map((source) => source.replace(/^import type [^;]*;/gm, ''))
    .flatMap((source) => ts.preProcessFile(source).importedFiles.map(({ fileName }) => fileName))
    .filter((name) => !/^[./]|^node:|^wasm-attention|^vite$/.test(name))
    .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)![0]);
  return [...new Set(names)].sort();
}

test.each([...LANGUAGES.map((language) => `/${language}/`), '/en/models/', '/ko/models/', '/en/proof/'])(
  '%s',
  async (path) => {
    const page = await open({ path, figures: [] });
    const link = page.locator('main footer a[href$="licenses.txt"]');
    expect((await link.innerText()).length).toBeGreaterThan(5);
    await link.click();
    await page.waitForURL(/\/licenses\.txt$/);
    const text = await page.locator('pre').innerText();
    const packages = importedPackages();
    expect(packages).toEqual(
      expect.arrayContaining(['@codemirror/view', '@huggingface/tokenizers', '@lezer/javascript', 'd3-scale', 'lit']),
    );
    const listed = [...text.matchAll(/^## (\S+) \d/gm)].map(([, name]) => name);
    expect(listed).toEqual(expect.arrayContaining(packages));
    for (const owner of [
      'Marijn Haverbeke',
      'Google LLC',
      'Mike Bostock',
      'Nanum Gothic',
      'STIX Two Math',
      'Rich Felker',
    ])
      expect(text).toContain(owner);
    await leave(page);
  },
);
