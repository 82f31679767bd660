import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../../package/support.js';
import { launch } from '../../chromium.js';

test('npm run dev serves the page from its sources and reloads it when one changes', async () => {
  const server = spawn('npm', ['run', 'dev', '--', '--port', '0'], {
    cwd: ROOT,
    // A group of its own, which can be ended whole.
    detached: true,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaints = '';
  server.stderr.on('data', (text) => (complaints += String(text)));
  const browser = await launch();
  const sources = ['web/lib/index.ts', 'web/elements/registry.ts', 'web/page/languages/en/prose.md'].map((name) => {
    const file = join(ROOT, name);
    const { atime, mtime } = statSync(file);
    return { file, atime, mtime };
  });
  try {
    let url: string | undefined;
    for await (const line of createInterface(server.stdout)) {
      url = /http:\/\/\S+/.exec(line)?.[0];
      if (url) break;
    }
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    await page.goto(new URL('en/', url).href);
    // Figures are loaded when they come near. Vite reloads the page when it has found what the sources import, and
    // restarts its server when the library changes, which the configuration runs: a page that asks for its script in
    // that moment is reloaded by hand.
    const drawn = async (): Promise<void> => {
      for (let tries = 1; ; ++tries) {
        try {
          await page.locator('attention-lookup').scrollIntoViewIfNeeded({ timeout: 5000 });
          await page.locator('attention-lookup[drawn]').waitFor({ timeout: 5000 });
          return;
        } catch (error) {
          if (tries === 12) throw error;
          await page.reload();
        }
      }
    };
    await drawn();
    const cell = page.locator('code-cell').first();
    await cell.scrollIntoViewIfNeeded();
    await cell.getByRole('button', { name: 'Run' }).click();
    await cell.getByText('[2, 4, 100]').first().waitFor();
    for (const { file } of sources) {
      const reloaded = page.waitForEvent('load');
      utimesSync(file, new Date(), new Date());
      await reloaded;
      await drawn();
    }
    expect(errors).toEqual([]);
    // The library and what prints the cells' outputs are a part of the configuration.
    expect(complaints).not.toMatch(/failed/);
  } finally {
    // Not before: the page would be reloaded again.
    for (const { file, atime, mtime } of sources) utimesSync(file, atime, mtime);
    await browser.close();
    process.kill(-server.pid!);
    await once(server, 'exit');
  }
});
