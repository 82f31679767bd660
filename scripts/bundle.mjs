// Bundles each entry of the library into one minified file, and copies the wasms next to them.
//   usage: bundle.mjs FOLDER_TO_WRITE
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'vite';
import { workers } from './workers.mjs';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const outDir = process.argv[2];
if (!outDir) throw new Error('usage: bundle.mjs FOLDER_TO_WRITE');

const wasms = readdirSync(join(root, 'build/wasm')).filter((file) => file.endsWith('.wasm'));
/** The build leaves these out if it has no compiler for them. */
const hasRelaxed = wasms.includes('wasm-attention-relaxed.wasm');

/**
 * Changes what the minifier writes but cannot be told to write differently.
 *
 * @returns {import('vite').Plugin}
 */
function mend() {
  return {
    name: 'mend',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        file.code = file.code
          // Some bundlers treat the import of a template literal as one of unknown modules.
          .replace(/\bimport\(`([^`]+)`\)/g, "import('$1')")
          // These marks are on built-in constructors, which bundlers know to be pure. `return/* … */ RangeError` keeps its space.
          .replace(/(?<=(\w?))\/\* @__PURE__ \*\/ /g, (_mark, before) => (before ? ' ' : ''));
        // One statement per line, because an engine prints the whole line of an uncaught error.
        const statements = this.parse(file.code).body.map(({ start, end }) => file.code.slice(start, end));
        file.code = `${statements.join('\n')}\n`;
      }
    },
  };
}

// Each entry has a build of its own, so that there are no shared chunks and a page that embeds the wasm makes one request. Two entries are
// imported by others: the worker's script imports `index`, and both entries that load a module import `threads`. The slim entry has one
// chunk, layers.js, which is imported later and takes shared code from the entry itself.
for (const file of [
  ...['index', 'slim', 'safetensors', 'worker', 'worker-thread'],
  ...['runtime/threads', 'runtime/thread'],
]) {
  const entry = basename(file);
  await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    define: { __VERSION__: JSON.stringify(version), __RELAXED__: String(hasRelaxed) },
    plugins: [workers('kept'), mend()],
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      lib: { entry: join(root, `web/lib/${file}.ts`), formats: ['es'], fileName: entry },
      // By default Vite does not remove white space from ES libraries.
      rolldownOptions: {
        // Without this, a field that C++ no longer has would be written at the index `undefined`.
        onwarn(warning, handle) {
          if (warning.code === 'IMPORT_IS_UNDEFINED') throw new Error(warning.message);
          handle(warning);
        },
        external: (id) => id === './threads.js' || (entry === 'worker-thread' && id === './index.js'),
        preserveEntrySignatures: 'allow-extension',
        // Replaces the names of fields by their numbers.
        optimization: { inlineConst: { mode: 'all', pass: 3 } },
        output: {
          minify: true,
          chunkFileNames: '[name].js',
          // All entries are in one folder, whatever the folders of their sources.
          paths: (id) => `./${basename(id)}`,
        },
      },
    },
  });
}
for (const name of wasms) copyFileSync(join(root, 'build/wasm', name), join(outDir, name));
