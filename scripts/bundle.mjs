// Bundles the library's entries, each into one minified file, and puts the wasm beside them.
//   usage: bundle.mjs FOLDER_TO_WRITE
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const outDir = process.argv[2];
if (!outDir) throw new Error('usage: bundle.mjs FOLDER_TO_WRITE');

const wasms = readdirSync(join(root, 'build/wasm')).filter((file) => file.endsWith('.wasm'));
/** There are none where the build had no compiler for them. */
const hasRelaxed = wasms.includes('wasm-attention-relaxed.wasm');

/** What an entry must hold as it is, letter for letter. @type {{ entry: string, pattern: string }[]} */
const PATTERNS = [
  ...wasms.map((name) => ({ entry: 'slim', pattern: `new URL('./${name}', import.meta.url)` })),
  { entry: 'threads', pattern: "new Worker(new URL('./thread.js', import.meta.url), { type: 'module' })" },
  {
    entry: 'worker',
    pattern: "new Worker(new URL('./worker-thread.js', import.meta.url), { type: 'module' })",
  },
];

/**
 * Keeps the patterns as they are: Vite must not turn the file into a data: URL or a bundle here, and the bundler of whoever
 * uses the package must recognise them, which the minifier's backticks would hide from some.
 *
 * @returns {import('vite').Plugin}
 */
function keepPatterns() {
  return {
    name: 'keep-patterns',
    enforce: 'pre',
    transform: (code) =>
      PATTERNS.reduce((text, { pattern }, i) => text.replace(pattern, `__pattern${i}__()`), code),
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        file.code = file.code
          // Some bundlers take an import of a template for one of anything.
          .replace(/\bimport\(`([^`]+)`\)/g, "import('$1')")
          // Of constructors of the language, which bundlers know by themselves. `return/* … */ RangeError` keeps its space.
          .replace(/(?<=(\w?))\/\* @__PURE__ \*\/ /g, (_mark, before) => (before ? ' ' : ''));
        for (const [i, { entry, pattern }] of PATTERNS.entries()) {
          file.code = file.code.replace(`__pattern${i}__()`, pattern);
          const wanted = file.name === entry;
          if (file.code.includes(pattern) !== wanted) {
            this.error(`${file.fileName}: expected ${wanted ? 'the' : 'no'} pattern ${pattern}`);
          }
        }
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
    plugins: [keepPatterns()],
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
