import { expect, test } from '@jest/globals';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { useBrowser } from '../../browser.js';
import { openWhole } from '../../whole.js';

const { open } = useBrowser();
/** The height of a line in CSS pixels, because other machines' fonts have slightly wider or narrower letters. */
const LINE = 22;

const PATHS = LANGUAGES.flatMap((language) => [`/${language}/`, `/${language}/further/`]);

test.each(PATHS.flatMap((path) => [1280, 390].map((width) => [path, width] as const)))(
  'at %s at %i px figures are as high as reserved; if not, run `npm run reserve`',
  async (path, width) => {
    const window = { viewport: { width, height: 900 }, hasTouch: width === 390 };
    const page = await openWhole(open, { path, ...window });
    const figures = page.locator('figure[id] > :not(figcaption, .still)');
    const heights = (): Promise<[string, number][]> =>
      figures.evaluateAll((all) => all.map((figure) => [figure.localName, figure.clientHeight]));
    const kept = new Map(
      await figures.evaluateAll((all) =>
        all.map((figure) => {
          // The height is reserved until the figure is drawn.
          figure.toggleAttribute('drawn', false);
          const place = parseFloat(getComputedStyle(figure).minHeight);
          figure.toggleAttribute('drawn', true);
          return [figure.localName, place] as const;
        }),
      ),
    );
    // Figures that observe their width are redrawn.
    await page.waitForTimeout(500);
    const wrong = (await heights()).filter(([tag, height]) => Math.abs(height - (kept.get(tag) ?? 0)) > LINE);
    expect(wrong.map(([tag, height]) => [tag, { kept: kept.get(tag), height }])).toEqual([]);
  },
);
