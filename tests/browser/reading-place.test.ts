/** Some places; `tests/browser/long/reading-place.test.ts` tries many, in all languages and at several widths. */
import { describe, expect, test } from '@jest/globals';
import { useBrowser } from './browser.js';
import { drawn, goTo, put, topOf } from './place.js';

const { open, origin } = useBrowser();

describe('in another language', () => {
  test.each([
    ['a figure whose head is above the window', 'fig-masks', -250, 1280],
    ['a formula', 'eq-rotary', 500, 390],
  ])('%s (#%s) stands where it stood, %i px below the window’s edge, at %i px', async (_, id, top, width) => {
    const page = await open({ viewport: { width, height: 800 }, figures: [] });
    await put(page, id, top);
    const before = await topOf(page, id);
    const moved = async (): Promise<number> => Math.abs((await topOf(page, id)) - before);
    for (const language of ['tr', 'ko', 'en']) {
      await goTo(page, language);
      expect(await moved()).toBeLessThanOrEqual(1);
      await drawn(page);
      expect(await moved()).toBeLessThanOrEqual(1);
    }
    expect(new URL(page.url()).hash).toBe(`#${id}`);
  });

  test('as much of a stretch of text has been read', async () => {
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

  test('a figure is as it was, and the answer that it stands in is open', async () => {
    const page = await open({ figures: ['encoding-rotation'] });
    await page.locator('encoding-rotation').getByLabel('Offset δ').fill('-7');
    await page.locator('details').first().locator('summary').click();
    await put(page, 'fig-collapse', 100);
    await goTo(page, 'pt');
    expect(Math.abs((await topOf(page, 'fig-collapse')) - 100)).toBeLessThanOrEqual(1);
    expect(new URL(page.url()).searchParams.get('fig-rotation')).toBe('offset=-7');
    await put(page, 'fig-rotation', 100);
    expect(await page.locator('encoding-rotation #offset').inputValue()).toBe('-7');
  });

  test('a reader who has scrolled since arriving is somewhere else', async () => {
    const page = await open({ figures: [] });
    await put(page, 'fig-rotation', 100);
    await goTo(page, 'tr');
    await put(page, 'fig-heads', 100);
    await goTo(page, 'en');
    expect(Math.abs((await topOf(page, 'fig-heads')) - 100)).toBeLessThanOrEqual(1);
  });

  test.each(['1e9px', '-px', '50%', '<b>', '99999999px'])(
    'an address with a place of %s does no harm',
    async (at) => {
      const page = await open({ path: `/en/?place=${encodeURIComponent(at)}#nowhere`, figures: [] });
      await page.waitForURL(`${origin()}/en/#nowhere`);
      expect(await page.evaluate(() => scrollY)).toBe(0);
    },
  );
});

describe('in a window of another width', () => {
  test.each([
    ['a figure', 'fig-tokens', 250],
    ['a formula', 'eq-rotary', 400],
  ])('%s (#%s) stands where it stood, %i px below the window’s edge', async (_, id, top) => {
    const page = await open({ figures: [], viewport: { width: 1280, height: 800 } });
    await put(page, id, top);
    const before = await topOf(page, id);
    for (const width of [390, 800, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await drawn(page);
      expect(Math.abs((await topOf(page, id)) - before)).toBeLessThanOrEqual(1);
    }
  });

  test('a figure is still in sight where it is much lower', async () => {
    const page = await open({ figures: [], viewport: { width: 390, height: 800 } });
    await put(page, 'fig-rotation', -700);
    await page.setViewportSize({ width: 1280, height: 800 });
    await drawn(page);
    const bottom = await page
      .locator('#fig-rotation')
      .evaluate((element) => element.getBoundingClientRect().bottom);
    expect(bottom).toBeGreaterThanOrEqual(319);
  });
});

test('what a reader opens after arriving opens downwards, under the pointer', async () => {
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
