/** Readers keep their place in every language, at every width, and on a slow machine. */
import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { useBrowser } from '../../browser.js';
import { drawn, expectToStay, goTo, put, topOf } from '../../place.js';

const { open, origin } = useBrowser();

/** The tops of the visible paragraphs, headings and figures, by their index on the page. */
const marks = (page: Page): Promise<Record<string, number>> =>
  page.evaluate(() => {
    const tops = [...document.querySelectorAll('main p, main [id]')]
      .map((element, number) => [number, element, element.getBoundingClientRect().top] as const)
      .filter(([, element, top]) => top >= 0 && top < innerHeight && element.checkVisibility());
    return Object.fromEntries(tops.map(([number, , top]) => [number, top]));
  });

/**
 * The elements that have moved by more than three pixels, with both tops. Scroll positions are whole pixels, and figures
 * differ slightly from the heights reserved for them; a line of text is seven times as high.
 */
function moved(before: Record<string, number>, after: Record<string, number>): unknown[] {
  return Object.entries(before)
    .map(([number, top]) => [number, top, after[number] ?? NaN] as const)
    .filter(([, top, now]) => !(Math.abs(now - top) <= 3));
}

test.each([
  [390, 1, 4],
  [1280, 1, 4],
  [390, 4, 2],
])('at %i px, slowed down %i times, a reader returns to each of %i places', async (width, rate, places) => {
  const page = await open({ viewport: { width, height: 800 }, figures: [] });
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
  const widths = [width === 390 ? 1280 : 390, 800, width];
  for (let place = 0; place < places; ++place) {
    const share = (place + 0.5) / places;
    await page.evaluate(
      (part) => scrollTo({ top: part * document.documentElement.scrollHeight, behavior: 'instant' }),
      share,
    );
    await drawn(page);
    const before = await marks(page);
    const languages = [0, 1].map((next) => LANGUAGES[1 + ((place + next) % (LANGUAGES.length - 1))]!).concat('en');
    for (const language of languages) {
      await goTo(page, language);
      await drawn(page);
    }
    expect({ share, moved: moved(before, await marks(page)) }).toEqual({ share, moved: [] });
    const back = await marks(page);
    for (const other of widths) {
      await page.setViewportSize({ width: other, height: 800 });
      await drawn(page);
    }
    expect({ share, moved: moved(back, await marks(page)) }).toEqual({ share, moved: [] });
  }
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
});

describe('in another language', () => {
  test('a figure whose top is above the window stays in place', async () => {
    const page = await open({ viewport: { width: 1280, height: 800 }, figures: [] });
    await expectToStay(page, 'fig-masks', -250, ['tr', 'ko', 'en']);
  });

  test('the same share of a section is above the window', async () => {
    const page = await open({ viewport: { width: 390, height: 300 }, figures: [] });
    const share = async (): Promise<number> => {
      const [from, to] = [await topOf(page, 'summary'), await topOf(page, 'exercises')];
      return (0.4 * 300 - from) / (to - from);
    };
    await put(page, 'summary', -200);
    const before = await share();
    await goTo(page, 'id');
    expect(Math.abs((await share()) - before)).toBeLessThan(0.01);
  });

  test('a figure keeps its state', async () => {
    const page = await open({ figures: ['encoding-rotation'] });
    await page.locator('encoding-rotation').getByLabel('Offset δ').fill('-7');
    await put(page, 'fig-masks', 100);
    const before = await topOf(page, 'fig-masks');
    await goTo(page, 'pt');
    await drawn(page);
    expect(Math.abs((await topOf(page, 'fig-masks')) - before)).toBeLessThanOrEqual(1);
    expect(new URL(page.url()).searchParams.get('fig-rotation')).toBe('offset=-7');
    await put(page, 'fig-rotation', 100);
    expect(await page.locator('encoding-rotation #offset').inputValue()).toBe('-7');
  });

  test('a reader who has scrolled after arriving keeps the new place', async () => {
    const page = await open({ figures: [] });
    await put(page, 'fig-rotation', 100);
    await goTo(page, 'tr');
    await put(page, 'fig-masks', 100);
    const before = await topOf(page, 'fig-masks');
    await goTo(page, 'en');
    expect(Math.abs((await topOf(page, 'fig-masks')) - before)).toBeLessThanOrEqual(1);
  });

  test.each(['1e9px', '-px', '50%', '<b>', '99999999px'])('a URL with the place %s does no harm', async (at) => {
    const page = await open({ path: `/en/?place=${encodeURIComponent(at)}#nowhere`, figures: [] });
    await page.waitForURL(`${origin()}/en/#nowhere`);
    expect(await page.evaluate(() => scrollY)).toBe(0);
  });
});

