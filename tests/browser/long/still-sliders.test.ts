import { expect, test } from '@jest/globals';
import { openAlone } from '../alone.js';
import { useBrowser } from '../browser.js';

const { open, leave } = useBrowser();

test.each([
  ['binary-positions', 'rows'],
  ['encoding-rotation', 'width'],
  ['path-lengths', 'layers'],
] as const)('the sliders of %s stay where they are while “%s” moves', async (tag, name) => {
  for (const [width, height, language] of ['en', 'id', 'ko', 'pt', 'tr'].flatMap(
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
