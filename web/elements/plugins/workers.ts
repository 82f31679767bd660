import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

/** What Vite looks for, too, and what the figures write. */
const START = /new Worker\(new URL\('([^']+)', import\.meta\.url\), \{ type: 'module' \}\)/g;
const STARTER = fileURLToPath(new URL('../shared/start-worker.ts', import.meta.url));
const LIBRARY = fileURLToPath(new URL('../../lib/index.ts', import.meta.url));
const THREADS = './threads.js';
const TEXT = '\0wasm-attention-worker:';

/**
 * Vite plugin: how the figures' workers travel, in place of Vite's own way.
 *
 * - `'file'`: each is one file beside the modules, complete with the library. Bundlers of whoever uses the modules take it for an
 *   asset and copy it, and it starts from another origin as well.
 * - `'text'`: each is a string among the modules, for a page that is one file.
 *
 * `define` is that of the build.
 */
export function workers(travel: 'file' | 'text', define: Readonly<Record<string, string>>): Plugin {
  const files = new Map<string, string>();
  return {
    name: 'wasm-attention-workers',
    enforce: 'pre',
    resolveId: (id) => (id.startsWith(TEXT) ? id : null),
    async load(id) {
      if (!id.startsWith(TEXT)) return null;
      return `export default ${JSON.stringify(await bundled(id.slice(TEXT.length), 'iife', define))};`;
    },
    transform(code, id) {
      const imports: string[] = [];
      const changed = code.replace(START, (_all, path: string) => {
        const file = resolve(dirname(id), path);
        if (travel === 'text') {
          const name = `workerText${imports.length}`;
          imports.push(`import ${name} from ${JSON.stringify(TEXT + file)};`);
          return `startWorkerText(${name})`;
        }
        const name = fileNameOf(file);
        files.set(name, file);
        return `startWorker(${placeholder(name)})`;
      });
      if (changed === code) return null;
      const starter = travel === 'text' ? 'startWorkerText' : 'startWorker';
      imports.push(`import { ${starter} } from ${JSON.stringify(STARTER)};`);
      return { code: `${imports.join('')}${changed}`, map: null };
    },
    async generateBundle(_options, bundle) {
      for (const [fileName, file] of files) {
        this.emitFile({ type: 'asset', fileName, source: await bundled(file, 'es', define) });
        // Put in last, letter for letter: here Vite would look for the file, and there other bundlers look for this expression.
        for (const chunk of Object.values(bundle)) {
          if (chunk.type !== 'chunk') continue;
          chunk.code = chunk.code.replaceAll(
            placeholder(fileName),
            `new URL('./${fileName}', import.meta.url)`,
          );
        }
      }
    },
  };
}

function placeholder(fileName: string): string {
  return `__WORKER_${fileName.replace(/\W/g, '_')}__`;
}

/** `training/worker.ts` → `training-worker.js`; a file whose name says it all keeps it. */
function fileNameOf(file: string): string {
  const name = basename(file, '.ts');
  return name === 'worker' ? `${basename(dirname(file))}-${name}.js` : `${name}.js`;
}

/** The worker with everything that it imports, as one script. */
async function bundled(
  file: string,
  format: 'es' | 'iife',
  define: Readonly<Record<string, string>>,
): Promise<string> {
  const result = await build({
    root: dirname(file),
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    define,
    resolve: { alias: { 'wasm-attention': LIBRARY } },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: file,
        // What threads need stays a file of the package, a folder above; where that is not there, one thread is used.
        external: (id) => id === THREADS,
        output: { format, codeSplitting: false },
      },
    },
  });
  const output = Array.isArray(result)
    ? result.flatMap((each) => each.output)
    : 'output' in result
      ? result.output
      : [];
  const [chunk, ...others] = output;
  if (chunk?.type !== 'chunk' || others.length > 0) {
    throw new Error(
      `worker: expected one script of ${file}, got ${output.map(({ fileName }) => fileName).join()}`,
    );
  }
  return chunk.code.replace(/\bimport\((['"`])[^'"`]*\/threads\.js\1\)/, "import('../threads.js')");
}
