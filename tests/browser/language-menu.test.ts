import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { useBrowser } from './browser.js';

const { open, origin } = useBrowser();

/** Scrolls so that an element's top edge stands so far below the window's. */
async function put(page: Page, id: string, top: number): Promise<void> {
  const by = await page.locator(`#${id}`).evaluate((element, wanted) => {
    const distance = element.getBoundingClientRect().top - wanted;
    scrollBy({ top: distance, behavior: 'instant' });
    return distance;
  }, top);
  expect(by).not.toBe(0);
}

const topOf = (page: Page, id: string): Promise<number> =>
  page.locator(`#${id}`).evaluate((element) => element.getBoundingClientRect().top);

/** Opens the menu in the corner and goes to the page in another language. */
async function goTo(page: Page, language: string): Promise<void> {
  await page.locator('.languages-here > button').press('Enter');
  await page.locator(`.languages-here a[hreflang=${language}]`).press('Enter');
  await page.waitForURL((url) => url.pathname === `/${language}/` && !url.searchParams.has('place'));
  await page.waitForLoadState('load');
}

describe('the language menu', () => {
  test.each([
    ['a figure', 'fig-shapes', 60, 1280],
    ['a figure whose head is above the window', 'fig-masks', -250, 1280],
    ['a figure', 'fig-rotation', 120, 390],
    ['a heading', 'cnn-rnn-self-attention', 300, 1280],
    ['a formula', 'eq-rotary', 500, 390],
  ])('keeps %s (#%s) where it stands, %i px below the window’s edge, at %i px', async (_, id, top, width) => {
    const page = await open({ viewport: { width, height: 800 }, figures: [] });
    await put(page, id, top);
    // The heights that are kept for figures are multiples of four pixels.
    await page.waitForTimeout(600);
    const before = await topOf(page, id);
    for (const language of ['tr', 'ko', 'en']) {
      await goTo(page, language);
      expect(Math.abs((await topOf(page, id)) - before)).toBeLessThanOrEqual(4);
    }
    expect(new URL(page.url()).hash).toBe(`#${id}`);
  });

  test('keeps the share of a stretch of text that has been read', async () => {
    const page = await open({ viewport: { width: 390, height: 300 }, figures: [] });
    const share = async (): Promise<number> => {
      const [from, to] = [await topOf(page, 'summary'), await topOf(page, 'exercises')];
      return (0.4 * 300 - from) / (to - from);
    };
    await put(page, 'summary', -200);
    const before = await share();
    await goTo(page, 'id');
    expect(Math.abs((await share()) - before)).toBeLessThan(0.01);
  });

  test('brings a figure along as it was, and opens the answer that it stands in', async () => {
    const page = await open({ figures: ['encoding-rotation'] });
    await page.locator('encoding-rotation').getByLabel('Offset δ').fill('-7');
    await page.locator('details').first().locator('summary').click();
    await put(page, 'fig-collapse', 100);
    await goTo(page, 'pt');
    expect(Math.abs((await topOf(page, 'fig-collapse')) - 100)).toBeLessThanOrEqual(1);
    expect(new URL(page.url()).searchParams.get('fig-rotation')).toBe('offset=-7');
    await put(page, 'fig-rotation', 100);
    await page.locator('encoding-rotation[drawn]').waitFor();
    expect(await page.locator('encoding-rotation #offset').inputValue()).toBe('-7');
  });

  test('leads from the head of a page to the head', async () => {
    const page = await open({ figures: [] });
    await page.locator('nav.languages a[hreflang=ko]').click();
    await page.waitForURL(`${origin()}/ko/`);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    expect(await page.locator('.languages-here').evaluate((menu) => getComputedStyle(menu).visibility)).toBe(
      'hidden',
    );
  });

  test.each(['1e9px', '-px', '50%', '<b>', '99999999px'])(
    'an address with a place of %s does no harm',
    async (at) => {
      const page = await open({ path: `/en/?place=${encodeURIComponent(at)}#nowhere`, figures: [] });
      await page.waitForURL(`${origin()}/en/#nowhere`);
      expect(await page.evaluate(() => scrollY)).toBe(0);
    },
  );

  test('on a narrow screen it waits until its reader scrolls back', async () => {
    const page = await open({ viewport: { width: 390, height: 800 }, figures: [] });
    const shown = async (): Promise<string> =>
      page.locator('.languages-here').evaluate((menu) => getComputedStyle(menu).opacity);
    await page.mouse.wheel(0, 2000);
    await page.locator('.languages-here[data-beyond]').waitFor({ state: 'attached' });
    expect(await shown()).toBe('0');
    await page.mouse.wheel(0, -200);
    await page.locator('.languages-here[data-back]').waitFor();
    expect(await shown()).toBe('1');
    await page.mouse.wheel(0, 200);
    await page.locator('.languages-here:not([data-back])').waitFor({ state: 'attached' });
    expect(await shown()).toBe('0');
  });
});
