/** Tests share a copy of the built page, which they change and restore. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { useBrowser } from '../../browser.js';
import { run, withCells } from '../../cells.js';
import { servePage, type PageServer } from '../../server.js';
import { ALL_NEAR } from '../../tabs.js';
import { openWhole, undrawn } from '../../whole.js';

const BUILT = join(import.meta.dirname, '../../../../build/page');
const LANGUAGES = readdirSync(BUILT).filter((name) => /^[a-z]{2}$/.test(name));

/** The page is served below a path, as on many hosts. */
const root = mkdtempSync(join(tmpdir(), 'wasm-attention-offline-'));
const folder = join(root, 'some', 'where');
let server: PageServer;
const { open, expectErrors } = useBrowser();

beforeAll(async () => {
  mkdirSync(join(root, 'some'));
  cpSync(BUILT, folder, { recursive: true });
  server = await servePage({ folder: root });
});
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

const at = (path: string): string => `${server.origin}/some/where/${path}`;
const until = async (condition: () => Promise<boolean>): Promise<void> => {
  const end = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`expected soon: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
const cacheNames = (page: Page): Promise<string[]> => page.evaluate(() => caches.keys());

/** Opens the page and waits until the browser has stored all of it. */
async function openStored(path = 'en/'): Promise<Page> {
  const page = await open({ path: at(path), offline: true, figures: [] });
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated', undefined, {
    timeout: 30_000,
  });
  return page;
}

const isStored = (page: Page, path: string): Promise<boolean> =>
  page.evaluate(async (address) => (await caches.match(address)) !== undefined, at(path));

test('offline, every visited language opens, with figures that were not loaded before', async () => {
  const page = await openStored();
  expect(await isStored(page, 'en/')).toBe(true);
  for (const other of LANGUAGES.filter((language) => language !== 'en')) {
    expect(await isStored(page, `${other}/`)).toBe(false);
    if (other === 'id') continue;
    await page.goto(at(`${other}/`));
    await until(() => isStored(page, `${other}/`));
    await page.waitForLoadState('networkidle');
  }
  await page.context().setOffline(true);
  for (const language of LANGUAGES.filter((each) => each !== 'id')) {
    await page.goto(at(`${language}/`));
    expect(await page.locator('html').getAttribute('lang')).toBe(language);
    await page.locator('#fig-rotation').evaluate((figure) => figure.scrollIntoView({ behavior: 'instant' }));
    await page.locator('encoding-rotation[drawn]').waitFor();
  }
  // A share link, the page at /, and a folder without its slash.
  await page.goto(at('en/?fig-masks=seed%3D2#fig-masks'));
  await page.locator('attention-masks[drawn]').waitFor();
  await page.waitForLoadState('networkidle');
  await page.goto(at(''));
  await page.waitForURL(at('en/'));
  await page.waitForLoadState('networkidle');
  await page.goto(at('ko'));
  expect(page.url()).toBe(at('ko/'));
  await page.waitForLoadState('networkidle');
});

test('workers and code cells start offline', async () => {
  const page = await openStored();
  await page.context().setOffline(true);
  await page.goto(at('en/further/'));
  const race = page.locator('complexity-race');
  await race.evaluate((element) => element.scrollIntoView({ behavior: 'instant', block: 'center' }));
  await race.getByRole('button', { name: 'Start the race' }).click();
  await race.locator('.plot path.dot').first().waitFor();
  await page.goto(at('en/'));
  const { cells } = await withCells(() => Promise.resolve(page));
  await run(cells.first());
  await cells.first().getByText('[2, 4, 100]').first().waitFor();
});

test('online, the reader gets the current page', async () => {
  const page = await openStored();
  const file = join(folder, 'en/index.html');
  const html = await page.content();
  writeFileSync(file, '<!doctype html><html lang="en"><title>New</title><link rel="icon" href="data:,">');
  try {
    await page.reload();
    expect(await page.title()).toBe('New');
  } finally {
    cpSync(join(BUILT, 'en/index.html'), file);
  }
  expect(html).toContain('fig-masks');
});

test('a new version replaces the old one, and does not touch other caches', async () => {
  const page = await openStored();
  await page.evaluate(() => caches.open('somebody else'));
  const before = await cacheNames(page);
  expect(before).toHaveLength(2);
  const script = join(folder, 'service-worker.js');
  const text = readFileSync(script, 'utf8');
  const version =
    before
      .find((name) => name !== 'somebody else')
      ?.split(' ')
      .at(-1) ?? 'none';
  writeFileSync(script, text.replace(version, 'another'));
  try {
    await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.update();
    });
    // It waits until the old page is closed everywhere.
    await until(() => page.evaluate(async () => (await navigator.serviceWorker.ready).waiting !== null));
    expect(await cacheNames(page)).toHaveLength(3);
    await page.goto('about:blank');
    await page.goto(at('en/'));
    await until(async () => (await cacheNames(page)).length === 2);
    expect((await cacheNames(page)).sort()).toEqual(['somebody else', 'wasm-attention /some/where/ another']);
  } finally {
    writeFileSync(script, text);
  }
});

/** The file name of a figure's script. */
const scriptOf = (tag: string): string =>
  readdirSync(join(BUILT, 'assets')).find((name) => name.startsWith(`${tag}-`) && name.endsWith('.js')) ?? '';
const FIGURE = scriptOf('encoding-rotation');
/** Puts a response into all of the page's caches. */
const forge = (page: Page, address: string, body: string, headers: Record<string, string>): Promise<void> =>
  page.evaluate(
    async ([address, body, headers]) => {
      for (const name of await caches.keys())
        await (await caches.open(name)).put(address, new Response(body, { headers }));
    },
    [address, body, headers] as const,
  );
/** The headers of a response of the service worker. */
const headersOf = (page: Page, path: string): Promise<string[]> =>
  page.evaluate(
    async (address) => [...(await fetch(address)).headers].map(([name, value]) => `${name}: ${value}`).sort(),
    at(path),
  );
const HTML = { 'content-type': 'text/html' };
const SCRIPT = { 'content-type': 'text/javascript' };

test('a response that a script has put into the cache is not served', async () => {
  const page = await openStored();
  await forge(page, at('en/'), '<title>taken</title>', HTML);
  await forge(page, at('new/'), '<title>taken</title>', HTML);
  await forge(page, at(`assets/${FIGURE}`), 'document.title = "taken"', SCRIPT);
  // The right content, but headers that redirect.
  const portuguese = readFileSync(join(BUILT, 'pt/index.html'), 'utf8');
  await forge(page, at('pt/'), portuguese, {
    ...HTML,
    refresh: `0; url=${at('ko/')}`,
    link: '</x>; rel=preload',
  });
  await page.context().setOffline(true);

  // On an isolated host, workers need the second header; for pages it would restrict what code cells can do in WebKit.
  expect(await headersOf(page, 'pt/')).toEqual(['content-type: text/html; charset=utf-8']);
  expect(await headersOf(page, `assets/${scriptOf('attention-masks')}`)).toEqual([
    'content-type: text/javascript; charset=utf-8',
    'cross-origin-embedder-policy: require-corp',
  ]);
  const figure = await page.evaluate((address) => fetch(address).catch(() => 'nothing'), at(`assets/${FIGURE}`));
  expect(figure).toBe('nothing');
  // A page per visit: after a failure, Chromium loads its error page, which could replace the next visit.
  const visit = async (path: string): Promise<string> => {
    const other = await page.context().newPage();
    try {
      await other.goto(at(path));
      await other.waitForLoadState('networkidle');
      return other.url();
    } finally {
      await other.close();
    }
  };
  for (const path of ['en/', 'en/?fig-masks=seed%3D2', 'en/index.html', 'en', 'new/'])
    await expect(visit(path)).rejects.toThrow('ERR_FAILED');
  expect(await visit('pt/')).toBe(at('pt/'));

  await page.context().setOffline(false);
  await page.goto(at('en/'));
  await page.locator('#fig-rotation').evaluate((figure) => figure.scrollIntoView({ behavior: 'instant' }));
  await page.locator('encoding-rotation[drawn]').waitFor();
  expect(await page.title()).not.toBe('taken');
  expectErrors(/^failed: |ERR_FAILED/);
});

test('nor does the next version adopt it', async () => {
  const page = await openStored();
  await forge(page, at(`assets/${FIGURE}`), 'document.title = "taken"', SCRIPT);
  const script = join(folder, 'service-worker.js');
  const text = readFileSync(script, 'utf8');
  const [before = ''] = await cacheNames(page);
  writeFileSync(script, text.replace(before.split(' ').at(-1) ?? 'none', 'another'));
  try {
    await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
    await until(() => page.evaluate(async () => (await navigator.serviceWorker.ready).waiting !== null));
    const stored = await page.evaluate(
      async ([name, address]) => (await (await caches.open(name)).match(address))?.text(),
      ['wasm-attention /some/where/ another', at(`assets/${FIGURE}`)] as const,
    );
    expect(stored).toBe(readFileSync(join(BUILT, 'assets', FIGURE), 'utf8'));
  } finally {
    writeFileSync(script, text);
  }
});

test('a file that differs from the build is not stored', async () => {
  const file = join(folder, 'icon.svg');
  writeFileSync(file, '<svg/>');
  try {
    const page = await open({ path: at('en/'), offline: true, figures: [] });
    const state = await page.evaluate(async () => {
      const { installing } = await navigator.serviceWorker.register('../service-worker.js');
      await new Promise<void>((resolve) => {
        installing?.addEventListener('statechange', () => resolve());
      });
      return installing?.state;
    });
    expect(state).toBe('redundant');
    const stored = await page.evaluate(async (address) => (await caches.match(address))?.text(), at('icon.svg'));
    expect(stored).toBeUndefined();
  } finally {
    cpSync(join(BUILT, 'icon.svg'), file);
  }
});

test('with data saving on, an idle page fetches little', async () => {
  const page = await open({
    path: at('en/'),
    offline: true,
    figures: ['attention-lookup'],
    script: "Object.defineProperty(Navigator.prototype, 'connection', { get: () => ({ saveData: true }) });",
  });
  // The first figure is drawn, and its last small modules may still be loading. The worker would be registered a second
  // later.
  const drawn = await page.evaluate(() => performance.now());
  await page.waitForTimeout(6000);
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(0);
  const sizes = await page.evaluate(
    (since) =>
      performance
        .getEntriesByType('resource')
        .filter(({ startTime }) => startTime > since)
        .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
    drawn,
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
});

test('the page works in a browser that does not allow a service worker', async () => {
  const page = await open({
    path: at('en/'),
    offline: true,
    figures: ['attention-masks'],
    script:
      "if (globalThis.ServiceWorkerContainer) ServiceWorkerContainer.prototype.register = () => { globalThis.asked = true; return Promise.reject(new DOMException('denied', 'SecurityError')); };",
  });
  await page.waitForFunction(() => 'asked' in globalThis);
  await page.context().setOffline(true);
  await expect(page.reload()).rejects.toThrow('ERR_INTERNET_DISCONNECTED');
  expectErrors(/^failed: /);
});

test.each(['/tr/', '/tr/further/'])(
  'offline, every figure is drawn at %s, although none was loaded before',
  async (path) => {
    const visited = await open({ path: '/tr/', offline: true, figures: [] });
    await visited.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
    await visited.context().setOffline(true);
    await visited.addInitScript({ content: ALL_NEAR });
    const page = await openWhole(() => visited.goto(new URL(path, visited.url()).href).then(() => visited));
    expect(await undrawn(page)).toEqual([]);
  },
);
