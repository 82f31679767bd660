// Bundles the library's two entries, each into one minified file, and puts the wasm beside them.
//   usage: bundle.mjs FOLDER_TO_WRITE
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const outDir = process.argv[2];
if (!outDir) throw new Error('usage: bundle.mjs FOLDER_TO_WRITE');

const WASM_URL = "new URL('./wasm-attention.wasm', import.meta.url)";

/**
 * Keeps the wasm's URL as it is, letter for letter: Vite must not turn the file into a data: URL here, and the bundler of
 * whoever uses the package must recognise the pattern, which the minifier's backticks would hide from some.
 *
 * @returns {import('vite').Plugin}
 */
function keepWasmUrl() {
  return {
    name: 'keep-wasm-url',
    enforce: 'pre',
    transform: (code) => code.replace(WASM_URL, '__WASM_URL__'),
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk') continue;
        file.code = file.code.replace('__WASM_URL__', WASM_URL);
        const wanted = file.name === 'slim';
        if (file.code.includes(WASM_URL) !== wanted) {
          this.error(`${file.fileName}: expected ${wanted ? 'the' : 'no'} pattern ${WASM_URL}`);
        }
      }
    },
  };
}

// One build an entry, so that neither needs a shared chunk: a page that embeds the wasm makes one request.
for (const entry of ['index', 'slim']) {
  await build({
    root,
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    define: { __VERSION__: JSON.stringify(version) },
    plugins: [keepWasmUrl()],
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      lib: { entry: join(root, `web/lib/${entry}.ts`), formats: ['es'], fileName: entry },
      // Vite leaves the white space of ES libraries alone unless told.
      rolldownOptions: { output: { minify: true } },
    },
  });
}
copyFileSync(join(root, 'build/wasm/wasm-attention.wasm'), join(outDir, 'wasm-attention.wasm'));
