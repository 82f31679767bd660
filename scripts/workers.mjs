// Vite plugin for the library, the elements and the page: it decides how a worker's script is delivered. All sources
// start workers with the same expression, which other bundlers recognise too:
//   new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const library = join(root, 'web/lib/index.ts');
const embedded = join(root, 'web/lib/runtime/embedded.ts');
const connection = join(root, 'web/lib/worker/connection.ts');
const starters = join(root, 'web/elements/shared/start-worker.ts');

const START = /new Worker\(new URL\('([^']+)', import\.meta\.url\), \{ type: 'module' \}\)/g;
const FILE = /new URL\('[^']+', import\.meta\.url\)/g;
const TEXT = '\0worker-text:';
const BARE = '\0worker-script:';

/**
 * - `'kept'`: this expression and `new URL('./….wasm', import.meta.url)` stay unchanged. Otherwise Vite would turn them
 *   into data: URLs, and its minifier would write template literals, which some bundlers do not recognise.
 * - `'file'`: the worker is one file next to the modules, including the library. The bundlers of the package's users
 *   see it as an asset and copy it. It can also be started from another origin.
 * - `'text'`: the worker is a string in the modules, for a page that is a single file.
 * - undefined: Vite's default, a separate file of the page.
 *
 * In all cases `import text from './script.ts?script'` gives a script with everything that it imports except the wasm,
 * which has to be passed to it.
 *
 * @param {'kept' | 'file' | 'text'} [travel]
 * @returns {import('vite').Plugin}
 */
export function workers(travel) {
  /** The sources of workers by the names of their files. @type {Map<string, string>} */
  const files = new Map();
  /** Expressions to keep unchanged, and the calls that replace them during the build. @type {Map<string, string>} */
  const kept = new Map();
  const keep = (/** @type {string} */ text) => {
    const call = kept.get(text) ?? `__kept${kept.size}__()`;
    kept.set(text, call);
    return call;
  };
  return {
    name: 'wasm-attention-workers',
    enforce: 'pre',
    resolveId(id, importer = '') {
      if (id.startsWith(TEXT)) return id;
      return id.endsWith('?script') ? BARE + resolve(dirname(importer), id.slice(0, -'?script'.length)) : null;
    },
    async load(id) {
      const prefix = [TEXT, BARE].find((each) => id.startsWith(each));
      if (prefix === undefined) return null;
      const { code, moduleIds } = await bundled(id.slice(prefix.length), 'iife', prefix === BARE);
      for (const file of moduleIds) if (!file.startsWith('\0')) this.addWatchFile(file);
      return `export default ${JSON.stringify(code.trim())};`;
    },
    transform(code, id) {
      // Its address counts from where the library's bundle is.
      if (travel === undefined)
        return id === connection ? code.replace("'./worker-thread.js'", "'../worker-thread.ts'") : null;
      if (travel === 'kept') return code.replace(START, keep).replace(FILE, keep);
      const imports = new Set();
      const changed = code.replace(START, (_all, path) => {
        const file = resolve(dirname(id), path);
        if (travel === 'text') {
          imports.add(`import { startWorkerText } from ${JSON.stringify(starters)};`);
          imports.add(`import text${imports.size} from ${JSON.stringify(TEXT + file)};`);
          return `startWorkerText(text${imports.size - 1})`;
        }
        imports.add(`import { startWorker } from ${JSON.stringify(starters)};`);
        files.set(nameOf(file), file);
        return `startWorker(${keep(`new URL('./${nameOf(file)}', import.meta.url)`)})`;
      });
      return imports.size > 0 ? [...imports, changed].join('') : null;
    },
    async generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        for (const [text, call] of kept) chunk.code = chunk.code.replaceAll(call, text);
      }
      for (const [fileName, file] of files) {
        this.emitFile({ type: 'asset', fileName, source: (await bundled(file, 'es')).code });
      }
    },
  };
}

/** `training/worker.ts` → `training-worker.js`. */
function nameOf(/** @type {string} */ file) {
  return `${basename(dirname(file))}-${basename(file, '.ts')}.js`;
}

/**
 * Bundles a script with everything that it imports.
 *
 * @param {string} file
 * @param {'es' | 'iife'} format
 */
async function bundled(file, format, withoutWasm = false) {
  /** @type {import('vite').Plugin} */
  const noWasm = {
    name: 'no-wasm',
    enforce: 'pre',
    load: (id) => (id === embedded ? 'export const embeddedWasm = () => new Uint8Array();' : null),
  };
  const results = await build({
    root: dirname(file),
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    define: { __VERSION__: JSON.stringify(version) },
    plugins: withoutWasm ? [noWasm] : [],
    resolve: { alias: { 'wasm-attention': library } },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: file,
        // The code for threads stays a file of the package, one folder up. Without that file, one thread computes.
        external: ['./threads.js'],
        output: { format, codeSplitting: false, entryFileNames: '[name].js', paths: () => '../threads.js' },
      },
    },
  });
  const [chunk, ...others] = [results].flat().flatMap((result) => ('output' in result ? result.output : []));
  if (chunk?.type !== 'chunk' || others.length > 0) throw new Error(`workers: expected one script of ${file}`);
  return chunk;
}
