import { describe, expect, test } from '@jest/globals';
import { useBrowser } from './browser.js';

const { open, origin } = useBrowser();

describe('the language menu', () => {
  test('leads from the head of a page to the head', async () => {
    const page = await open({ figures: [] });
    await page.locator('nav.languages a[hreflang=ko]').click();
    await page.waitForURL(`${origin()}/ko/`);
    expect(await page.evaluate(() => scrollY)).toBe(0);
    expect(await page.locator('.languages-here').evaluate((menu) => getComputedStyle(menu).visibility)).toBe(
      'hidden',
    );
  });

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
