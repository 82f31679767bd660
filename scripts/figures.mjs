// Writes web/elements/generated from the figures' folders. A figure is a folder <tag>/ with the element in <tag>.ts,
// its texts in strings/<language>.json and its heights in heights.json.
//   usage: figures.mjs
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ELEMENTS = join(import.meta.dirname, '../web/elements');

/** Parts of figures that pages can use by themselves: tags and modules. */
export const PARTS = /** @type {const} */ ({
  'head-viewer': 'shared/head-viewer/head-viewer',
  'heat-map': 'shared/heat-map/heat-map',
  'lens-viewer': 'shared/lens-viewer/lens-viewer',
  'patch-viewer': 'shared/patch-viewer/patch-viewer',
  'ramp-legend': 'shared/heat-map/ramp-legend',
});

/** The figures: tags and modules. @returns {Record<string, string>} */
export function figures() {
  const tags = readdirSync(ELEMENTS).filter((name) => existsSync(join(ELEMENTS, name, `${name}.ts`)));
  return Object.fromEntries(tags.map((tag) => [tag, `${tag}/${tag}`]));
}

/** The class of a tag: `heat-map` → `HeatMap`. @param {string} tag */
export function classOf(tag) {
  return tag.replace(/(?:^|-)([a-z])/g, (_, /** @type {string} */ letter) => letter.toUpperCase());
}

/** The file of a figure's heights. @param {string} tag */
export function heightsFile(tag) {
  return join(ELEMENTS, tag, 'heights.json');
}

/**
 * A figure's heights on the page in rem, in a wide and in a narrow window: in English, and in languages where they
 * differ.
 *
 * @param {string} tag
 * @returns {Record<string, Record<string, number>>}
 */
function readHeights(tag) {
  return existsSync(heightsFile(tag)) ? JSON.parse(readFileSync(heightsFile(tag), 'utf8')) : {};
}

/** Writes the files that have changed. */
export function writeGenerated() {
  write('figures.ts', [
    '/** How each figure is loaded, and each part of figures that pages can use by itself, by their tags. */',
    ...['figures', 'parts'].flatMap((name) => [
      `export const ${name}: Readonly<Record<string, () => Promise<unknown>>> = {`,
      ...Object.entries(name === 'parts' ? PARTS : figures()).map(
        ([tag, module]) => `  '${tag}': () => import('../${module}.js'),`,
      ),
      '};',
    ]),
  ]);
  write(
    'classes.ts',
    Object.entries(figures()).map(([tag, module]) => `export { ${classOf(tag)} } from '../${module}.js';`),
  );
  write('heights.css', [
    '/* Heights of the figures in a wide window and in a narrow one, from the files that `npm run reserve` writes. */',
    ...Object.keys(figures()).flatMap((tag) =>
      Object.entries(readHeights(tag)).map(([language, heights]) => {
        const values = Object.entries(heights).map(([name, height]) => `--${name}: ${height}rem;`);
        return `${tag}${language === 'en' ? '' : `:lang(${language})`} { ${values.join(' ')} }`;
      }),
    ),
  ]);
  // One file per language, so that a browser fetches only one.
  for (const file of readdirSync(join(ELEMENTS, 'shared/strings'))) {
    const texts = ['shared', ...Object.keys(figures())]
      .map((folder) => join(ELEMENTS, folder, 'strings', file))
      .filter((path) => existsSync(path))
      .map((path) => JSON.parse(readFileSync(path, 'utf8')));
    write(`strings/${file}`, [JSON.stringify(Object.assign({}, ...texts), null, 2)]);
  }
}

/** @param {string} name @param {readonly string[]} lines */
function write(name, lines) {
  const file = join(ELEMENTS, 'generated', name);
  const text = `${lines.join('\n')}\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(dirname(file), { recursive: true });
  // Other programs see the old file or the new one.
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

if (process.argv[1] === import.meta.filename) writeGenerated();
