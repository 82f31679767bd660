// Bundles the library's entries, each into one minified file, and puts the wasm beside them.
//   usage: bundle.mjs FOLDER_TO_WRITE
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const outDir = process.argv[2];
if (!outDir) throw new Error('usage: bundle.mjs FOLDER_TO_WRITE');

/** There is none where the build had no compiler for it. */
const relaxed = join(root, 'build/glue/wasm-attention-relaxed.wasm');
const hasRelaxed = existsSync(relaxed);

/** What an entry must hold as it is, letter for letter, and the entry. */
const PATTERNS = {
  slim: "new URL('./wasm-attention.wasm', import.meta.url)",
  ...(hasRelaxed && { relaxed: "new URL('./wasm-attention-relaxed.wasm', import.meta.url)" }),
  threads: "new Worker(new URL('./thread.js', import.meta.url), { type: 'module' })",
  worker: "new Worker(new URL('./worker-thread.js', import.meta.url), { type: 'module' })",
};

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
      Object.entries(PATTERNS).reduce(
        (text, [name, pattern]) => text.replace(pattern, `__${name}__()`),
        code,
      ),
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        file.code = file.code
          // Some bundlers take an import of a template for one of anything.
          .replace(/\bimport\(`([^`]+)`\)/g, "import('$1')")
          // Of constructors of the language, which bundlers know by themselves.
          .replaceAll('/* @__PURE__ */ ', '');
        for (const [name, pattern] of Object.entries(PATTERNS)) {
          file.code = file.code.replace(`__${name}__()`, pattern);
          const wanted = file.name === (name === 'relaxed' ? 'slim' : name);
          if (file.code.includes(pattern) !== wanted) {
            this.error(`${file.fileName}: expected ${wanted ? 'the' : 'no'} pattern ${pattern}`);
          }
        }
      }
    },
  };
}

// One build an entry, so that none needs a shared chunk: a page that embeds the wasm makes one request. Two entries are imported
// by others: the first by the worker's script, and what threads need by both that load a module. The slim one has a chunk,
// layers.js, which is imported later and finds what both need in the entry that is there already.
for (const entry of ['index', 'slim', 'safetensors', 'worker', 'worker-thread', 'threads', 'thread']) {
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
      lib: { entry: join(root, `web/lib/${entry}.ts`), formats: ['es'], fileName: entry },
      // Vite leaves the white space of ES libraries alone unless told.
      rolldownOptions: {
        external: (id) => id === './threads.js' || (entry === 'worker-thread' && id === './index.js'),
        preserveEntrySignatures: 'allow-extension',
        // Fields' numbers in place of their names.
        optimization: { inlineConst: { mode: 'all', pass: 3 } },
        output: { minify: true, chunkFileNames: '[name].js' },
      },
    },
  });
}
copyFileSync(join(root, 'build/wasm/wasm-attention.wasm'), join(outDir, 'wasm-attention.wasm'));
if (hasRelaxed) copyFileSync(relaxed, join(outDir, 'wasm-attention-relaxed.wasm'));
