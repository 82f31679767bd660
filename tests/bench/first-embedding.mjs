/** From nothing to the first embedding: a page, built by Vite as applications are, in headless Chromium over a slow line. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

import { build } from 'vite';

import { launch } from '../../scripts/built-page.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Lighthouse's slow 4G. */
const LINE = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };
const BAR = 130_000;
const PARTS = {
  'JavaScript and wasm of the library': /^\/app\//,
  'the tokenizer’s code': /^\/tokenizers\//,
  'the model’s files': /^\/model\//,
};
const FOLDERS = [
  ['/tokenizers/', 'node_modules/@huggingface/tokenizers/dist/'],
  ['/model/', 'tests/fixtures/stories260K/'],
  ['/app/', 'build/first-embedding/dist/app/'],
  ['/', 'build/first-embedding/dist/'],
];
const TYPES = {
  html: 'text/html',
  js: 'text/javascript',
  mjs: 'text/javascript',
  wasm: 'application/wasm',
  json: 'application/json',
};
const PAGE = `<!doctype html><script type="module">
  import { load } from '../../dist/slim.js';
  import { openModel, readCheckpoint } from '../../dist/models.js';
  import { Tokenizer } from '/tokenizers/tokenizers.min.mjs';
  const [attention, checkpoint] = await Promise.all([load(), readCheckpoint('/model/')]);
  const model = await openModel({ ...checkpoint, attention });
  const { ids } = new Tokenizer(checkpoint.tokenizer.json, checkpoint.tokenizer.config).encode('The cat was happy.');
  globalThis.width = model.embed([ids]).shape[1];
</script>`;

/** The file that a path of the page means; undefined for none. */
function read(path) {
  const [prefix, folder] = FOLDERS.find(([prefix]) => path.startsWith(prefix)) ?? [];
  try {
    return prefix && readFileSync(root + folder + path.slice(prefix.length));
  } catch {
    return undefined;
  }
}

/** A static host that compresses what browsers ask it to, but for weights. */
function serve(sent) {
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://page').pathname.replace(/\/$/, '/index.html');
    const file = read(path);
    if (!file) return response.writeHead(404).end();
    const type = TYPES[path.replace(/.*\./, '')];
    const body = type ? brotliCompressSync(file) : file;
    response.writeHead(200, {
      'content-type': type ?? 'application/octet-stream',
      'content-length': body.length,
      ...(type && { 'content-encoding': 'br' }),
    });
    if (request.method === 'HEAD') return response.end();
    sent.set(path, body.length);
    return response.end(body);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

/** Builds the page; the tokenizer's code stays a file of its own. */
async function buildPage() {
  const folder = `${root}build/first-embedding`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/index.html`, PAGE);
  await build({
    root: folder,
    configFile: false,
    logLevel: 'warn',
    build: {
      assetsDir: 'app',
      emptyOutDir: true,
      target: 'esnext',
      rolldownOptions: { external: '/tokenizers/tokenizers.min.mjs' },
    },
  });
}

/** Seconds, and the compressed bytes of each part. */
export async function measureFirstEmbedding() {
  await buildPage();
  const sent = new Map();
  const server = await serve(sent);
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const session = await page.context().newCDPSession(page);
    await session.send('Network.emulateNetworkConditions', LINE);
    const started = performance.now();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction(() => globalThis.width > 0);
    const seconds = (performance.now() - started) / 1000;
    const parts = Object.entries(PARTS).map(([name, pattern]) => ({
      name,
      files: [...sent.keys()].filter((path) => pattern.test(path)).length,
      bytes: [...sent].reduce((sum, [path, bytes]) => (pattern.test(path) ? sum + bytes : sum), 0),
    }));
    return { seconds, parts, bar: BAR };
  } finally {
    await browser.close();
    server.close();
  }
}
