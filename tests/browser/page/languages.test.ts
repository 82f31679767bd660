import { expect, test } from '@jest/globals';
import { brotliCompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../../web/elements/languages.js';
import { useBrowser } from '../browser.js';

const { open, leave, origin } = useBrowser();

test.each([
  ['en-GB', 'en'],
  ['pt-PT', 'pt'],
  ['ko-KR', 'ko'],
  ['tr', 'tr'],
  ['id-ID', 'id'],
  ['fr-FR', 'en'],
])('/ redirects a browser in %s to the page in %s', async (locale, language) => {
  const page = await open({ path: '/?fig-P=length%3D5#fig-heatmap', locale, still: true });
  await page.waitForURL(`${origin()}/${language}/?fig-P=length%3D5#fig-heatmap`);
});

test('without scripts / has links', async () => {
  const page = await open({ path: '/', javaScriptEnabled: false, still: true });
  await page.getByRole('link', { name: 'English' }).click();
  expect(page.url()).toBe(`${origin()}/en/`);
});

test('on every page menu and hreflang have all languages, hreflang with absolute URLs', async () => {
  for (const language of LANGUAGES) {
    const page = await open({ path: `/${language}/`, still: true });
    const alternates = await page
      .locator('link[hreflang]')
      .evaluateAll((links) => (links as HTMLLinkElement[]).map((link) => [link.hreflang, link.getAttribute('href')]));
    expect(alternates).toEqual([
      ...LANGUAGES.map((each) => [each, `${origin()}/${each}/`]),
      ['x-default', `${origin()}/`],
    ]);
    const menu = page.locator('nav.languages a');
    expect(await menu.evaluateAll((links) => (links as HTMLAnchorElement[]).map(({ hreflang }) => hreflang))).toEqual(
      LANGUAGES,
    );
    expect(await menu.locator('xpath=self::*[@aria-current="page"]').getAttribute('hreflang')).toBe(language);
    await leave(page);
  }
});

test('sections, formulas and figures have the same ids in every language', async () => {
  const idsOf = async (language: string): Promise<string[]> => {
    const page = await open({ path: `/${language}/`, still: true });
    // A locator would also search the shadow trees of loaded cells and figures.
    const ids = await page.evaluate(() => [...document.querySelectorAll('main [id]')].map(({ id }) => id).sort());
    await leave(page);
    return ids;
  };
  const [first, ...others] = LANGUAGES;
  const ids = await idsOf(first);
  for (const language of others) expect([language, await idsOf(language)]).toEqual([language, ids]);
});

/** Compressed sizes by URL, because pages share most of their files. */
const compressed = new Map<string, number>();

async function sizeOf(page: Page, url: string): Promise<number> {
  const known = compressed.get(url);
  if (known !== undefined) return known;
  const size = brotliCompressSync(await (await page.request.get(url)).body()).length;
  compressed.set(url, size);
  return size;
}

test.each(LANGUAGES)(
  'without scrolling the page in %s loads at most 160 kB, compressed, and the fonts that the machine lacks, to who saves data',
  async (language) => {
    const script = "Object.defineProperty(Navigator.prototype, 'connection', { get: () => ({ saveData: true }) });";
    const page = await open({ path: `/${language}/`, figures: [], script });
    await page.waitForLoadState('networkidle');
    const loaded = await page.evaluate(() =>
      performance.getEntries().flatMap(({ name, entryType }) => (/navigation|resource/.test(entryType) ? [name] : [])),
    );
    const sizes = await Promise.all(loaded.map((url) => sizeOf(page, url)));
    const sum = (isFont: boolean): number =>
      sizes.reduce((all, size, at) => (loaded[at]!.endsWith('.woff2') === isFont ? all + size : all), 0);
    expect(sizes.length).toBeGreaterThan(3);
    expect(sum(false)).toBeLessThan(160_000);
    expect(sum(true)).toBeLessThan(language === 'ko' ? 52_000 : 14_000);
  },
);
