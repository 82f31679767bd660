import { expect, test } from '@jest/globals';
import { useBrowser } from '../browser.js';

const { open, origin } = useBrowser();

test.each([1280, 390])('at %i px the language menu stays at the top, and covers no target of a link', async (width) => {
  const page = await open({ viewport: { width, height: 800 }, figures: [] });
  const [menu, button] = [page.locator('#languages'), page.locator('.languages > button')];
  expect(await menu.isVisible()).toBe(false);
  await page.mouse.wheel(0, 4000);
  await page.waitForFunction(() => scrollY > 1000);
  await button.click();
  expect(await menu.isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  expect(await menu.isVisible()).toBe(false);
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  // Targets of links and focused elements are below the bar, which is as wide as the window.
  const bar = (await page.locator('header > .bar').boundingBox())!;
  expect([bar.x, bar.y, bar.width]).toEqual([0, 0, width]);
  await page.evaluate(() => (location.hash = 'fig-masks'));
  await page.waitForFunction(() => {
    const { top } = document.querySelector('#fig-masks')!.getBoundingClientRect();
    return top >= 44 && top < 100;
  });
});

test('from the top of a page the language menu leads to the top', async () => {
  const page = await open({ figures: [] });
  await page.locator('.languages > button').click();
  await page.locator('.languages a[hreflang=ko]').click();
  await page.waitForURL(`${origin()}/ko/`);
  expect(await page.evaluate(() => scrollY)).toBe(0);
});
