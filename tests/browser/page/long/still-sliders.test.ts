import { expect, test } from '@jest/globals';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open, leave } = useBrowser();

test.each([
  ['binary-positions', 'rows'],
  ['encoding-rotation', 'width'],
  ['path-lengths', 'layers'],
] as const)('the sliders of %s stay where they are while “%s” moves', async (tag, name) => {
  for (const [width, height, language] of LANGUAGES.flatMap(
    (language) =>
      [
        [1280, 800, language],
        [390, 844, language],
      ] as const,
  )) {
    const { page, figure } = await openAlone(open, tag, { viewport: { width, height }, language });
    const slider = figure.locator(`#${name}`);
    await figure.evaluate((element) => element.scrollIntoView({ block: 'start', behavior: 'instant' }));
    await figure.evaluate((element) => (element.style.maxWidth = '960px'));
    const tops: number[] = [];
    await slider.focus();
    for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'End']) {
      await page.keyboard.press(key);
      await page.waitForTimeout(50);
      tops.push((await slider.boundingBox())?.y ?? NaN);
    }
    expect({ width, language, moved: Math.max(...tops) - Math.min(...tops) > 1 }).toEqual({
      width,
      language,
      moved: false,
    });
    await leave(page);
  }
});

test.each([
  'attention-dropout',
  'attention-lookup',
  'attention-masks',
  'attention-shapes',
  'complexity-race',
  'depth-collapse',
  'path-lengths',
  'permutation-demo',
  'relative-tables',
  'rotary-pairs',
  'length-extrapolation',
])('%s keeps its height while what it says becomes longer and shorter', async (tag) => {
  for (const [language, width] of [
    ['en', 390],
    ['id', 390],
    ['ko', 390],
    ['en', 1280],
  ] as const) {
    const { page, figure } = await openAlone(open, tag, { viewport: { width, height: 844 }, language });
    const height = async (): Promise<number> => (await figure.boundingBox())?.height ?? NaN;
    const heights = [await height()];
    for (const slider of await figure.locator('.slider input').all())
      for (const key of ['Home', 'End']) {
        await slider.press(key);
        heights.push(await height());
      }
    for (const toggle of tag === 'permutation-demo' ? await figure.locator('.switches *').all() : []) {
      await toggle.click({ force: true });
      heights.push(await height());
    }
    expect({ language, width, grew: Math.max(...heights) - Math.min(...heights) > 1 }).toEqual({
      language,
      width,
      grew: false,
    });
    await leave(page);
  }
});
