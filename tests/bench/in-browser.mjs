/**
 * Measures in fresh headless browsers, in a dedicated worker of an isolated page: there a wait blocks, as peers and pools want it, and
 * nothing is drawn. The files are those that Node measures, and come as they are from a server of this machine.
 */
import { fileURLToPath } from 'node:url';
import { preview } from 'vite';

import { launch } from '../../scripts/built-page.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const PAGE = 'tests/bench/page.html';

function serve() {
  return preview({
    root,
    configFile: false,
    appType: 'mpa',
    logLevel: 'error',
    build: { outDir: root },
    preview: {
      host: '127.0.0.1',
      port: 0,
      headers: {
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': 'require-corp',
      },
    },
  });
}

/** Runs in the page. */
function startWorker(task) {
  return new Promise((resolve, reject) => {
    const worker = new Worker('measure.mjs', { type: 'module' });
    worker.onmessage = ({ data: { ready, progress, result } }) => {
      if (ready) worker.postMessage(task);
      if (progress) globalThis.progressed(progress);
      if (result) resolve(result);
    };
    worker.onerror = ({ message }) => reject(new Error(message ?? 'its script did not load'));
  });
}

/** Starts the server; every `measure` has a browser of its own. */
export async function inBrowser() {
  const server = await serve();
  const url = `http://127.0.0.1:${server.httpServer.address().port}/${PAGE}`;

  async function withPage(use) {
    const browser = await launch(['--js-flags=--expose-gc']);
    try {
      const page = await browser.newPage();
      page.on('console', (message) => process.stderr.write(`${message.text().slice(0, 300)}\n`));
      await page.goto(url);
      return await use(page, browser);
    } finally {
      await browser.close();
    }
  }

  async function measure(task, progressed) {
    try {
      return await withPage(async (page) => {
        await page.exposeFunction('progressed', progressed);
        return page.evaluate(startWorker, task);
      });
    } catch (error) {
      return { name: task.name, failed: `its browser: ${error.message.split('\n')[0]}` };
    }
  }

  const engine = await withPage((_, browser) => `Chromium ${browser.version()}`);
  return { engine, measure, close: () => server.close() };
}
