// Bundles each entry of the library into one minified file, and copies the wasms next to them.
//   usage: bundle.mjs FOLDER_TO_WRITE
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, Visitor } from 'vite';
import { workers } from './workers.mjs';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const outDir = process.argv[2];
if (!outDir) throw new Error('usage: bundle.mjs FOLDER_TO_WRITE');

const wasms = readdirSync(join(root, 'build/wasm')).filter((file) => file.endsWith('.wasm'));
/** The build leaves these out if it has no compiler for them. */
const hasRelaxed = wasms.includes('wasm-attention-relaxed.wasm');

/**
 * Writes imports of strings where the minifier writes imports of templates, which some bundlers take for imports of
 * unknown modules; and one statement or member of a class per line, because an engine prints the whole line of an
 * uncaught error.
 *
 * @returns {import('vite').Plugin}
 */
function plainImportsAndLines() {
  return {
    name: 'plain-imports-and-lines',
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        const program = this.parse(file.code);
        /**
         * Places, how many characters each loses, and what they become. @type {[at: number, lost: number, text:
         * string][]}
         */
        const changes = program.body.slice(1).map(({ start }) => [start, 0, '\n']);
        const quotes = new Visitor({
          ImportExpression({ source: { type, start, end } }) {
            if (type === 'TemplateLiteral') changes.push([start, 1, "'"], [end - 1, 1, "'"]);
          },
          ClassBody({ body }) {
            for (const { start } of body) changes.push([start, 0, '\n']);
          },
        });
        quotes.visit(program);
        let code = '';
        let done = 0;
        for (const [at, lost, text] of changes.sort(([a], [b]) => a - b)) {
          code += file.code.slice(done, at) + text;
          done = at + lost;
        }
        file.code = `${code}${file.code.slice(done).trimEnd()}\n`;
      }
    },
  };
}

// Each entry has a build of its own, so that there are no shared chunks and a page that embeds the wasm makes one
// request. Two entries are imported by others: the worker's script and `models` import `index`, and both entries that
// load a module import `threads`. The slim entry has one chunk, layers.js, which is imported later and takes shared
// code from the entry itself.
for (const file of [
  ...['index', 'slim', 'safetensors', 'models', 'worker', 'worker-thread'],
  ...['runtime/threads', 'runtime/thread'],
]) {
  const entry = basename(file);
  await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    define: { __VERSION__: JSON.stringify(version), __RELAXED__: String(hasRelaxed) },
    plugins: [workers('kept'), plainImportsAndLines()],
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
        external: (id) =>
          id === './threads.js' ||
          (entry === 'worker-thread' && (id === './index.js' || id === './models.js')) ||
          (entry === 'models' && id === '../index.js'),
        preserveEntrySignatures: 'allow-extension',
        // Replaces the names of fields by their numbers.
        optimization: { inlineConst: { mode: 'all', pass: 3 } },
        output: {
          minify: true,
          // Marks of pure calls are on built-in constructors, which bundlers know.
          comments: false,
          chunkFileNames: entry === 'models' ? 'models-[name].js' : '[name].js',
          // All entries are in one folder, whatever the folders of their sources.
          paths: (id) => `./${basename(id)}`,
        },
      },
    },
  });
}
for (const name of wasms) copyFileSync(join(root, 'build/wasm', name), join(outDir, name));
