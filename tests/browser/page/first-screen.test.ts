import { describe, expect, test } from '@jest/globals';
import { LANGUAGES } from '../../../web/elements/languages.js';
import { STILL } from '../../../web/elements/language-model/samples.js';
import { useBrowser } from '../browser.js';

const { open } = useBrowser();

describe.each([
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
])('at $width × $height', (viewport) => {
  test.each(LANGUAGES)('the page in %s opens with a story and the switch that breaks it', async (language) => {
    const page = await open({ path: `/${language}/`, viewport, figures: [] });
    // Until the model is there, the figure is inert.
    await page.locator('language-model .teller:not([inert])').waitFor();
    const covered = await page.locator('language-model :is(.story, .switch)').evaluateAll((all) =>
      all.flatMap((part) => {
        const { left, right, top, bottom } = part.getBoundingClientRect();
        const root = part.getRootNode() as ShadowRoot;
        return [top + 1, bottom - 1].filter((y) => !part.contains(root.elementFromPoint((left + right) / 2, y)));
      }),
    );
    expect(covered).toEqual([]);
    expect(await page.evaluate(() => scrollY)).toBe(0);
  });
});

test('the story is in the page before any script runs', async () => {
  const page = await open({ path: '/ko/', javaScriptEnabled: false, still: true });
  expect(await page.locator('main > figure:first-child').getAttribute('id')).toBe('fig-model');
  expect(await page.locator('main > figure:first-child > language-model').textContent()).toContain(STILL);
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
