/** How long pages of headless Chromium take to open files of SmolLM2-135M's sizes from a server on this machine, in turns. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

import { writeSafetensors } from '../../dist/safetensors.js';
import { launch } from '../../scripts/built-page.mjs';
import { gguf } from './peers/gguf.mjs';
import { smolLM2 } from './problems/models.mjs';
import { median } from './timing.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const WLLAMA = '/tests/bench/node_modules/@wllama/wllama/esm/';
const TYPES = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm' };

const ours = (address, weightType) => `
  import { load } from '/dist/slim.js';
  import { openModel, readCheckpoint } from '/dist/models.js';
  const attention = await load();
  globalThis.measure = async () => {
    const started = performance.now();
    await openModel({ ...(await readCheckpoint('${address}')), attention, weightType: '${weightType}' });
    return performance.now() - started;
  };`;
/** Each as a script that makes \`measure\`, by the file's type and the type of what is opened. */
const PAGES = {
  'Q8_0 as int8': ours('/model.gguf', 'int8'),
  'Q8_0 as float32': ours('/model.gguf', 'float32'),
  'int8 as int8': ours('/int8', 'int8'),
  'float32 as int8': ours('/float32', 'int8'),
  wllama: `
  import { Wllama } from '${WLLAMA}index.js';
  const wllama = new Wllama({ 'single-thread/wllama.wasm': '${WLLAMA}single-thread/wllama.wasm' }, { suppressNativeLog: true });
  globalThis.measure = async () => {
    const started = performance.now();
    await wllama.loadModel([await (await fetch('/model.gguf')).blob()], { n_ctx: 512, n_threads: 1 });
    return performance.now() - started;
  };`,
};

/** A server of the pages and of `files` by their paths. */
function serve(files) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://page').pathname);
    const [, name] = /^\/page\/(.+)$/.exec(path) ?? [];
    if (name in PAGES) {
      const head = { 'content-type': TYPES.html };
      return response.writeHead(200, head).end(`<!doctype html><script type="module">${PAGES[name]}</script>`);
    }
    const file = files[path];
    if (!file) {
      const type = TYPES[path.replace(/.*\./, '')];
      if (!type || !(path.startsWith('/dist/') || path.startsWith(WLLAMA))) return response.writeHead(404).end();
      return response.writeHead(200, { 'content-type': type }).end(readFileSync(root + path));
    }
    const [, from, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const part = from === undefined ? file : file.subarray(Number(from), Number(last) + 1);
    response.writeHead(from === undefined ? 200 : 206, {
      'content-length': part.length,
      'cache-control': 'no-store',
      ...(from !== undefined && { 'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${file.length}` }),
    });
    return response.end(request.method === 'HEAD' ? undefined : part);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** Milliseconds of each, and the file's bytes. */
export async function measureOpeningGguf({ progress, rounds = 5 }) {
  progress('opening-gguf: writing the files');
  const { config, tensors } = smolLM2({ past: 0, count: 1 });
  const file = Buffer.concat(
    gguf(config, tensors, 'int8').map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength)),
  );
  const files = { '/model.gguf': file };
  for (const weightType of ['int8', 'float32']) {
    files[`/${weightType}/config.json`] = Buffer.from(JSON.stringify(config));
    files[`/${weightType}/model.safetensors`] = writeSafetensors(tensors, { weightType });
  }
  const server = await serve(files);
  const times = Object.fromEntries(Object.keys(PAGES).map((name) => [name, []]));
  try {
    for (let round = 0; round < rounds; ++round) {
      for (const name of Object.keys(PAGES)) {
        progress(`opening-gguf: round ${round + 1}, ${name}`);
        const browser = await launch();
        try {
          const page = await browser.newPage();
          await page.goto(`http://127.0.0.1:${server.address().port}/page/${name}`);
          await page.waitForFunction(() => globalThis.measure);
          times[name].push(await page.evaluate(() => globalThis.measure()));
        } finally {
          await browser.close();
        }
      }
    }
  } finally {
    server.close();
  }
  const rows = Object.entries(times).map(([name, all]) => ({ name, median: median(all), least: Math.min(...all) }));
  return { size: file.length, rows };
}
