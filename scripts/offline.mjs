// Writes service-worker.js into a built page, with the hash of each file, and a hash of all of them as the version.
//   usage: offline.mjs FOLDER_OF_THE_PAGE
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { build } from 'vite';

const folder = process.argv[2];
if (!folder) throw new Error('usage: offline.mjs FOLDER_OF_THE_PAGE');
const NAME = 'service-worker.js';

/** @type {Readonly<Record<string, string>>} */
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const sha256 = (/** @type {string | Buffer} */ content) => createHash('sha256').update(content);

/**
 * The only language that needs a file: 'ko' for './ko/' and './assets/ko-12345678.js'.
 *
 * @param {string} path
 */
const partOf = (path) =>
  /^\.\/([a-z]{2})\/(?:(?:further|models|proof)\/)?$/.exec(path)?.[1] ??
  /^\.\/assets\/([a-z]{2})-[\w-]{8}\.(?:js|svg)$/.exec(path)?.[1] ??
  (path.startsWith('./assets/hangul-') ? 'ko' : undefined);

// Without stills, which only paper and browsers without scripts need; the benchmark's worker, the files of wasm and the
// scripts for threads, which the benchmark and the race fetch when they need them; and the licences.
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, sep).length).replaceAll(sep, '/'))
  .filter(
    (file) =>
      file !== NAME &&
      !file.startsWith('stills/') &&
      !/^assets\/(proof-worker|thread|wasm-attention[a-z-]*)-|\.txt$/.test(file),
  )
  .sort()
  .map((file) => {
    const type = TYPES[extname(file)];
    if (type === undefined) throw new Error(`offline: expected a media type for ${file} in offline.mjs, got none`);
    // Pages under the URLs that readers use.
    const path = `./${file.replace(/(^|\/)index\.html$/, '$1')}`;
    const part = partOf(path);
    return [path, { hash: sha256(readFileSync(join(folder, file))).digest('base64'), type, ...(part && { part }) }];
  });

const result = await build({
  root: join(import.meta.dirname, '../web/page/offline'),
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  define: {
    __FILES__: JSON.stringify(files),
    __CONTENT__: JSON.stringify(sha256(JSON.stringify(files)).digest('hex').slice(0, 16)),
  },
  build: {
    write: false,
    target: 'es2022',
    modulePreload: false,
    rolldownOptions: { input: 'service-worker.ts', output: { format: 'iife' } },
  },
});
const [script] = 'output' in result ? result.output : [];
if (script?.type !== 'chunk') throw new Error('offline: expected the service worker to be one script');
writeFileSync(join(folder, NAME), script.code);
console.log(`offline: ${files.length} files`);
