/** Readers keep their place; `long/reading-place.test.ts` tries many places, in all languages and at several widths. */
import { describe, expect, test } from '@jest/globals';
import { useBrowser } from '../browser.js';
import { drawn, expectToStay, put, topOf } from '../place.js';

const { open } = useBrowser();

test('in another language a formula stays in place', async () => {
  const page = await open({ viewport: { width: 390, height: 800 }, figures: [] });
  await expectToStay(page, 'eq-encoding', 500, ['tr', 'ko', 'en']);
});

describe('in a window of another width', () => {
  test.each([
    ['a figure', 'fig-follow', 250],
    ['a formula', 'eq-rotation', 400],
  ])('%s (#%s) stays %i px below the top of the window', async (_, id, top) => {
    const page = await open({ figures: [], viewport: { width: 1280, height: 800 } });
    await put(page, id, top);
    const before = await topOf(page, id);
    for (const width of [390, 800, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await drawn(page);
      expect(Math.abs((await topOf(page, id)) - before)).toBeLessThanOrEqual(1);
    }
  });

  test('a figure that becomes much lower is still visible', async () => {
    const page = await open({ figures: [], viewport: { width: 390, height: 800 } });
    await put(page, 'fig-rotation', -600);
    await page.setViewportSize({ width: 1280, height: 800 });
    await drawn(page);
    const bottom = await page.locator('#fig-rotation').evaluate((element) => element.getBoundingClientRect().bottom);
    expect(bottom).toBeGreaterThanOrEqual(319);
  });
});
