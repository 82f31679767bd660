/**
 * Measures in fresh headless browsers, in a dedicated worker of a cross-origin isolated page: there threads may block
 * while they wait, and nothing is drawn. A server on this machine serves the same files that Node measures, unchanged.
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

/** Starts the server; each `measure` opens its own browser. */
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
