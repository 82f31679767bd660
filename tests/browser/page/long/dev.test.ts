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
    // Its own process group, which is killed as a whole.
    detached: true,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  server.stderr.on('data', (text) => (stderr += String(text)));
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
    // Vite reloads the page when it has found the sources' imports, and restarts its server when the library changes,
    // because the configuration imports it. A page that requests its script at that moment is reloaded here.
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
    // The configuration imports the library and the code that prints the cells' outputs.
    expect(stderr).not.toMatch(/failed/);
  } finally {
    // Only now, because this would reload the page again.
    for (const { file, atime, mtime } of sources) utimesSync(file, atime, mtime);
    await browser.close();
    process.kill(-server.pid!);
    await once(server, 'exit');
  }
});
