import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** Where the pages of a test file complain, and what a tab is made with. */
export interface TabOptions extends BrowserContextOptions {
  /**
   * Whether the page may keep itself for later; else it finds a browser without service workers, and tests are quicker.
   */
  readonly offline?: boolean;
  /** A script to run before the page's own. */
  readonly script?: string;
}

interface Tab {
  /** What it was made with, but for what can be changed from page to page. */
  readonly kind: string;
  readonly page: Page;
  /** Whether another page may follow in it: nothing outlives a page but what these keep. */
  readonly again: boolean;
  /** On its way to the next page, where requests end early. */
  leaving: boolean;
}

/**
 * The tabs of a browser. A new one, with storage and a process of its own, costs four times what it takes to open one
 * more page in it; so those that are alike serve one test after another.
 */
export class Tabs {
  readonly #browser: Browser;
  readonly #complain: (complaint: string) => void;
  readonly #idle = new Set<Tab>();
  readonly #used = new Set<Tab>();

  constructor(browser: Browser, complain: (complaint: string) => void) {
    this.#browser = browser;
    this.#complain = complain;
  }

  /** An empty tab with these options. */
  async take({
    viewport = { width: 1280, height: 720 },
    colorScheme = 'light',
    ...options
  }: TabOptions): Promise<Page> {
    const kind = JSON.stringify(options);
    const tab = [...this.#idle].find((idle) => idle.kind === kind) ?? (await this.#make(options));
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

  async #make({ offline = false, script, ...options }: TabOptions): Promise<Tab> {
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(20_000);
    if (!offline) await context.addInitScript({ content: 'delete Navigator.prototype.serviceWorker;' });
    if (script !== undefined) await context.addInitScript({ content: script });
    const page = await context.newPage();
    const kind = JSON.stringify({ offline, script, ...options });
    const tab: Tab = { kind, page, again: !offline && script === undefined, leaving: false };
    this.#listen(tab, options.javaScriptEnabled ?? true);
    return tab;
  }

  async #leave(tab: Tab): Promise<void> {
    const { page } = tab;
    this.#used.delete(tab);
    try {
      // What it has said by now has been heard after this.
      await page.evaluate(() => undefined);
      tab.leaving = true;
      if (!tab.again) throw new Error('not to be used again');
      for (const other of page.context().pages()) if (other !== page) await other.close();
      await page.mouse.move(0, 0);
      await page.goto('about:blank');
      this.#idle.add(tab);
    } catch {
      tab.leaving = true;
      await page.context().close();
    }
  }

  #listen(tab: Tab, withScripts: boolean): void {
    const hear = (complaint: string): void => {
      if (!tab.leaving) this.#complain(complaint);
    };
    const { page } = tab;
    page.on('console', (message) => hear(`console ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => hear(`uncaught: ${error.stack ?? error.message}`));
    page.on('requestfailed', (request) => {
      // The browser does not fetch the scripts that the page's head names.
      if (!withScripts && request.resourceType() === 'script') return;
      // What a page still fetches when the reader goes on is no failure of the page.
      if (request.failure()?.errorText !== 'net::ERR_ABORTED') hear(`failed: ${request.url()}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) hear(`${response.status()}: ${response.url()}`);
    });
  }
}
