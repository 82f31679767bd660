import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { LANGUAGES } from '../elements/languages.js';
import { countPackages, licenses, OTHERS } from '../licenses.js';
import { library } from '../vite.config.js';
import { firstFigure } from './plugins/firstFigure.js';
import { fontNotices, ownFonts } from './plugins/ownFonts.js';
import { CELL_FRAME, pageInputs, pages } from './plugins/pages.js';
import { cellFrame } from './plugins/policy.js';
import { scriptText } from './plugins/scriptText.js';

export const root = fileURLToPath(new URL('.', import.meta.url));

// The build runs the library itself: plugins/runCell.ts.
Object.assign(globalThis, { __VERSION__: JSON.parse(library.define.__VERSION__) as string });

/** What every build of the page's scripts needs. */
export const bundling = {
  root,
  // Relative URLs: the built folder works at the root of a host and below it.
  base: './',
  define: { ...library.define, __CELL_FRAME__: JSON.stringify(cellFrame('blob:')), __CELL_FRAME_FILE__: 'undefined' },
  worker: { plugins: () => [countPackages()] },
  resolve: library.resolve,
};

export default defineConfig({
  ...bundling,
  define: { ...bundling.define, __CELL_FRAME_FILE__: JSON.stringify(CELL_FRAME) },
  plugins: [
    pages(root),
    firstFigure(),
    ownFonts(root),
    scriptText(),
    licenses('licenses.txt', [...OTHERS, ...fontNotices()]),
  ],
  build: {
    outDir: fileURLToPath(new URL('../../build/page', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // A module preload polyfill would be an inline script, which the content security policy forbids.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: pageInputs(root),
      // On a slow phone each file of the first screen costs a round trip, so what all pages, or all figures, share is
      // one file.
      output: {
        codeSplitting: {
          groups: [
            // The texts of a language's figures are loaded together.
            ...LANGUAGES.slice(1).map((name) => ({
              name,
              test: new RegExp(`/(languages|generated/strings)/${name}(\\.|/(?!models|cells|proof)).*json$`),
            })),
            {
              name: 'page',
              test: /\/page\/(history-entry|language-menu|live-code|reading-place|scrollers|visible)\.ts$|\/(registry|generated\/figures)\.ts$|preload-helper/,
              priority: 3,
            },
            { name: 'library', test: /\/lib\/index\.ts$/, priority: 2 },
            {
              name: 'figure',
              test: /\/elements\/shared\/(figure\/figure-element|controls\/(rove|width)|goals|normal-draws|settings|story\/(looks-text|story-texts|writer)|tokens)\.ts$/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
});
