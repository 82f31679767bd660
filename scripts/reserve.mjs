// Measures the heights of the figures on the built page, in every language, in a wide and a narrow window, and writes
// them to the figures' folders: the page reserves this height until a figure is drawn. Run it after changing a figure's
// height; tests/browser/page/long/reserved.test.ts fails if it is out of date.
//   usage: reserve.mjs      by `npm run reserve`, which builds the page and chooses the fonts
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawFigures, languagesOf, launch, openBuilt, pathsOf } from './built-page.mjs';
import { figures, heightsFile, writeGenerated } from './figures.mjs';

const PAGE = join(import.meta.dirname, '../build/page');
const WIDTHS = /** @type {const} */ ({ wide: 1280, narrow: 390 });
/** Heights are rounded to multiples of this, in CSS pixels. A language has its own height only if it differs. */
const STEP = 4;

/** By tag, language and window. @type {Record<string, Record<string, Record<string, number>>>} */
const all = Object.fromEntries(Object.keys(figures()).map((tag) => [tag, { en: {} }]));
const browser = await launch();
try {
  for (const language of languagesOf(PAGE).sort((a, b) => Number(b === 'en') - Number(a === 'en'))) {
    for (const [name, width] of Object.entries(WIDTHS)) {
      for (const [tag, height] of Object.entries(await heightsOf(language, width))) {
        const rem = height / 16;
        const figure = all[tag];
        if (figure === undefined || (language !== 'en' && figure.en?.[name] === rem)) continue;
        figure[language] = { ...figure[language], [name]: rem };
      }
    }
  }
} finally {
  await browser.close();
}
for (const [tag, heights] of Object.entries(all))
  writeFileSync(heightsFile(tag), `${JSON.stringify(heights, null, 2)}\n`);
writeGenerated();

/**
 * @param {string} language
 * @param {number} width
 * @returns {Promise<Record<string, number>>}  By the figures' tags.
 */
async function heightsOf(language, width) {
  /** @type {[tag: string, height: number][]} */
  const heights = [];
  for (const path of pathsOf(language)) {
    const page = await openBuilt(browser, PAGE, path, {
      viewport: { width, height: 900 },
      // On a phone, hints do not mention keys.
      hasTouch: width === WIDTHS.narrow,
    });
    await drawFigures(page);
    // Figures that depend on their own width draw twice.
    await page.waitForTimeout(500);
    const measured = await page
      .locator('figure[id] > :not(figcaption, .still)')
      .evaluateAll((figures) => figures.map((figure) => [figure.localName, figure.getBoundingClientRect().height]));
    heights.push(.../** @type {typeof heights} */ (measured));
    await page.context().close();
  }
  return Object.fromEntries(heights.map(([tag, height]) => [tag, Math.round(height / STEP) * STEP]));
}
