import { describe, expect, test } from '@jest/globals';
import { LANGUAGES } from '../../../web/elements/languages.js';
import { useBrowser } from '../browser.js';

const { open } = useBrowser();

describe.each([
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
])('at $width × $height', (viewport) => {
  test.each(LANGUAGES)(
    'the page in %s opens with its first figure, whose plane is entirely visible',
    async (language) => {
      const page = await open({ path: `/${language}/`, viewport, figures: [] });
      await page.locator('attention-lookup[drawn]').waitFor();
      const covered = await page
        .locator('attention-lookup .plane')
        .first()
        .evaluate((plane) => {
          const { left, right, top, bottom } = plane.getBoundingClientRect();
          const root = plane.getRootNode() as ShadowRoot;
          return [left + 1, right - 1]
            .flatMap((x) => [top + 1, bottom - 1].map((y) => [x, y] as const))
            .filter(([x, y]) => !plane.contains(root.elementFromPoint(x, y)));
        });
      expect(covered).toEqual([]);
      expect(await page.evaluate(() => scrollY)).toBe(0);
    },
  );
});

test('one line between the title and the first figure says what to do', async () => {
  const page = await open({ figures: [] });
  expect(await page.locator('main > p:first-child + figure').getAttribute('id')).toBe('fig-lookup');
  expect(await page.locator('main > p').first().innerText()).toMatch(/^Drag /);
});

test.each(['en', 'ko'])('the text in %s waits only for its style sheet', async (language) => {
  const page = await open({ path: `/${language}/`, figures: [] });
  const wanted = 'link[rel=stylesheet], link[rel=modulepreload], script[src]';
  const files = await page.locator(`head :is(${wanted})`).evaluateAll((all) =>
    all.map((element) => ({
      kind: element.getAttribute('rel') ?? 'script',
      priority: element.getAttribute('fetchpriority'),
    })),
  );
  // Elements that the page adds at run time follow those of its HTML.
  const standing = files.slice(0, 1 + files.findLastIndex(({ priority }) => priority === 'low'));
  expect(standing.map(({ kind }) => kind).indexOf('stylesheet')).toBe(0);
  // Everything that the first figure needs, in few files, because each costs a slow phone a round trip.
  expect(standing.length).toBeGreaterThanOrEqual(7);
  expect(standing.length).toBeLessThanOrEqual(8);
  expect(standing.slice(1).every(({ priority }) => priority === 'low')).toBe(true);
  // Data URLs would be decoded while the page is parsed.
  expect(await page.locator('main img:not([src^="data:"])[loading=lazy]').count()).toBe(
    await page.locator('main img').count(),
  );
});
