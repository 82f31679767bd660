// Measures the heights of the figures on the built page, in every language and in a wide and a narrow window, and
// writes them to web/page/style/reserved.css: the page reserves this height until a figure is drawn. `npm run reserve`
// chooses the fonts. Run it after a change to a figure's height; tests/browser/page/long/reserved.test.ts fails if it is
// needed.
//   usage: reserve.mjs      after `npm run build`
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawFigures, languagesOf, launch, openBuilt } from './built-page.mjs';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'build/page');
const OUT = join(ROOT, 'web/page/style/reserved.css');
const WIDTHS = /** @type {const} */ ({ wide: 1280, narrow: 390 });
/** Heights are rounded to multiples of this, in CSS pixels. A language gets its own rule if its height differs. */
const STEP = 4;

const browser = await launch();
/** @type {Map<string, Record<string, string>>} */
const rules = new Map();
/** @type {Record<string, Record<string, number>>} */
const english = {};
try {
  for (const language of languagesOf(PAGE).sort((a, b) => Number(b === 'en') - Number(a === 'en'))) {
    for (const [name, width] of Object.entries(WIDTHS)) {
      const heights = await heightsOf(language, width);
      if (language === 'en') english[name] = heights;
      for (const [tag, height] of Object.entries(heights)) {
        if (language !== 'en' && english[name]?.[tag] === height) continue;
        const selector = language === 'en' ? tag : `${tag}:lang(${language})`;
        rules.set(selector, { ...rules.get(selector), [name]: `${height / 16}rem` });
      }
    }
  }
} finally {
  await browser.close();
}
const selectors = [...rules.keys()].sort();
const head = '/* Written by scripts/reserve.mjs: heights of the figures in a wide window and in a narrow one. */';
writeFileSync(OUT, [head, ...selectors.map(rule), ''].join('\n'));
console.log(`web/page/style/reserved.css: ${selectors.length} rules`);

/** @param {string} selector */
function rule(selector) {
  const declarations = Object.entries(rules.get(selector) ?? {}).map(([name, height]) => `--${name}: ${height};`);
  return `${selector} { ${declarations.join(' ')} }`;
}

/**
 * @param {string} language
 * @param {number} width
 * @returns {Promise<Record<string, number>>}  By the figures' tags.
 */
async function heightsOf(language, width) {
  const page = await openBuilt(browser, PAGE, `/${language}/`, {
    viewport: { width, height: 900 },
    // A phone names no keys.
    hasTouch: width === WIDTHS.narrow,
  });
  await drawFigures(page);
  // Figures that depend on their own width draw a second time.
  await page.waitForTimeout(500);
  const heights = await page
    .locator('figure[id] > :not(figcaption, .still)')
    .evaluateAll((figures) => figures.map((figure) => [figure.localName, figure.getBoundingClientRect().height]));
  await page.context().close();
  return Object.fromEntries(heights.map(([tag, height]) => [tag, Math.round(Number(height) / STEP) * STEP]));
}
