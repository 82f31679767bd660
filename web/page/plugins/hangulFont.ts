import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import subsetFont from 'subset-font';
import type { Plugin } from 'vite';

/** Nanum Gothic, under the SIL Open Font License. */
const FOLDER = dirname(createRequire(import.meta.url).resolve('@fontsource/nanum-gothic/package.json'));
const FONT = join(FOLDER, 'files/nanum-gothic-korean-400-normal.woff2');
/** The entries of a font's name table that hold its copyright and its licence. */
const COPYRIGHT = [0, 13, 14];

/**
 * Vite plugin: writes the fonts of `style/hangul.css` into `build/fonts`, for readers whose machines have no Korean ones. One has the
 * syllables of the Korean page, the other those of the language's name, which all pages show.
 *
 * @param licence  where the build writes the fonts' licence; both fonts also name it
 */
export function hangulFont(root: string, licence?: string): Plugin {
  return {
    name: 'wasm-attention-hangul-font',
    async buildStart() {
      const folder = resolve(root, '../../build/fonts');
      mkdirSync(folder, { recursive: true });
      const page = hangulOf(textsOf(root).join(''));
      const { languageName } = JSON.parse(readFileSync(resolve(root, 'strings/ko.json'), 'utf8')) as {
        languageName: string;
      };
      for (const [name, text] of Object.entries({ page, name: hangulOf(languageName) })) {
        const font = await subsetFont(readFileSync(FONT), text, {
          targetFormat: 'woff2',
          // Hinting and features of vertical text are a third of the file.
          noHinting: true,
          keepFeatures: [],
          preserveNameIds: COPYRIGHT,
        });
        writeFileSync(join(folder, `hangul-${name}.woff2`), font);
      }
    },
    generateBundle() {
      if (licence === undefined) return;
      this.emitFile({ type: 'asset', fileName: licence, source: readFileSync(join(FOLDER, 'LICENSE')) });
    },
  };
}

/** All that the page says in Korean. */
function textsOf(root: string): string[] {
  return ['prose/ko.md', 'strings/ko.json', 'cells/strings/ko.json', '../elements/strings/ko.json'].map(
    (file) => readFileSync(resolve(root, file), 'utf8'),
  );
}

function hangulOf(text: string): string {
  return [...new Set(text.match(/\p{Script=Hangul}/gu))].sort().join('');
}
