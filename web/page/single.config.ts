import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { countPackages } from '../licenses.js';
import { alone, library } from '../vite.config.js';
import { ownFonts } from './plugins/ownFonts.js';
import { scriptText } from './plugins/scriptText.js';
import { singleFiles } from './plugins/singleFile.js';
import { bundling, root } from './vite.config.js';

/** The page as two files per language, to be opened from a disk: `npm run build:single`. */
export default defineConfig({
  ...bundling,
  publicDir: false,
  resolve: { alias: [...library.resolve.alias, ...alone] },
  // Classic scripts, each in one piece: modules do not start from a page on a disk.
  worker: { format: 'iife', plugins: () => [countPackages()] },
  plugins: [ownFonts(root), scriptText(), countPackages(), singleFiles(root)],
  build: {
    outDir: fileURLToPath(new URL('../../build/single', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    // The fonts are inline in the style sheet.
    assetsInlineLimit: 2 ** 20,
    rolldownOptions: {
      input: fileURLToPath(new URL('single.ts', import.meta.url)),
      output: { codeSplitting: false },
    },
  },
});
