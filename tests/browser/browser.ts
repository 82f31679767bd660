import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { registry } from '../../web/elements/registry.js';
import { servePage, type PageServer, type ServerOptions } from './server.js';

/** Debian's Chromium, with nothing going on behind the page's back. */
const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface PageOptions extends BrowserContextOptions {
  /** Path of the page, by default the English one. */
  readonly path?: string;
  /** Whether the page may keep itself for later; else it finds a browser without service workers, and tests are quicker. */
  readonly offline?: boolean;
  /** A script to run before the page's own. */
  readonly script?: string;
  /** Do not wait for the figures, for pages without scripts. */
  readonly still?: boolean;
  /** The figures that the test is about, which are brought near and drawn; all those of the page by default. */
  readonly figures?: readonly string[];
}

/** Brings figures near, one after another, so that the page loads them, and waits until they are drawn. */
async function draw(page: Page, tags: readonly string[]): Promise<void> {
  if (tags.length === 0) return;
  const { x, y } = await page.evaluate(() => ({ x: scrollX, y: scrollY }));
  for (const figure of await page.locator(tags.join()).all()) {
    // Inside an answer that nobody has opened there is nothing to draw.
    if (!(await figure.evaluate((element) => element.checkVisibility()))) continue;
    await figure.evaluate((element) => element.scrollIntoView({ behavior: 'instant', block: 'center' }));
    await figure.and(page.locator('[drawn]')).waitFor({ state: 'attached' });
  }
  await page.evaluate(([x, y]) => scrollTo({ left: x, top: y, behavior: 'instant' }), [x, y] as const);
}

/** Opens pages of the built site, or of another folder, for one test file, and fails each test whose page complained. */
export function useBrowser(served?: ServerOptions): {
  readonly open: (options?: PageOptions) => Promise<Page>;
  readonly origin: () => string;
  /** Says that the page has complained with good reason, and that every complaint so far matches. */
  readonly expectComplaints: (pattern: RegExp) => void;
} {
  let browser: Browser;
  let server: PageServer;
  let contexts: BrowserContext[] = [];
  let complaints: string[] = [];

  beforeAll(async () => {
    server = await servePage(served);
    browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS });
  });
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    const heard = complaints;
    complaints = [];
    expect(heard).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  const listen = (page: Page): void => {
    page.on('console', (message) => complaints.push(`console ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => complaints.push(`uncaught: ${error.stack ?? error.message}`));
    page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()}: ${response.url()}`);
    });
  };

  return {
    origin: () => server.origin,
    expectComplaints(pattern) {
      expect(complaints).not.toEqual([]);
      for (const complaint of complaints) expect(complaint).toMatch(pattern);
      complaints = [];
    },
    async open({ path = '/en/', still = false, script, figures, offline = false, ...options } = {}) {
      const context = await browser.newContext(options);
      contexts.push(context);
      context.setDefaultTimeout(10_000);
      if (!offline) await context.addInitScript({ content: 'delete Navigator.prototype.serviceWorker;' });
      if (script !== undefined) await context.addInitScript({ content: script });
      const page = await context.newPage();
      listen(page);
      await page.goto(new URL(path, server.origin).href);
      if (!still) await draw(page, figures ?? Object.keys(registry));
      return page;
    },
  };
}
