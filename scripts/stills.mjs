// Adds a picture of every figure to a built page, for browsers without scripts and for printing, and one of the story for
// those who link to the page. The page's own exporter draws each figure in a headless Chromium, wide and narrow, light and dark. The pictures are cached in
// build/stills until the code or text that they depend on changes. Without Chromium the page has no pictures, and says
// that its figures need scripts.
// SITE, where the page will be, is the beginning of the addresses of the links' pictures; by default they are relative.
//   usage: stills.mjs FOLDER_OF_THE_PAGE [kept]      kept: uses the cached pictures and draws nothing
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { drawFigures, languagesOf, launch, openBuilt, pathsOf } from './built-page.mjs';

const ROOT = join(import.meta.dirname, '..');
const KEPT = join(ROOT, 'build/stills');
const VARIANTS = /** @type {const} */ ([
  { name: 'wide', width: 1280, colorScheme: 'light' },
  { name: 'wide-dark', width: 1280, colorScheme: 'dark' },
  { name: 'narrow', width: 390, colorScheme: 'light' },
  { name: 'narrow-dark', width: 390, colorScheme: 'dark' },
]);
/** A figure element with its contents. */
const FIGURE = /<figure[^>]* id="([\w-]+)"[^>]*>.*?<\/figure>/gs;
/** Milliseconds to wait after a resize; animations take at most 250. */
const REST_MS = 400;

/**
 * @typedef {{ width: number, height: number }} Size
 * @typedef {Record<string, Record<string, Size>>} Stills  The size of each variant of each figure, by its id.
 */

const [page, mode] = process.argv.slice(2);
if (!page || ![undefined, 'kept'].includes(mode)) throw new Error('usage: stills.mjs FOLDER_OF_THE_PAGE [kept]');

const languages = languagesOf(page);
if (mode === 'kept') {
  const kept = languages.filter((language) => existsSync(manifestOf(language)));
  for (const language of kept) insert(language);
  console.log(`still figures: cached pictures of ${kept.length} languages`);
} else {
  await renew();
}

/** Draws the outdated pictures and adds all of them to the page. */
async function renew() {
  const started = performance.now();
  const stale = languages.filter((language) => keptKey(language) !== keyOf(language));
  if (stale.length > 0) {
    const browser = await launch().catch((/** @type {Error} */ { message }) => {
      // The page works without pictures.
      console.log(`no still figures: ${message}`);
    });
    if (!browser) return;
    try {
      await drawAll(browser, stale);
    } finally {
      await browser.close();
    }
  }
  for (const language of languages) insert(language);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(`still figures: ${languages.length} languages, ${stale.length} redrawn, ${seconds} s`);
}

/** @param {import('playwright-core').Browser} browser @param {string[]} stale */
async function drawAll(browser, stale) {
  // In parallel: each page waits about as long as it computes.
  await Promise.all(stale.map((language) => draw(browser, language)));
}

/** @param {import('playwright-core').Browser} browser @param {string} language */
async function draw(browser, language) {
  const folder = join(KEPT, language);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  /** @type {Stills} */
  const stills = {};
  for (const path of pathsOf(language)) Object.assign(stills, await drawPage(browser, path, folder));
  writeFileSync(join(folder, 'stills.json'), JSON.stringify({ key: keyOf(language), stills }));
}

/** @param {import('playwright-core').Browser} browser @param {string} path @param {string} folder */
async function drawPage(browser, path, folder) {
  const tab = await openBuilt(browser, /** @type {string} */ (page), path, { reducedMotion: 'reduce' });
  const ids = await drawFigures(tab);
  if (ids.includes('fig-model')) await tellTwice(tab);
  /** @type {Stills} */
  const stills = Object.fromEntries(ids.map((id) => [id, {}]));
  for (const { name, width, colorScheme } of VARIANTS) {
    await tab.setViewportSize({ width, height: 900 });
    await tab.emulateMedia({ colorScheme });
    await tab.waitForTimeout(REST_MS);
    for (const id of ids) {
      const { svg, ...size } = await tab.locator(`#${id} > [drawn]`).evaluate((figure) => {
        const { picture } = /** @type {typeof import('../web/elements/package-types.d.ts').Figure.prototype} */ (
          figure
        );
        return picture.call(figure);
      });
      writeFileSync(join(folder, `${id}-${name}.svg`), svg);
      /** @type {Record<string, Size>} */ (stills[id])[name] = size;
    }
  }
  if (ids.includes('fig-model')) writeFileSync(join(folder, 'preview.png'), await preview(tab));
  await tab.context().close();
  return stills;
}

/**
 * Lets the story be told with and without order: readers of its picture cannot throw the switch.
 *
 * @param {import('playwright-core').Page} tab
 */
async function tellTwice(tab) {
  const story = tab.locator('language-model');
  await story.locator('.teller:not([inert])').waitFor({ state: 'attached' });
  await story.evaluate((figure) => /** @type {any} */ (figure).change({ positions: false }));
  await story.locator('.story:has(.changed)', { hasText: '…' }).waitFor({ state: 'attached' });
}

