import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { launch, type Browser, type Engine, type Point } from '../../scripts/engines.mjs';
import { ISOLATED } from '../../scripts/static-host.mjs';
import { drawAll } from './reader.js';
import { servePage, type PageServer, type ServerOptions } from '../browser/server.js';

declare global {
  /** The elements that match, also in shadow roots. Exists in pages that a visit has opened. */
  function findAll<Found extends Element = HTMLElement>(selector: string): Found[];
}

interface Opened {
  readonly width?: number;
  readonly height?: number;
  /** Whether the host makes its pages cross-origin isolated. */
  readonly isolated?: boolean;
  /** Another host. */
  readonly origin?: string;
}

/** A browser, and the built page on servers. */
export interface Visit {
  readonly browser: Browser;
  /** Opens a path of the page, by default the English page in a window of 1280 by 800 pixels. */
  open(path?: string, opened?: Opened): Promise<void>;
  /** Loads the page again. */
  reload(): Promise<void>;
  /** Scrolls to a figure until it is drawn. */
  reach(tag: string): Promise<void>;
  /** Scrolls to the first element that matches, and returns its middle once it stands still. */
  middleOf(selector: string): Promise<Point>;
  click(selector: string): Promise<void>;
}

/** Starts an engine for one test file, and fails each test whose page reported something. */
export function useEngine(engine: Engine): Visit {
  let browser: Browser;
  let servers: Record<'plain' | 'isolated', PageServer>;

  beforeAll(async () => {
    servers = {
      plain: await serve({ offline: false }),
      isolated: await serve({ offline: false, headers: ISOLATED }),
    };
    browser = await launch(engine);
  });
  afterEach(async () => {
    expect(await browser.messages()).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await Promise.all(Object.values(servers).map((server) => server.close()));
  });

  const visit: Visit = {
    get browser() {
      return browser;
    },
    async open(path = '/en/', { isolated = false, origin, ...size } = {}) {
      const host = origin ?? servers[isolated ? 'isolated' : 'plain'].origin;
      await browser.open(new URL(path, host).href, size);
      await browser.run(defineFindAll);
    },
    async reload() {
      await browser.reload();
      await browser.run(defineFindAll);
    },
    reach: (tag) => browser.run(drawAll, tag),
    middleOf: (selector) => browser.run(findMiddle, selector),
    async click(selector) {
      await browser.click(await visit.middleOf(selector));
    },
  };
  return visit;
}

/** Serves the built page, or another folder, under no other policy than that in the pages: narrow ones are in a frame. */
export const serve = (options?: ServerOptions): Promise<PageServer> => servePage({ policy: '', ...options });

function defineFindAll(): void {
  window.findAll = <Found extends Element>(selector: string): Found[] => {
    const findIn = (root: ParentNode): Element[] =>
      [...root.querySelectorAll('*')].flatMap((element) => [
        ...(element.matches(selector) ? [element] : []),
        ...(element.shadowRoot ? findIn(element.shadowRoot) : []),
      ]);
    return findIn(document) as Found[];
  };
}

async function findMiddle(selector: string): Promise<Point> {
  // Until the reader scrolls, the page keeps its place.
  dispatchEvent(new Event('wheel'));
  const end = performance.now() + 30_000;
  let seen = '';
  for (let still = 0; still < 5;) {
    if (performance.now() > end) throw new Error(`${selector} is missing or moves`);
    const [element] = findAll(selector);
    element?.scrollIntoView({ behavior: 'instant', block: 'center' });
    const { x = 0, y = 0, width = 0, height = 0 } = element?.getBoundingClientRect() ?? {};
    const now = [x, y, width, height].join();
    still = element !== undefined && now === seen ? still + 1 : 0;
    seen = now;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const [x = 0, y = 0, width = 0, height = 0] = seen.split(',').map(Number);
  return [x + width / 2, y + height / 2];
}
