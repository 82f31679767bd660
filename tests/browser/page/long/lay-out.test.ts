import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../browser.js';
import { laidOut } from '../../place.js';

const { open, origin } = useBrowser();

/** How many parts of the text are not laid out until they come near the window. */
const leftOut = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      [...document.querySelectorAll('main > *')].filter((part) => getComputedStyle(part).contentVisibility === 'auto')
        .length,
  );

/** Opens a page whose main script does not load before `goOn` is called. */
const openHeldBack = async (path: string): Promise<{ page: Page; goOn: () => void }> => {
  const page = await open({ path: '/', figures: [] });
  let goOn = (): void => undefined;
  const wait = new Promise<void>((resolve) => (goOn = resolve));
  await page.route('**/assets/main-*.js', async (route) => {
    await wait;
    await route.continue();
  });
  await page.goto(`${origin()}${path}`, { waitUntil: 'commit' });
  await page.locator('#references').waitFor({ state: 'attached' });
  return { page, goOn };
};

test('the text below the first screen is laid out some seconds after the first figure', async () => {
  const { page, goOn } = await openHeldBack('/en/');
  expect(await leftOut(page)).toBeGreaterThan(50);
  goOn();
  await page.locator('#fig-model > [drawn]').waitFor({ state: 'attached' });
  expect(await leftOut(page)).toBeGreaterThan(50);
  await page.locator('html.whole').waitFor({ state: 'attached' });
  expect(await leftOut(page)).toBe(0);
  expect(await page.locator('main > [style*=content]').count()).toBe(0);
});

test.each<[string, (page: Page) => Promise<void>]>([
  ['scrolls', (page) => page.mouse.wheel(0, 200)],
  ['goes to a heading', (page) => page.locator('.contents a[href^="#"]').last().dispatchEvent('click')],
  ['goes to the end', (page) => page.keyboard.press('End')],
])('the text is laid out at once for a reader who %s', async (_, act) => {
  const page = await open({ path: '/', figures: [] });
  await page.goto(`${origin()}/en/`);
  await page.locator('#fig-model > [drawn]').waitFor({ state: 'attached' });
  await page.locator('html:not(.whole)').waitFor({ state: 'attached' });
  await act(page);
  // Sooner than without the reader's action.
  await page.locator('html.whole').waitFor({ state: 'attached', timeout: 2500 });
});

test('a link into the text lays out all of it at once', async () => {
  const { page, goOn } = await openHeldBack('/en/#relative-position');
  expect(await leftOut(page)).toBe(0);
  goOn();
});

test('reloading keeps the reader’s place', async () => {
  const page = await open({ path: '/en/', figures: [] });
  await laidOut(page);
  await page.evaluate(() => scrollTo({ top: document.body.scrollHeight * 0.7, behavior: 'instant' }));
  // Wait for figures nearby, which move the text when they are drawn.
  await page.waitForTimeout(1500);
  const before = await page.evaluate(() => {
    const parts = [...document.querySelectorAll('main > *')];
    const part = parts.findIndex((each) => each.getBoundingClientRect().bottom > 0);
    return { part, top: parts[part]!.getBoundingClientRect().top };
  });
  expect(before.part).toBeGreaterThan(40);
  await page.reload();
  await page.waitForFunction(({ part, top }) => {
    const now = document.querySelectorAll('main > *')[part]!.getBoundingClientRect().top;
    return Math.abs(now - top) < 2;
  }, before);
});

test.each([1280, 390])('at %i px the page is about as long before it is laid out as after', async (width) => {
  const page = await open({ path: '/', figures: [], viewport: { width, height: 800 } });
  await page.goto(`${origin()}/en/`);
  const height = (): Promise<number> => page.evaluate(() => document.documentElement.scrollHeight);
  await page.locator('html:not(.whole)').waitFor({ state: 'attached' });
  const before = await height();
  await page.locator('html.whole').waitFor({ state: 'attached' });
  // The heights of parts are means.
  expect(Math.abs((await height()) / before - 1)).toBeLessThan(0.15);
});
