import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { violationsOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();
const wide = { width: 1280, height: 800 };
const narrow = { width: 390, height: 844 };

/** Scrolls a heading to the top, and waits until the table of contents marks it. */
async function read(page: Page, id: string): Promise<void> {
  await page.locator(`#${id}`).evaluate((heading) => heading.scrollIntoView({ behavior: 'instant' }));
  await page.locator(`#contents a[aria-current=location][href="#${id}"]`).waitFor({ state: 'attached' });
  expect(await page.locator('#contents [aria-current]').count()).toBe(1);
}

describe('in a wide window the table of contents', () => {
  test('stays beside the text, and marks the current section', async () => {
    const page = await open({ viewport: wide, figures: [] });
    const list = page.locator('#contents');
    expect(await page.locator('#contents [aria-current]').count()).toBe(0);
    const place = await list.boundingBox();
    for (const id of ['several-heads', 'references', 'what-attention-does']) {
      await read(page, id);
      expect(await list.boundingBox()).toEqual(place);
    }
    // It does not cover text or figures.
    const left = await page.evaluate(() =>
      Math.min(...[...document.querySelectorAll('main > *')].map((part) => part.getBoundingClientRect().left)),
    );
    expect(place!.x + place!.width).toBeLessThanOrEqual(left);
    expect(await page.locator('.contents > button').isVisible()).toBe(false);
  });

  test('works by keyboard: Tab and Enter lead to a section', async () => {
    const page = await open({ viewport: wide, figures: [] });
    for (let stop = 0; stop < 4; ++stop) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#contents a[aria-current][href="#asking-itself"]').waitFor();
  });

  test('scrolls in a low window, so that the current section is visible', async () => {
    const page = await open({ viewport: { width: 1280, height: 300 }, figures: [] });
    await read(page, 'references');
    const seen = await page.locator('#contents [aria-current]').evaluate((link) => {
      const { top, bottom } = link.getBoundingClientRect();
      const list = document.querySelector('#contents')!.getBoundingClientRect();
      return top >= list.top - 1 && bottom <= list.bottom + 1;
    });
    expect(seen).toBe(true);
  });
});

describe('in a narrow window the table of contents', () => {
  test.each(['keyboard', 'mouse', 'touch'] as const)('opens by %s and leads to a section', async (by) => {
    const page = await open({ viewport: narrow, figures: [], hasTouch: by === 'touch' });
    await read(page, 'several-heads');
    const [button, list] = [page.locator('.contents > button'), page.locator('#contents')];
    const press = (name: string): Promise<void> => {
      const target = name === '' ? button : list.locator(`a[href="#${name}"]`);
      if (by === 'touch') return target.tap();
      return by === 'mouse' ? target.click() : target.press('Enter');
    };
    expect(await list.isVisible()).toBe(false);
    // Figures nearby are drawn, and some are redrawn when they know their width.
    await page.waitForTimeout(1500);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await press('');
    expect(await list.isVisible()).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height);
    await page.keyboard.press('Escape');
    expect(await list.isVisible()).toBe(false);
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    await press('');
    await press('relative-position');
    expect(await list.isVisible()).toBe(false);
    await page.locator('#contents a[aria-current][href="#relative-position"]').waitFor({ state: 'attached' });
    const bar = (await page.locator('header > .bar').boundingBox())!;
    const heading = (await page.locator('#relative-position').boundingBox())!;
    expect(heading.y).toBeGreaterThanOrEqual(bar.y + bar.height);
  });

  test('is a plain list of links without scripts', async () => {
    const page = await open({ viewport: narrow, javaScriptEnabled: false, still: true });
    const links = page.locator('#contents a');
    expect(await links.count()).toBe(13);
    for (const link of await links.all()) expect(await link.isVisible()).toBe(true);
    const [list, title] = [await page.locator('#contents').boundingBox(), await page.locator('h1').boundingBox()];
    expect(list!.y + list!.height).toBeLessThanOrEqual(title!.y);
    await links.and(page.locator('[href="#references"]')).click();
    expect(page.url()).toMatch(/#references$/);
  });
});

test.each([
  [wide, 'light'],
  [narrow, 'dark'],
] as const)('axe finds no violations in the bar and its open menus at %j, %s', async (viewport, colorScheme) => {
  const page = await open({ viewport, colorScheme, figures: [] });
  expect(await violationsOf(page, 'header')).toEqual([]);
  for (const menu of viewport === wide ? ['languages'] : ['contents', 'languages']) {
    await page.locator(`.${menu} > button`).click();
    expect(await violationsOf(page, 'header')).toEqual([]);
    await page.keyboard.press('Escape');
  }
});
