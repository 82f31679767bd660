import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { launch, type Browser, type Engine } from '../../scripts/engines.mjs';
import { securityPolicy } from '../../web/page/plugins/policy.js';
import { servePage, type PageServer } from '../browser/server.js';

/** The page's policy without what hosts may add, because narrow pages are opened in a frame. */
const POLICY = securityPolicy({ cells: true });

/** A browser, and the built page on a server. */
export interface Visit {
  readonly browser: Browser;
  /** Opens a path of the page, by default the English page in a window of 1280 by 800 pixels. */
  open(path?: string, size?: { readonly width?: number; readonly height?: number }): Promise<void>;
}

/** Starts an engine for one test file, and fails each test whose page reported something. */
export function useEngine(engine: Engine): Visit {
  let browser: Browser;
  let server: PageServer;

  beforeAll(async () => {
    server = await servePage({ policy: POLICY });
    browser = await launch(engine);
  });
  afterEach(async () => {
    expect(await browser.messages()).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });

  return {
    get browser() {
      return browser;
    },
    open: (path = '/en/', size) => browser.open(new URL(path, server.origin).href, size),
  };
}
