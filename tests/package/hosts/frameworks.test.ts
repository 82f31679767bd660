/**
 * The packed package in frameworks that render on a server. Each folder here is a project of one, with the
 * configuration that it needs; all have the same checks, in development and built.
 */
import type { Page } from 'playwright-core';
import { useChromium } from '../matrix/support.js';
import { temporaryFolder } from '../support.js';
import { build, install, serve, type ProjectServer } from './support.js';

interface Host {
  /** The project's folders for modules, and for files that the browser can fetch. */
  readonly modules: string;
  readonly files: string;
  /** The framework's program, and its commands that serve the project in development and built. */
  readonly program: string;
  readonly commands: Readonly<Record<'development' | 'built', string>>;
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
    program: 'next',
    commands: { development: 'dev', built: 'start' },
    pages: { ...PAGES, '/edge': 'library, models' },
  },
  astro: {
    modules: 'src',
    files: 'public',
    program: 'astro',
    commands: { development: 'dev', built: 'preview' },
    pages: PAGES,
  },
};

const open = useChromium();

describe.each(Object.entries(HOSTS))('%s', (name, { modules, files, program, commands, pages }) => {
  const { path: folder, remove } = temporaryFolder();
  beforeAll(() => install(folder, name, modules, files));
  afterAll(() => remove());

  describe.each(['development', 'built'] as const)('%s', (mode) => {
    let server: ProjectServer | undefined;
    beforeAll(async () => {
      if (mode === 'built') build(folder, program);
      server = await serve(folder, program, commands[mode]);
    });
    afterAll(() => server?.stop());

    it.each(Object.entries(pages))('%s passes the checks of %s', async (path, checks) => {
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
