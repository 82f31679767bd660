/** The whole page, with everything drawn, and what can be said of all its figures at once. */
import type { Page } from 'playwright-core';
import { figures } from '../../web/elements/registry.js';
import type { PageOptions } from './browser.js';

export const TAGS = Object.keys(figures);

/** The page with every answer open, and the figures in there drawn as well. */
export async function openWhole(open: (options?: PageOptions) => Promise<Page>, options?: PageOptions): Promise<Page> {
  const page = await open({ ...options, figures: [] });
  await page.evaluate(() => document.querySelectorAll('details').forEach((answer) => (answer.open = true)));
  // Where it stands in the list does not change while it is drawn.
  for (const figure of await page.locator(TAGS.join()).all()) {
    await figure.evaluate((element) => element.scrollIntoView({ behavior: 'instant', block: 'center' }));
    await figure.and(page.locator('[drawn]')).waitFor({ state: 'attached' });
  }
  return page;
}

/** Figures that show nothing, or a sentence in place of their picture. */
export function undrawn(page: Page): Promise<string[]> {
  return page.evaluate((tags) => {
    const bare = (figure: Element): boolean => figure.shadowRoot?.querySelector('.stage') == null;
    const seen = [...document.querySelectorAll(tags)].filter((figure) => figure.checkVisibility());
    return seen.filter(bare).map(({ localName }) => localName);
  }, TAGS.join());
}
