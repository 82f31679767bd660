import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** Options of a tab. */
export interface TabOptions extends BrowserContextOptions {
  /** Whether the page may register its service worker. Tests are faster without. */
  readonly offline?: boolean;
  /** Whether all figures are near the window, so that the page draws them without being scrolled. */
  readonly allNear?: boolean;
  /** A script to run before the page's own. */
  readonly script?: string;
}

/** A script that extends the window by the page's whole length for those who observe what comes near it. */
export const ALL_NEAR = `IntersectionObserver = class extends IntersectionObserver {
  constructor(report, options) {
    super(report, /^[0-9]+%/.test(options?.rootMargin) ? { ...options, rootMargin: '1000000px' } : options);
  }
};`;

interface Tab {
  /** The options that cannot be changed from page to page, as JSON. */
  readonly kind: string;
  readonly page: Page;
  /** Whether the tab can be reused: without service worker and script, nothing outlives a page. */
  readonly again: boolean;
  /** Whether it is leaving its page, which aborts requests. */
  leaving: boolean;
}

/**
 * The tabs of a browser. A new tab has its own storage and process, and takes four times as long as another page in an
 * old one, so tests reuse tabs with the same options.
 */
export class Tabs {
  readonly #browser: Browser;
  readonly #report: (message: string) => void;
  readonly #idle = new Set<Tab>();
  readonly #used = new Set<Tab>();

  constructor(browser: Browser, report: (message: string) => void) {
    this.#browser = browser;
    this.#report = report;
  }

  /** An empty tab with these options. */
  async take({
    viewport = { width: 1280, height: 720 },
    colorScheme = 'light',
    ...options
  }: TabOptions): Promise<Page> {
    const kind = JSON.stringify(options);
    const tab = [...this.#idle].find((idle) => idle.kind === kind) ?? (await this.#make(kind, options));
    this.#idle.delete(tab);
    this.#used.add(tab);
    if (viewport !== null) await tab.page.setViewportSize(viewport);
    await tab.page.emulateMedia({ media: null, colorScheme });
    tab.leaving = false;
    return tab.page;
  }

  /** Empties the tabs in use, or this one. */
  async leave(page?: Page): Promise<void> {
    const left = [...this.#used].filter((tab) => page === undefined || tab.page === page);
    await Promise.all(left.map((tab) => this.#leave(tab)));
  }

  async #make(kind: string, { offline = false, allNear = false, script, ...options }: TabOptions): Promise<Tab> {
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(20_000);
    if (!offline) await context.addInitScript({ content: 'delete Navigator.prototype.serviceWorker;' });
    if (allNear) await context.addInitScript({ content: ALL_NEAR });
    if (script !== undefined) await context.addInitScript({ content: script });
    const page = await context.newPage();
    const tab: Tab = { kind, page, again: !offline && script === undefined, leaving: false };
    this.#listen(tab, options.javaScriptEnabled ?? true);
    return tab;
  }

  async #leave(tab: Tab): Promise<void> {
    const { page } = tab;
    this.#used.delete(tab);
    try {
      // Messages that the page has sent arrive before this returns.
      await page.evaluate(() => localStorage.clear());
      tab.leaving = true;
      if (!tab.again) throw new Error('not to be used again');
      for (const other of page.context().pages()) if (other !== page) await other.close();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.mouse.move(0, 0);
      await page.goto('about:blank');
      this.#idle.add(tab);
    } catch {
      tab.leaving = true;
      await page.context().close();
    }
  }

  #listen(tab: Tab, withScripts: boolean): void {
    const report = (message: string): void => {
      if (!tab.leaving) this.#report(message);
    };
    const { page } = tab;
    page.on('console', (message) => report(`console ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => report(`uncaught: ${error.stack ?? error.message}`));
    page.on('requestfailed', (request) => {
      // Without scripts, the browser does not fetch those in the page's head.
      if (!withScripts && request.resourceType() === 'script') return;
      // Requests that end because the reader leaves the page are not failures.
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') report(`failed: ${request.url()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) report(`${response.status()}: ${response.url()}`);
    });
  }
}
