import { expect, test } from '@jest/globals';
import { useBrowser } from './browser.js';

const { open } = useBrowser();

test('a picture says what its figure says', async () => {
  const page = await open({ path: '/ko/', still: true, javaScriptEnabled: false });
  const response = await page.request.get(new URL('../stills/ko/fig-masks-wide.svg', page.url()).href);
  const svg = await response.text();
  expect(svg).toMatch(/^<\?xml[^>]*>\n<svg[^>]* lang="ko"/);
  // Eight queries over eight keys, and words in the page's language.
  expect(svg.match(/<rect/g)?.length).toBeGreaterThan(64);
  expect(svg).toMatch(/<text[^>]*>[^<]*\p{Script=Hangul}/u);
});

test('a picture does not tell how to work its figure', async () => {
  const page = await open({ figures: ['attention-lookup'] });
  const hint = await page.locator('attention-lookup .hint').innerText();
  expect(hint).toMatch(/^Drag a point/);
  const response = await page.request.get(new URL('../stills/en/fig-lookup-wide.svg', page.url()).href);
  expect(await response.text()).not.toContain(hint.slice(0, 12));
});

test('with scripts no picture is fetched, until the page is printed', async () => {
  const page = await open({ figures: ['attention-heads'] });
  const asked = (): Promise<number> =>
    page.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/stills/')).length,
    );
  expect(await asked()).toBe(0);
  expect(await page.locator('.still').first().isVisible()).toBe(false);
  const left = await page.locator('main figure > :not([drawn]) + .still').count();
  expect(left).toBeGreaterThan(0);
  await page.pdf();
  expect(await asked()).toBeGreaterThan(0);
  // On paper the figures that are drawn stand for themselves.
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('attention-heads + .still').isVisible()).toBe(false);
  expect(await page.locator('main > figure > :not([drawn]) + .still').first().isVisible()).toBe(true);
});
