// What a page downloads: bytes of each part of the package, as they are, gzipped and with brotli, against size-budgets.json.
// A part's files are counted whole, or, where it says what is kept, as a bundler leaves the first of them when that alone is
// imported from it. Ends with 1 where a part is over its budget.
//   usage: node scripts/size.mjs [BUDGETS]
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
const [file = join(root, 'size-budgets.json')] = process.argv.slice(2);

/** @typedef {{ files: string[], beside?: string[], keeps?: string[], budget: number, target?: number }} Part */
/** @type {{ parts: Record<string, Part> }} */
const { parts } = JSON.parse(readFileSync(file, 'utf8'));

/**
 * Files and what they import at once; what is imported later, or is there already, does not count.
 *
 * @param {string[]} files
 * @param {string[]} beside
 */
function closure(files, beside = []) {
  const found = new Set(files);
  for (const each of found) {
    if (!each.endsWith('.js')) continue;
    const text = readFileSync(join(root, each), 'utf8');
    for (const [, path] of text.matchAll(/\b(?:from|import)\s*["'](\.\/[^"']+)["']/g)) {
      const imported = join(dirname(each), String(path));
      if (!beside.includes(imported)) found.add(imported);
    }
  }
  return [...found];
}

/**
 * What a bundler makes of a file for somebody who imports these names from it; chunks that are imported later do not count.
 *
 * @param {string} file
 * @param {string[]} names
 */
async function bundled(file, names) {
  const id = join(root, 'build/imports-some.js');
  const built = await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    plugins: [
      {
        name: 'keep',
        enforce: 'pre',
        resolveId: (source) => (source === id ? id : undefined),
        load: (module) =>
          module === id
            ? `export { ${names.join(', ')} } from ${JSON.stringify(join(root, file))};`
            : undefined,
        // An asset would be put into the code of a library.
        transform: (code) => code.replaceAll('new URL(', 'new __URL__('),
      },
    ],
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: id, formats: ['es'] },
      rolldownOptions: {
        preserveEntrySignatures: 'allow-extension',
        external: (source) => source === './threads.js',
        output: { minify: true },
      },
    },
  });
  const [{ output }] = /** @type {[import('vite').Rolldown.RolldownOutput]} */ (built);
  const chunks = output.flatMap((chunk) => (chunk.type === 'chunk' ? [chunk] : []));
  const first = new Set(chunks.filter(({ isEntry }) => isEntry));
  for (const { imports } of first) {
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) first.add(chunk);
  }
  return [...first].map(({ code }) => Buffer.from(code.replaceAll('new __URL__(', 'new URL(')));
}

const row = (/** @type {(string | number)[]} */ ...cells) =>
  console.log(cells.map((cell, i) => String(cell)[i ? 'padStart' : 'padEnd'](i ? 9 : 22)).join(''));

row('part', 'bytes', 'gzip', 'brotli', 'budget', 'target');
for (const [name, { files, beside, keeps, budget, target }] of Object.entries(parts)) {
  const sizes = [0, 0, 0];
  const contents = keeps
    ? await bundled(String(files[0]), keeps)
    : closure(files, beside).map((each) => readFileSync(join(root, each)));
  for (const bytes of contents) {
    const encoded = [bytes, gzipSync(bytes, { level: 9 }), brotliCompressSync(bytes)];
    encoded.forEach(({ length }, i) => (sizes[i] = Number(sizes[i]) + length));
  }
  const over = Number(sizes[2]) > budget;
  row(name, ...sizes, budget, target ?? '–', over ? '  OVER' : '');
  if (over) process.exitCode = 1;
}
