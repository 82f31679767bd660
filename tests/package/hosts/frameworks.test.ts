/**
 * The packed package in frameworks that render on a server. Each folder here is a project of one, with the
 * configuration that it needs; all have the same checks, in development and built.
 */
import type { Page } from 'playwright-core';
import { useChromium } from '../matrix/support.js';
import { temporaryFolder } from '../support.js';
import { install, runIn, serve, type ProjectServer } from './support.js';

interface Host {
  /** The project's folders for modules, and for files that the browser can fetch. */
  readonly modules: string;
  readonly files: string;
  /** The framework's commands; `PORT` stands for the port. */
  readonly develop: string;
  readonly build: string;
  readonly start: string;
  /** The checks of each page. */
  readonly pages: Readonly<Record<string, string>>;
}

const PAGES = {
  // In the browser.
  '/': 'library, models, slim, worker',
  // On the server: while it renders a page, and where it answers a request.
  '/server': 'library, models, slim',
  '/api': 'library, models, slim, worker, threads',
};

const HOSTS: Readonly<Record<string, Host>> = {
  next: {
    modules: 'app',
    files: 'public',
    develop: 'next dev --port PORT',
    build: 'next build',
    start: 'next start --port PORT',
    pages: { ...PAGES, '/edge': 'library, models' },
  },
  sveltekit: {
    modules: 'src',
    files: 'static',
    develop: 'vite dev --port PORT',
    build: 'vite build',
    start: 'vite preview --port PORT',
    pages: PAGES,
  },
  nuxt: {
    modules: 'shared',
    files: 'public',
    develop: 'nuxt dev --port PORT',
    build: 'nuxt build',
    // It takes the port from the environment.
    start: 'node .output/server/index.mjs',
    pages: PAGES,
  },
  astro: {
    modules: 'src',
    files: 'public',
    develop: 'astro dev --port PORT',
    build: 'astro build',
    start: 'astro preview --port PORT',
    pages: PAGES,
  },
};

const open = useChromium();

describe.each(Object.entries(HOSTS))('%s', (name, host) => {
  const { path: folder, remove } = temporaryFolder();
  beforeAll(() => install(folder, name, host.modules, host.files));
  afterAll(() => remove());

  describe.each(['develop', 'start'] as const)('%s', (mode) => {
    let server: ProjectServer | undefined;
    beforeAll(async () => {
      if (mode === 'start') runIn(folder, host.build);
      server = await serve(folder, host[mode]);
    });
    afterAll(() => server?.stop());

    it.each(Object.entries(host.pages))('%s passes the checks of %s', async (path, checks) => {
      const text = await open({ url: server!.origin + path }, checked);
      expect(text).toBe(`Checked: ${checks}.`);
    });

    it('draws figures by attributes and with data, and the console stays empty', async () => {
      await open({ url: server!.origin }, async (page) => {
        // The first visit compiles.
        await checked(page);
        const heard: string[] = [];
        page.on('console', (message) => {
          // These projects have no icon.
          if (/error|warning/.test(message.type()) && !message.location().url.endsWith('/favicon.ico'))
            heard.push(message.text());
        });
        await page.reload();
        const figure = page.locator('positional-heatmap[drawn]');
        await figure.waitFor();
        const rows = await figure.locator('heat-map').evaluate((map) => (map as unknown as { rows: number }).rows);
        expect(rows).toBe(30);
        await page.locator('head-viewer[drawn]').getByText('Layer 1, head 1').waitFor();
        await checked(page);
        // Where there is a component, this is created after the checks: by properties in place of attributes.
        const created = page.locator('positional-curves[drawn]');
        await created.waitFor();
        const columns = await created.evaluate((curves) => (curves as unknown as { columns: number[] }).columns);
        expect(columns).toEqual([4, 5]);
        expect(heard).toEqual([]);
        return '';
      });
    });
  });
});

/** What a page says when its checks are done. */
async function checked(page: Page): Promise<string> {
  const said = page.getByText(/^Checked: .*\.$/s).last();
  await said.waitFor({ timeout: 60_000 });
  return said.innerText();
}
