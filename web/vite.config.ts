import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { figures, PARTS } from '../scripts/figures.mjs';
import { declarations } from './elements/declarations.js';
import { licenses, OTHERS } from './licenses.js';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { version } = JSON.parse(readFileSync(file('../package.json'), 'utf8')) as { version: string };
const elements = new URL('elements/', import.meta.url);

/** Settings of every build of the library. */
export const library = {
  define: { __VERSION__: JSON.stringify(version) },
  resolve: {
    alias: [
      { find: /^wasm-attention$/, replacement: file('lib/index.ts') },
      { find: /^wasm-attention\/(slim|safetensors|models|worker)$/, replacement: file('lib/$1.ts') },
      { find: '@lit-labs/ssr-dom-shim', replacement: file('elements/no-dom.ts') },
    ],
  },
};

/** Conditions of packages: what lit has for Node can also be imported without a DOM, and is otherwise the same. */
export const conditions = ['module', 'node'];

/** What builds of one file have in place of the files that the library and the figures load later. */
export const alone = [
  { find: /^.*\/runtime\/threaded\.js$/, replacement: file('elements/no-threads.ts') },
  { find: /^(.*\/(race|training)-worker)\.js$/, replacement: '$1.inline.ts' },
];

/** All entries of the package, by their files in `dist/`. */
const input = {
  // The slim entry imports it later, the others at once.
  threads: file('lib/runtime/threads.ts'),
  ...Object.fromEntries(
    ['index', 'slim', 'safetensors', 'models', 'worker', 'workerd', 'workerd-models'].map((entry) => [
      entry,
      file(`lib/${entry}.ts`),
    ]),
  ),
  'elements/index': file('elements/index.ts'),
  'elements/auto': file('elements/auto.ts'),
  ...Object.fromEntries(
    Object.entries({ ...figures(), ...PARTS }).map(([tag, module]) => [
      `elements/${tag}`,
      file(`elements/${module}.ts`),
    ]),
  ),
};

/**
 * Adds the wasms and the workers' scripts that the sources name by `new URL('./file', import.meta.url)` to the build.
 * In the output the expression names the added file, so that other bundlers find it.
 */
function namedFiles(): Plugin {
  const added = new Map<string, string>();
  return {
    name: 'named-files',
    enforce: 'pre',
    transform(code, id) {
      return code.replace(/new URL\('([^']+)', import\.meta\.url\)/g, (_expression, path: string) => {
        const named = resolve(dirname(id), path);
        const script = basename(named, '.ts');
        const inFolder = named.startsWith(file('lib/')) ? script : `elements/${basename(dirname(named))}-${script}`;
        const reference =
          added.get(named) ??
          (named.endsWith('.ts')
            ? this.emitFile({ type: 'chunk', id: named, fileName: `${inFolder}.js` })
            : this.emitFile({ type: 'asset', fileName: basename(named), source: readFileSync(named) }));
        added.set(named, reference);
        return `import.meta.ROLLUP_FILE_URL_${reference}`;
      });
    },
    // Cloudflare's tools compile what is imported.
    resolveId: (path) => (path.endsWith('.wasm') ? { id: `./${basename(path)}`, external: true } : undefined),
    resolveFileUrl: ({ relativePath }) =>
      `new URL('${relativePath.startsWith('.') ? '' : './'}${relativePath}', import.meta.url)`,
  };
}

/** The package: ES modules that work from a folder on any server, as they are, and that share what they have in common. */
export default defineConfig({
  ...library,
  root: file('.'),
  publicDir: false,
  plugins: [namedFiles(), declarations(elements), licenses('licenses.md', OTHERS)],
  build: {
    // As for a server, Vite leaves addresses of other files as they are. For browsers it would write its own.
    ssr: true,
    ssrEmitAssets: true,
    emptyOutDir: true,
    target: 'es2022',
    // Vite's own minifier writes strings with backticks, which some bundlers do not recognise as addresses.
    minify: 'terser',
    // Short lines, because Node prints the whole line of an uncaught error.
    terserOptions: {
      module: true,
      compress: { passes: 2 },
      format: { comments: false, max_line_len: 300, semicolons: false },
    },
    rolldownOptions: {
      input,
      // Without this, a field that C++ no longer has would be written at the index `undefined`.
      onLog(level, log, handle) {
        if (log.code === 'IMPORT_IS_UNDEFINED') throw new Error(log.message);
        handle(level, log);
      },
      // No comments that say where code comes from.
      experimental: { attachDebugInfo: 'none' },
      // Replaces the names of fields by their numbers.
      optimization: { inlineConst: { mode: 'all', pass: 3 } },
      output: {
        entryFileNames: '[name].js',
        chunkFileNames: ({ moduleIds }) =>
          moduleIds.some((id) => id.startsWith(file('lib/'))) ? '[name].js' : 'elements/[name]-[hash].js',
        codeSplitting: {
          // What a thread of the pool needs too, what all entries need, and what those that load the module share besides.
          groups: [
            { name: 'imports', test: /\/lib\/runtime\/imports\.ts$/, priority: 3 },
            { name: 'port', test: /\/lib\/runtime\/port\.ts$/, priority: 3 },
            { name: 'base', test: /\/lib\/(check\/|runtime\/(embind|dispose)|loadOptions|models\/types)/, priority: 2 },
            { name: 'library', test: /\/lib\/load\.ts$/, priority: 1 },
          ],
        },
      },
    },
  },
  ssr: { noExternal: true, target: 'webworker', resolve: { conditions } },
});
