import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { DOCKED, openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open, leave } = useBrowser();

/** What the docked controls of a figure change, if it is not all. */
const RESULTS = {
  'attention-dropout': undefined,
  'attention-formula': '.formulas, .matrices',
  'attention-heads': '.sequence',
  'attention-lookup': '.scene',
  'attention-masks': undefined,
  'attention-tokens': '.board',
  'complexity-race': '.plot svg, .counts tr',
  'depth-collapse': undefined,
  'path-lengths': undefined,
  'position-training': undefined,
  'relative-biases': '.pictures, .readout[role=status]',
  'relative-tables': undefined,
  'rotary-pairs': undefined,
} as const;
type Tag = keyof typeof RESULTS;
/** Those of which a browser with all its bars has room for everything. */
const LOW: readonly Tag[] = ['depth-collapse', 'position-training', 'relative-biases', 'rotary-pairs'];
/** The bar at the page's top leaves so much less of a phone. */
const BAR = 45;

/**
 * Parts of the result that are behind the docked controls or below the window, when the picture's start is below the
 * bar.
 */
async function hiddenOf(figure: Locator, tag: Tag): Promise<string[]> {
  return figure.evaluate(
    async (host, { parts, docked, bar }) => {
      host.style.marginBlock = '100vh';
      const stage = host.shadowRoot!.querySelector('.stage')!;
      const picture = stage.querySelector(':scope > :not(.above)')!;
      scrollBy({ top: picture.getBoundingClientRect().top - bar, behavior: 'instant' });
      await new Promise(requestAnimationFrame);
      const dock = stage.querySelector(docked)!.getBoundingClientRect();
      if (dock.bottom > innerHeight + 1) return [docked];
      return [...stage.querySelectorAll(parts)]
        .filter((part) => {
          const { top, bottom } = part.getBoundingClientRect();
          return bottom > innerHeight + 1 || (top < dock.bottom - 1 && bottom > dock.top + 1);
        })
        .map((part) => part.classList.value || part.localName);
    },
    { parts: RESULTS[tag] ?? ':scope > :not(.controls)', docked: DOCKED, bar: BAR },
  );
}

test.each([
  ...(Object.keys(RESULTS) as Tag[]).map((tag) => [tag, 844] as const),
  ...LOW.map((tag) => [tag, 664] as const),
])('all that the controls of %s change is in sight beside them, at 390 × %i', async (tag, height) => {
  for (const language of LANGUAGES) {
    const { page, figure } = await openAlone(open, tag, { viewport: { width: 390, height }, language });
    expect({ language, hidden: await hiddenOf(figure, tag) }).toEqual({ language, hidden: [] });
    await leave(page);
  }
});

test.each([
  ...['attention-dropout', 'attention-masks', 'complexity-race', 'depth-collapse'],
  ...['relative-biases', 'relative-tables', 'rotary-pairs'],
])('nothing but the sliders of %s stays at the end of a phone', async (tag) => {
  const { figure } = await openAlone(open, tag, { viewport: { width: 390, height: 664 } });
  await figure.getByRole('slider').first().waitFor();
  const moving = figure.locator('.stage :is(input, button)').and(figure.locator('.controls *'));
  const docked = await moving.evaluateAll((all) =>
    all.map((control) => {
      const slides = (control as HTMLInputElement).type === 'range';
      return slides === (getComputedStyle(control.closest('.sliders') ?? control).position === 'sticky');
    }),
  );
  expect(docked).toContain(true);
  expect(docked).not.toContain(false);
});

test('what slides beneath docked controls ends at a rule and does not fade', async () => {
  const { figure } = await openAlone(open, 'path-lengths', { viewport: { width: 390, height: 844 } });
  const edge = await figure.locator(DOCKED).evaluate((dock) => {
    const { borderTopWidth, borderTopStyle } = getComputedStyle(dock);
    return { borderTopWidth, borderTopStyle, before: getComputedStyle(dock, '::before').content };
  });
  expect(edge).toEqual({ borderTopWidth: '1px', borderTopStyle: 'solid', before: 'none' });
});