/** Makes the browser one without scroll anchoring, such as Safari. */
const NO_ANCHORS = `document.addEventListener('DOMContentLoaded', () => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('* { overflow-anchor: none !important }');
  document.adoptedStyleSheets.push(sheet);
});
const supports = CSS.supports.bind(CSS);
CSS.supports = (name, ...value) => name !== 'overflow-anchor' && supports(name, ...value);`;

test('a reader who scrolls up sees nothing jump while figures above are drawn, at a width for which no heights are reserved', async () => {
  const page = await open({
    path: '/en/#relative-position',
    figures: [],
    script: NO_ANCHORS,
    viewport: { width: 560, height: 800 },
  });
  await drawn(page);
  await page.keyboard.press('Shift');
  const jumps: unknown[] = [];
  for (let step = 0; step < 40; ++step) {
    const mark = await page.evaluate(() => {
      const parts = [...document.querySelectorAll('main > *')];
      const index = parts.findIndex((part) => part.getBoundingClientRect().top >= 0);
      const { top } = parts[index]!.getBoundingClientRect();
      scrollBy({ top: -300, behavior: 'instant' });
      return { index, top: top + 300 };
    });
    await drawn(page);
    const top = await page
      .locator('main > *')
      .nth(mark.index)
      .evaluate((part) => part.getBoundingClientRect().top);
    if (Math.abs(top - mark.top) > 5) jumps.push({ ...mark, now: top });
  }
  expect(jumps).toEqual([]);
});

describe('a link to a heading', () => {
  const arrive = async (id: string): Promise<{ page: Page; top: number }> => {
    const page = await open({
      path: `/en/#${id}`,
      figures: [],
      script: NO_ANCHORS,
      viewport: { width: 1280, height: 300 },
    });
    await drawn(page);
    return { page, top: await topOf(page, id) };
  };
  /** Makes the first figure higher, as when it is drawn with other fonts. */
  const grow = (page: Page): Promise<void> =>
    page.locator('#fig-lookup').evaluate((figure) => void (figure.style.paddingBottom = '700px'));

  test.each(['relative-position', 'references'])(
    'leads to #%s, which stays there while figures above grow',
    async (id) => {
      const { page, top } = await arrive(id);
      const padding = await page.evaluate(() =>
        parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop),
      );
      expect(Math.abs(top - padding)).toBeLessThanOrEqual(1);
      await grow(page);
      expect(Math.abs((await topOf(page, id)) - top)).toBeLessThanOrEqual(1);
    },
  );

  test('the browser’s own scrolling does not end that, only the reader’s', async () => {
    const { page, top } = await arrive('relative-position');
    await page.locator('#fig-lookup').evaluate((figure) => {
      figure.style.paddingBottom = '500px';
      scrollBy({ top: 100, behavior: 'instant' });
    });
    await page.waitForTimeout(300);
    expect(Math.abs((await topOf(page, 'relative-position')) - top)).toBeLessThanOrEqual(1);
    await page.evaluate(() => scrollBy({ top: 100, behavior: 'instant' }));
    await page.waitForTimeout(300);
    expect(Math.abs((await topOf(page, 'relative-position')) - (top - 100))).toBeLessThanOrEqual(1);
  });

  test('has no effect for a reader who comes back from elsewhere in the text', async () => {
    const { page } = await arrive('relative-position');
    await put(page, 'fig-masks', 100);
    await page.waitForTimeout(300);
    await page.reload();
    await drawn(page);
    expect(Math.abs((await topOf(page, 'fig-masks')) - 100)).toBeLessThanOrEqual(3);
  });
});

test('an answer that a reader opens after arriving opens downwards, under the pointer', async () => {
  const page = await open({ figures: [] });
  const answers = page.locator('main details summary');
  await put(page, 'exercises', 100);
  await goTo(page, 'tr');
  await drawn(page);
  const before = await answers.first().boundingBox();
  await answers.first().click();
  await drawn(page);
  expect(await answers.first().boundingBox()).toEqual(before);
});
