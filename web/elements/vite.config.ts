import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { workers } from '../../scripts/workers.mjs';
import { figures, PARTS } from '../../scripts/figures.mjs';
import { declarations } from './declarations.js';

const here = new URL('.', import.meta.url);
const file = (path: string): string => fileURLToPath(new URL(path, here));
const { version } = JSON.parse(readFileSync(file('../../package.json'), 'utf8')) as { version: string };
const define = { __VERSION__: JSON.stringify(version) };

/** The package's entries: all figures, all figures when they are needed, the heat map, each figure. */
const entry = {
  index: file('index.ts'),
  auto: file('auto.ts'),
  ...Object.fromEntries(Object.entries({ ...figures(), ...PARTS }).map(([tag, module]) => [tag, file(`${module}.ts`)])),
};

/** What both builds of the elements share. */
export const bundling = { root: file('.'), base: './', publicDir: false, define } as const;

/** `wasm-attention/elements`: ES modules that work from a folder on any server, as they are. */
export default defineConfig({
  ...bundling,
  plugins: [workers('file'), declarations(here)],
  build: {
    target: 'es2022',
    emptyOutDir: true,
    lib: { entry, formats: ['es'] },
    rolldownOptions: {
      // The package's own library, so that the page and its figures share one copy.
      external: ['wasm-attention', 'wasm-attention/models'],
      output: {
        // By default Vite does not remove white space from ES libraries.
        minify: true,
        paths: { 'wasm-attention': '../index.js', 'wasm-attention/models': '../models.js' },
        entryFileNames: '[name].js',
        // Next to the entries, so that the library has the same relative address for all of them.
        chunkFileNames: '[name]-[hash].js',
      },
    },
  },
});
