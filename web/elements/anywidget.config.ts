import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { licenses, OTHERS } from '../licenses.js';
import { alone, conditions, library } from '../vite.config.js';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * `wasm-attention/anywidget`: all figures, the library, its wasm and workers in one file, which notebooks load as text.
 */
export default defineConfig({
  ...library,
  root: file('.'),
  publicDir: false,
  plugins: [licenses('anywidget.licenses.md', OTHERS)],
  resolve: { conditions, alias: [...library.resolve.alias, ...alone] },
  build: {
    target: 'es2022',
    emptyOutDir: false,
    lib: { entry: file('anywidget.ts'), formats: ['es'] },
    rolldownOptions: { output: { minify: true, codeSplitting: false, entryFileNames: 'anywidget.js' } },
  },
});
