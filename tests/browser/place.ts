/** Moves through the page like a reader: to a place, to another language. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { figures } from '../../web/elements/registry.js';

/** Resolves once the page has laid out all of its text, as it does when a reader scrolls. */
export async function laidOut(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    dispatchEvent(new Event('scroll'));
    return document.querySelector('html:not(:has(.contents)), html.whole') !== null;
  });
}

/** Resolves once all figures are drawn but for those in closed answers. */
export async function allDrawn(page: Page): Promise<void> {
  await page.waitForFunction(
    (tags) => [...document.querySelectorAll(tags)].every((it) => !it.checkVisibility() || it.hasAttribute('drawn')),
    Object.keys(figures).join(),
  );
}

/** Resolves once all figures in and around the window are drawn, and the page has followed. */
export async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(
    (tags) =>
      [...document.querySelectorAll(tags)].every((figure) => {
        const { top, bottom } = figure.getBoundingClientRect();
        const near = bottom > -innerHeight / 2 && top < 1.5 * innerHeight && figure.checkVisibility();
        return !near || figure.hasAttribute('drawn');
      }),
    Object.keys(figures).join(),
  );
  await page.waitForTimeout(300);
}

/** An element's top in the next painted frame, in which the page has adapted to changes of layout. */
export const topOf = (page: Page, id: string): Promise<number> =>
  page.locator(`#${id}`).evaluate(
    (element) =>
      new Promise<number>((resolve) => {
        new IntersectionObserver(([entry], observer) => {
          observer.disconnect();
          resolve(entry?.boundingClientRect.top ?? NaN);
        }).observe(element);
      }),
  );

/** Scrolls an element to `top` pixels below the window's top, and waits until the figures around it are drawn. */
export async function put(page: Page, id: string, top: number): Promise<void> {
  const by = await page.locator(`#${id}`).evaluate((element, wanted) => {
    const distance = element.getBoundingClientRect().top - wanted;
    scrollBy({ top: distance, behavior: 'instant' });
    return distance;
  }, top);
  expect(by).not.toBe(0);
  await drawn(page);
}

/** Opens the menu in the bar and goes to the page in another language. */
export async function goTo(page: Page, language: string): Promise<void> {
  await page.locator('.languages > button').press('Enter');
  await page.locator(`#languages a[hreflang=${language}]`).press('Enter');
  await page.waitForURL((url) => url.pathname === `/${language}/` && !url.searchParams.has('place'));
  await page.waitForLoadState('load');
  await laidOut(page);
}

/** Throws unless an element, scrolled to `top` pixels below the window's top, stays there in all these languages. */
export async function expectToStay(page: Page, id: string, top: number, languages: readonly string[]): Promise<void> {
  await put(page, id, top);
  const before = await topOf(page, id);
  const moved = async (): Promise<number> => Math.abs((await topOf(page, id)) - before);
  for (const language of languages) {
    await goTo(page, language);
    expect(await moved()).toBeLessThanOrEqual(1);
    await drawn(page);
    expect(await moved()).toBeLessThanOrEqual(1);
  }
  expect(new URL(page.url()).hash).toBe(`#${id}`);
}
