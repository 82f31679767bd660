import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import type { PageOptions } from './browser.js';

/** The parts of a figure that stick to the bottom of a phone's window. */
export const DOCKED = '.sliders, .controls:not(.placed, :has(> .sliders))';

/** Opens a page that contains only this figure, with its fonts. */
export async function openAlone(
  open: (options?: PageOptions) => Promise<Page>,
  tag: string,
  { language = 'en', ...options }: PageOptions & { readonly language?: string } = {},
): Promise<{ page: Page; figure: Locator }> {
  const page = await open({ path: `/${language}/${tag}`, figures: [tag], ...options });
  await page.evaluate(async () => void (await document.fonts.ready));
  return { page, figure: page.locator(tag) };
}

/** What axe finds wrong with the element. */
export async function violationsOf(page: Page, tag: string): Promise<unknown[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async (name) => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(name);
    return violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ target }) => target) }));
  }, tag);
}

/** The width of the page: the window's, if nothing overflows. */
export async function widthOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth);
}

/** Widths and heights of everything clickable in a figure except text fields, sliders and heat maps. */
export async function smallestTarget(figure: Locator): Promise<number> {
  const sizes = await figure.locator('.controls button, .controls .choice, .move button').evaluateAll((all) =>
    all.map((target) => {
      const { width, height } = target.getBoundingClientRect();
      return Math.min(width, height);
    }),
  );
  return Math.min(...sizes);
}
