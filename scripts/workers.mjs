// Vite plugin for the library, the elements and the page: how scripts that run in workers reach whoever starts them. All sources
// start them with the same expression, which is also the one that bundlers know:
//   new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const library = join(root, 'web/lib/index.ts');
const embedded = join(root, 'web/lib/runtime/embedded.ts');
const starters = join(root, 'web/elements/shared/start-worker.ts');

const START = /new Worker\(new URL\('([^']+)', import\.meta\.url\), \{ type: 'module' \}\)/g;
const FILE = /new URL\('[^']+', import\.meta\.url\)/g;
const TEXT = '\0worker-text:';
const BARE = '\0worker-script:';

/**
 * - `'kept'`: this expression, and `new URL('./….wasm', import.meta.url)`, stay as they are, letter for letter. Vite would make
 *   data: URLs of them, and its minifier would write template literals, which some bundlers do not recognise.
 * - `'file'`: the worker is one file beside the modules, complete with the library. Bundlers of the package's users see an asset
 *   and copy it, and it starts from another origin too.
 * - `'text'`: the worker is a string in the modules, for a page that is one file.
 * - none: Vite's own way, a file of the page.
 *
 * In all of them `import text from './script.ts?script'` gives a script with everything that it imports, but without the wasm,
 * which it has to be passed.
 *
 * @param {'kept' | 'file' | 'text'} [travel]
 * @returns {import('vite').Plugin}
 */
export function workers(travel) {
  /** Worker files by name. @type {Map<string, string>} */
  const files = new Map();
  /** What the output has letter for letter, and the calls that stand for it until then. @type {Map<string, string>} */
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
      return id.endsWith('?script')
        ? BARE + resolve(dirname(importer), id.slice(0, -'?script'.length))
        : null;
    },
    async load(id) {
      const prefix = [TEXT, BARE].find((each) => id.startsWith(each));
      if (prefix === undefined) return null;
      const { code, moduleIds } = await bundled(id.slice(prefix.length), 'iife', prefix === BARE);
      for (const file of moduleIds) if (!file.startsWith('\0')) this.addWatchFile(file);
      return `export default ${JSON.stringify(code.trim())};`;
    },
    transform(code, id) {
      if (travel === undefined) return null;
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
 * A script with everything that it imports.
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
        // What several threads need stays a file of the package, a folder above. Where that is not there, one thread computes.
        external: ['./threads.js'],
        output: { format, codeSplitting: false, entryFileNames: '[name].js', paths: () => '../threads.js' },
      },
    },
  });
  const [chunk, ...others] = [results].flat().flatMap((result) => ('output' in result ? result.output : []));
  if (chunk?.type !== 'chunk' || others.length > 0)
    throw new Error(`workers: expected one script of ${file}`);
  return chunk;
}
