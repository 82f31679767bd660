import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launch } from './chromium.js';
import { allDrawn, laidOut } from './place.js';
import { servePage, type PageServer, type ServerOptions } from './server.js';
import { Tabs, type TabOptions } from './tabs.js';
import { figuresIn } from '../support/proseFiles.js';

/** The figures of the page that goes further. */
const FURTHER = figuresIn('further');

export interface PageOptions extends TabOptions {
  /** Path of the page, by default the English one, with these figures if there are any. */
  readonly path?: string;
  /** Do not wait for the figures, for pages without scripts. */
  readonly still?: boolean;
  /** The figures under test, which are scrolled to and drawn; by default all of the page are drawn at once. */
  readonly figures?: readonly string[];
}

/** Scrolls to figures, one after another, so that the page loads them, and waits until they are drawn. */
async function draw(page: Page, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return;
  const { x, y } = await page.evaluate(() => ({ x: scrollX, y: scrollY }));
  for (const figure of await page.locator(tags.join()).all()) {
    // A figure in a closed answer is not drawn.
    if (!(await figure.evaluate((element) => element.checkVisibility()))) continue;
    await figure.evaluate((element) => element.scrollIntoView({ behavior: 'instant', block: 'center' }));
    await figure.and(page.locator('[drawn]')).waitFor({ state: 'attached' });
  }
  await page.evaluate(([x, y]) => scrollTo({ left: x, top: y, behavior: 'instant' }), [x, y] as const);
}

/**
 * Opens pages of the built site, or of another folder, for one test file, and fails each test whose page reported an
 * error.
 */
export function useBrowser(served?: ServerOptions): {
  readonly open: (options?: PageOptions) => Promise<Page>;
  /** Closes a page before the test is over, if it needs many. */
  readonly leave: (page: Page) => Promise<void>;
  readonly origin: () => string;
  /** Expects the page's errors so far to match. */
  readonly expectErrors: (pattern: RegExp) => void;
} {
  let browser: Browser;
  let tabs: Tabs;
  let server: PageServer;
  let errors: string[] = [];

  beforeAll(async () => {
    server = await servePage(served);
    browser = await launch();
    tabs = new Tabs(browser, (error) => errors.push(error));
  });
  afterEach(async () => {
    await tabs.leave();
    const found = errors;
    errors = [];
    expect(found).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  return {
    leave: (page) => tabs.leave(page),
    origin: () => server.origin,
    expectErrors(pattern) {
      expect(errors).not.toEqual([]);
      for (const error of errors) expect(error).toMatch(pattern);
      errors = [];
    },
    async open({ path: given, still = false, figures, ...options } = {}) {
      const path = given ?? (figures?.some((tag) => FURTHER.includes(tag)) ? '/en/further/' : '/en/');
      const page = await tabs.take({ allNear: figures === undefined && !still, ...options });
      await page.goto(new URL(path, server.origin).href);
      if (!still) await laidOut(page);
      if (!still) await (figures === undefined ? allDrawn(page) : draw(page, figures));
      return page;
    },
  };
}
