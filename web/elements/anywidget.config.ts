import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { workers } from '../../scripts/workers.mjs';
import { bundling } from './vite.config.js';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** `wasm-attention/anywidget`: all figures, the library, its wasm and workers in one file, which notebooks load as text. */
export default defineConfig({
  ...bundling,
  plugins: [workers('text')],
  resolve: {
    alias: { 'wasm-attention/models': file('../lib/models.ts'), 'wasm-attention': file('../lib/index.ts') },
  },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    lib: { entry: file('anywidget.ts'), formats: ['es'] },
    rolldownOptions: {
      // Figures compute on one thread; with more, the library would look for this file of the package.
      external: /\/threads\.js$/,
      output: {
        minify: true,
        codeSplitting: false,
        entryFileNames: 'anywidget.js',
        paths: () => '../threads.js',
      },
    },
  },
});
