// Bundles the library's entries, each into one minified file, and puts the wasm beside them.
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
/** There are none where the build had no compiler for them. */
const hasRelaxed = wasms.includes('wasm-attention-relaxed.wasm');

/**
 * What minifiers leave to be mended.
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
          // Some bundlers take an import of a template for one of anything.
          .replace(/\bimport\(`([^`]+)`\)/g, "import('$1')")
          // Of constructors of the language, which bundlers know by themselves. `return/* … */ RangeError` keeps its space.
          .replace(/(?<=(\w?))\/\* @__PURE__ \*\/ /g, (_mark, before) => (before ? ' ' : ''));
        // One line for each statement: an engine prints the line that an uncaught error comes from.
        const statements = this.parse(file.code).body.map(({ start, end }) => file.code.slice(start, end));
        file.code = `${statements.join('\n')}\n`;
      }
    },
  };
}

// One build an entry, so that none needs a shared chunk: a page that embeds the wasm makes one request. Two entries are imported
// by others: the first by the worker's script, and what threads need by both that load a module. The slim one has a chunk,
// layers.js, which is imported later and finds what both need in the entry that is there already.
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
      // Vite leaves the white space of ES libraries alone unless told.
      rolldownOptions: {
        // A field that C++ no longer has would else be written to `undefined`.
        onwarn(warning, handle) {
          if (warning.code === 'IMPORT_IS_UNDEFINED') throw new Error(warning.message);
          handle(warning);
        },
        external: (id) => id === './threads.js' || (entry === 'worker-thread' && id === './index.js'),
        preserveEntrySignatures: 'allow-extension',
        // Fields' numbers in place of their names.
        optimization: { inlineConst: { mode: 'all', pass: 3 } },
        output: {
          minify: true,
          chunkFileNames: '[name].js',
          // Entries lie side by side, wherever their sources do.
          paths: (id) => `./${basename(id)}`,
        },
      },
    },
  });
}
for (const name of wasms) copyFileSync(join(root, 'build/wasm', name), join(outDir, name));
