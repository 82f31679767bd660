import { beforeAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { useBrowser } from '../../browser.js';

const ROOT = join(import.meta.dirname, '../../../..');
const FOLDER = join(ROOT, 'build/single');
const { open } = useBrowser();

/** The maximum size of a file, so that it can be attached to an email. */
const LARGEST = 4_000_000;

beforeAll(() => {
  execFileSync(process.execPath, ['scripts/single.mjs'], { cwd: ROOT, stdio: 'pipe' });
}, 120_000);

const FILES = LANGUAGES.flatMap((language) => [language, `${language}-further`]);
const fileOf = (name: string): string => pathToFileURL(join(FOLDER, `${name}.html`)).href;

/** The URLs that the page has fetched. */
const fetched = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter((name) => !/^(data|blob):/.test(name)),
  );

test('there are two files per language, and nothing else', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(FILES.map((name) => `${name}.html`).sort());
  for (const name of FILES) expect(statSync(join(FOLDER, `${name}.html`)).size).toBeLessThan(LARGEST);
});

test('each file has the licences of the software in it', async () => {
  const page = await open({ path: fileOf('en'), figures: [] });
  await page.getByText('Licences of the software on this page').click();
  const text = await page.locator('.licenses pre').innerText();
  for (const owner of ['Google LLC', 'Mike Bostock', 'Marijn Haverbeke', 'Apache License', 'STIX', 'Rich Felker'])
    expect(text).toContain(owner);
});

test.each(FILES)('%s opens from a disk with all its figures, and fetches nothing', async (name) => {
  const page = await open({ path: fileOf(name) });
  expect(await page.locator('html').getAttribute('lang')).toBe(name.slice(0, 2));
  expect(await page.locator('figure > [drawn]').count()).toBeGreaterThan(7);
  expect(await fetched(page)).toEqual([]);
});

test('the policy allows only its own script and style', async () => {
  const page = await open({ path: fileOf('en'), figures: [] });
  const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
  expect(policy).toMatch(
    /default-src 'none'; script-src 'sha256-[^']+' 'wasm-unsafe-eval'; script-src-elem 'sha256-[^']+' blob: 'sha256-[^']+'; .*style-src 'sha256-[^']+'/,
  );
  expect(policy).not.toMatch(/'self'|unsafe-inline|'unsafe-eval'|https?:/);
});

test('its workers race, train and run code cells', async () => {
  const page = await open({ path: fileOf('en-further'), figures: ['complexity-race'] });
  const race = page.locator('complexity-race');
  await race.getByRole('button', { name: 'Start the race' }).click();
  await race.locator('.plot path.dot').first().waitFor();
  await race.getByRole('button', { name: 'Cancel' }).click();

  const training = page.locator('position-training');
  await training.scrollIntoViewIfNeeded();
  await training
    .getByRole('button', { name: /^Train/ })
    .first()
    .click();
  await training.getByRole('button', { name: 'Pause' }).waitFor();
  await training.getByRole('button', { name: 'Stop' }).click();

  await page.goto(fileOf('en'));
  const cell = page.locator('code-cell').first();
  await cell.scrollIntoViewIfNeeded();
  await cell.getByRole('button', { name: 'Run' }).click();
  await cell.getByText('[2, 4, 100]').first().waitFor();
  expect(await fetched(page)).toEqual([]);
});

test('the language menu leads to the other files, with place and state', async () => {
  const page = await open({ path: `${fileOf('en')}#fig-masks`, figures: ['attention-masks'] });
  await page.locator('attention-masks').getByLabel('causal mask').uncheck();
  await page.waitForFunction(() => location.search.includes('fig-masks'));
  const [, other] = LANGUAGES;
  await page.locator('.languages > button').click();
  await page.locator(`.languages a[hreflang=${other}]`).click();
  await page.waitForURL(new RegExp(`/${other}\\.html\\?.*fig-masks`));
  await page.locator('attention-masks').evaluate((figure) => figure.scrollIntoView());
  await page.locator('attention-masks[drawn]').waitFor();
  expect(
    await page.locator('attention-masks').evaluate((figure) => (figure as HTMLElement & { causal: boolean }).causal),
  ).toBe(false);
});

test('a link to a figure that has moved leads to it in the other file, which links back', async () => {
  const page = await open({ path: `${fileOf('en')}#fig-race`, still: true });
  await page.waitForURL(`${fileOf('en-further')}#fig-race`);
  await page.locator('.bar .home').click();
  await page.waitForURL(fileOf('en'));
});
