import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { workers } from '../../scripts/workers.mjs';
import { bundling } from './vite.config.js';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * `wasm-attention/anywidget`: all figures, the library, its wasm and workers in one file, which notebooks load as text.
 */
export default defineConfig({
  ...bundling,
  plugins: [workers('text')],
  resolve: {
    alias: [
      { find: 'wasm-attention/models', replacement: file('../lib/models.ts') },
      { find: 'wasm-attention', replacement: file('../lib/index.ts') },
      { find: './threads.js', replacement: file('no-threads.ts') },
    ],
  },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    lib: { entry: file('anywidget.ts'), formats: ['es'] },
    rolldownOptions: {
      output: {
        minify: true,
        codeSplitting: false,
        entryFileNames: 'anywidget.js',
      },
    },
  },
});
