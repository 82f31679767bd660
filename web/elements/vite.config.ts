import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { workers } from '../../scripts/workers.mjs';
import { declarations, figureTags } from './declarations.js';

const here = new URL('.', import.meta.url);
const file = (path: string): string => fileURLToPath(new URL(path, here));
const { version } = JSON.parse(readFileSync(file('../../package.json'), 'utf8')) as { version: string };
const define = { __VERSION__: JSON.stringify(version) };

/** The package's entries: all figures, all figures when they are needed, the heat map, each figure. */
const entry = {
  index: file('index.ts'),
  auto: file('auto.ts'),
  'heat-map': file('shared/heat-map/heat-map.ts'),
  ...Object.fromEntries(figureTags(here).map((tag) => [tag, file(`${tag}/${tag}.ts`)])),
};

/** `wasm-attention/elements`: ES modules that work from a folder on any server, as they are. */
export default defineConfig({
  root: file('.'),
  base: './',
  publicDir: false,
  define,
  plugins: [workers('file'), declarations(here)],
  build: {
    target: 'es2022',
    emptyOutDir: true,
    lib: { entry, formats: ['es'] },
    rolldownOptions: {
      // The package's own library, one copy for the page and its figures.
      external: ['wasm-attention'],
      output: {
        // Vite leaves the white space of ES libraries alone unless told.
        minify: true,
        paths: { 'wasm-attention': '../index.js' },
        entryFileNames: '[name].js',
        // Beside the entries, so that the library is at the same relative address for all.
        chunkFileNames: '[name]-[hash].js',
      },
    },
  },
});
