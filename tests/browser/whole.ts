/** The whole page, with all figures drawn. */
import type { Page } from 'playwright-core';
import { figures } from '../../web/elements/registry.js';
import type { PageOptions } from './browser.js';
import { allDrawn } from './place.js';

export const TAGS = Object.keys(figures);

/** Opens the page and all its answers, and draws all figures, including those in answers. */
export async function openWhole(open: (options?: PageOptions) => Promise<Page>, options?: PageOptions): Promise<Page> {
  const page = await open(options);
  await page.evaluate(() => document.querySelectorAll('details').forEach((answer) => (answer.open = true)));
  await allDrawn(page);
  return page;
}

/** Figures that show nothing, or a sentence instead of their picture. */
export function undrawn(page: Page): Promise<string[]> {
  return page.evaluate((tags) => {
    const bare = (figure: Element): boolean => figure.shadowRoot?.querySelector('.stage') == null;
    const seen = [...document.querySelectorAll(tags)].filter((figure) => figure.checkVisibility());
    return seen.filter(bare).map(({ localName }) => localName);
  }, TAGS.join());
}