/**
 * A picture of the page's title and of its story with and without order, 1200 × 630, the size that links have.
 *
 * @param {import('playwright-core').Page} tab
 */
async function preview(tab) {
  await tab.setViewportSize({ width: 1200, height: 630 });
  await tab.emulateMedia({ colorScheme: 'light' });
  const story = tab.locator('language-model');
  await story.evaluate((figure) => {
    const lines = figure.shadowRoot?.querySelectorAll('.line') ?? [];
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
      body { display: flex; flex-direction: column; justify-content: space-evenly; height: 630px; margin: 0; padding: 0 72px; font-family: var(--figure-font); }
      h1 { margin: 0; font-size: 52px; }
      svg { display: none; }
      .name { margin: 0; color: #59616b; font-size: 26px; }
      .story { margin: 0; font-size: 36px; line-height: 1.35; max-height: 4.05em; overflow: hidden; overflow-wrap: anywhere; }
      .changed { color: #c2410c; }`);
    document.adoptedStyleSheets.push(sheet);
    document.body.replaceChildren(...document.querySelectorAll('h1'), ...lines);
  });
  return tab.screenshot();
}

/**
 * A hash of everything that a language's pictures depend on: the scripts, its figures and captions.
 *
 * @param {string} language
 */
function keyOf(language) {
  const hash = createHash('sha256').update(readFileSync(import.meta.filename));
  // The names contain hashes of the files' contents.
  hash.update(
    readdirSync(join(/** @type {string} */ (page), 'assets'))
      .sort()
      .join(),
  );
  for (const path of pathsOf(language)) for (const [figure] of htmlOf(path).matchAll(FIGURE)) hash.update(figure);
  return hash.digest('hex');
}

/** @param {string} language */
function keptKey(language) {
  return existsSync(manifestOf(language)) ? JSON.parse(readFileSync(manifestOf(language), 'utf8')).key : undefined;
}

/** Copies a language's pictures into the page and refers to them in its HTML files. @param {string} language */
function insert(language) {
  const { stills } = /** @type {{ stills: Stills }} */ (JSON.parse(readFileSync(manifestOf(language), 'utf8')));
  const folder = join(/** @type {string} */ (page), 'stills', language);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(KEPT, language), folder, { recursive: true, filter: (file) => !file.endsWith('.json') });
  for (const path of pathsOf(language)) {
    const root = path.slice(1).replace(/[^/]+/g, '..');
    const html = htmlOf(path).replace(FIGURE, (figure, /** @type {string} */ id) => {
      const sizes = stills[id];
      if (sizes === undefined) return figure;
      const question = /<strong[^>]*>(.*?)<\/strong>/s.exec(figure)?.[1] ?? '';
      const picture = pictureElement(`${root}stills/${language}/${id}`, sizes, plain(question));
      // After the figure's element, the only one with a hyphen in its name.
      return figure.replace(/<\/\w+-[\w-]+>\n/, (end) => end + picture);
    });
    replace(fileOf(path), html);
  }
  for (const file of readdirSync(join(/** @type {string} */ (page), language), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.html')) continue;
    // Those who show links want absolute addresses.
    const root = process.env.SITE ?? '../'.repeat(file.split(sep).length);
    const image = `<meta property="og:image" content="${root}stills/${language}/preview.png" />\n    `;
    const path = join(/** @type {string} */ (page), language, file);
    const html = readFileSync(path, 'utf8');
    // The page may have been built before.
    if (!html.includes('"og:image"')) replace(path, html.replace('<meta property="og:title"', `${image}$&`));
  }
}

/** Writes a file and renames it when it is finished: the page may be in use. @param {string} file @param {string} text */
function replace(file, text) {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** @param {string} path @param {Record<string, Size>} sizes @param {string} alt */
function pictureElement(path, sizes, alt) {
  const dark = 'screen and (prefers-color-scheme: dark)';
  const narrow = '(max-width: 40rem)';
  /** @param {string} name @param {string} media */
  const source = (name, media) =>
    `<source media="${media}" srcset="${path}-${name}.svg" width="${sizes[name]?.width}" height="${sizes[name]?.height}">`;
  return (
    `<picture class="still">${source('narrow-dark', `${dark} and ${narrow}`)}${source('wide-dark', dark)}${source('narrow', `screen and ${narrow}`)}` +
    `<img src="${path}-wide.svg" alt="${alt}" width="${sizes.wide?.width}" height="${sizes.wide?.height}" loading="lazy"></picture>\n`
  );
}

/** Text without markup, for an attribute; formulas become their characters. @param {string} html */
function plain(html) {
  return html
    .replace(/<annotation.*?<\/annotation>/gs, '')
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ')
    .replace(/"/g, '&quot;')
    .trim();
}

/** @param {string} path */
function htmlOf(path) {
  // Removes the pictures of an earlier run.
  return readFileSync(fileOf(path), 'utf8').replace(/<picture class="still">.*?<\/picture>\n/gs, '');
}

/** @param {string} path */
function fileOf(path) {
  return join(/** @type {string} */ (page), path, 'index.html');
}

/** @param {string} language */
function manifestOf(language) {
  return join(KEPT, language, 'stills.json');
}
