// Writes service-worker.js into a built page, with the list of the page's files and a hash of them as the version.
//   usage: offline.mjs FOLDER_OF_THE_PAGE
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { build } from 'vite';

const folder = process.argv[2];
if (!folder) throw new Error('usage: offline.mjs FOLDER_OF_THE_PAGE');
const NAME = 'service-worker.js';

// Left out are stills, which only browsers without scripts show, and the files for threads, which the race fetches when it needs them.
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, sep).length).replaceAll(sep, '/'))
  .filter((file) => file !== NAME && !file.startsWith('stills/') && !/^assets\/threads?-/.test(file))
  .sort();
const hash = createHash('sha256');
for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(folder, file)));

const result = await build({
  root: join(import.meta.dirname, '../web/page/offline'),
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  define: {
    // Pages by the URLs that readers use.
    __FILES__: JSON.stringify(files.map((file) => `./${file.replace(/(^|\/)index\.html$/, '$1')}`)),
    __CONTENT__: JSON.stringify(hash.digest('hex').slice(0, 16)),
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
