import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import subsetFont from 'subset-font';
import type { Plugin } from 'vite';
import type { Notice } from '../../licenses.js';
import { limitSizes } from './glyphSizes.js';
import { inAlphabet } from './math.js';
import type { PageStrings } from './pageStrings.js';
import { renderProse } from './prose.js';

/** The packages of two fonts, both under the SIL Open Font License. */
const HANGUL = folderOf('nanum-gothic');
const FORMULAS = folderOf('stix-two-math');
/** The ids of copyright and licence in a font's name table. */
const COPYRIGHT = [0, 13, 14];
/** How many size variants the formulas use: roots as high as an index, brackets up to a fraction's height. */
const SIZES = { '√': 1, '(': 7, ')': 7 };

/**
 * Vite plugin: writes the page's own fonts into `build/fonts`, for machines without such fonts. Two are for Hangul
 * (`style/hangul.css`): the syllables of the Korean page, and those of the language's name, which all pages show. The
 * third is for formulas (`style/blocks.css`), whose indices and brackets need a maths font.
 */
export function ownFonts(root: string): Plugin {
  return {
    name: 'wasm-attention-own-fonts',
    async buildStart() {
      const folder = resolve(root, '../../build/fonts');
      mkdirSync(folder, { recursive: true });
      const korean = readFileSync(join(HANGUL, 'files/nanum-gothic-korean-400-normal.woff2'));
      const formulas = await lettersOfFormulas(root);
      const mathematical = await subset(
        readFileSync(join(FORMULAS, 'files/stix-two-math-latin-400-normal.woff2')),
        formulas,
        'truetype',
      );
      limitSizes(mathematical, SIZES);
      for (const [name, source, text] of [
        ['hangul-page', korean, hangulOf(textsOf(root).join(''))],
        ['hangul-name', korean, '한국어'],
        ['formulas', mathematical, formulas],
      ] as const) {
        writeFileSync(join(folder, `${name}.woff2`), await subset(source, text, 'woff2'));
      }
    },
  };
}

/** The fonts' licences; the fonts also name them. */
export function fontNotices(): Notice[] {
  return Object.entries({ 'Nanum Gothic': HANGUL, 'STIX Two Math': FORMULAS }).map(([font, folder]) => ({
    name: `The font ${font} (OFL-1.1)`,
    license: readFileSync(join(folder, 'LICENSE'), 'utf8').trim(),
  }));
}

function subset(font: Buffer, text: string, targetFormat: 'truetype' | 'woff2'): Promise<Buffer> {
  return subsetFont(font, text, {
    targetFormat,
    // Hinting and vertical features are a third of a Korean file.
    noHinting: true,
    keepFeatures: [],
    preserveNameIds: COPYRIGHT,
  });
}

function folderOf(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`@fontsource/${name}/package.json`));
}

/** All Korean text of the pages and figures. */
function textsOf(root: string): string[] {
  const inFolder = (folder: string, of: RegExp): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => of.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8'));
  return [
    ...inFolder(resolve(root, 'languages/ko'), /\.(md|json)$/),
    ...inFolder(resolve(root, '../elements'), /\/(glosses|strings|texts)\/ko\.json$/),
  ];
}

function hangulOf(text: string): string {
  return [...new Set(text.match(/\p{Script=Hangul}/gu))].sort().join('');
}

/** The characters of the page's formulas, which are the same in all languages. A root's sign is drawn, so it is added. */
async function lettersOfFormulas(root: string): Promise<string> {
  const read = (file: string): string => readFileSync(resolve(root, 'languages/en', file), 'utf8');
  const strings = JSON.parse(read('page.json')) as PageStrings;
  const pages = await Promise.all(['prose.md', 'further.md'].map((file) => renderProse(read(file), strings)));
  const formulas = pages.flatMap(({ body }) => [...body.matchAll(/<math.*?<\/math>/gs)]).join('');
  const written = formulas.replace(/<[^>]+>|&#x([0-9a-f]+);/gi, (_, code?: string) =>
    code === undefined ? '' : String.fromCodePoint(parseInt(code, 16)),
  );
  // Browsers render a single letter in <mi> in italics.
  const italics = [...formulas.matchAll(/<mi>(\p{L})<\/mi>/gu)].map(([, letter = '']) => inAlphabet(letter, 'italic'));
  return [...new Set(`√${written}${italics.join('')}`)].join('');
}
