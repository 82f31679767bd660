import { expect, test } from '@jest/globals';
import { openAlone } from './alone.js';
import { useBrowser } from './browser.js';

const { open } = useBrowser();
const viewport = { width: 390, height: 844 };

test.each([
  'attention-dropout',
  'attention-heads',
  'attention-lookup',
  'attention-masks',
  'attention-tokens',
  'path-lengths',
  'position-training',
  'relative-biases',
  'rotary-pairs',
])('a phone shows the picture of %s and its controls at once', async (tag) => {
  const { figure } = await openAlone(open, tag, { viewport });
  const controls = figure.locator('.controls');
  for (const block of ['start', 'center'] as const) {
    await figure
      .locator('.stage > :first-child')
      .evaluate((picture, block) => picture.scrollIntoView({ block, behavior: 'instant' }), block);
    const { y = NaN, height = NaN } = (await controls.boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(viewport.height);
    // More than half of the window is left for the picture.
    expect(height).toBeLessThan(viewport.height / 2);
    // Nothing lies over them: the middle of the last control is theirs.
    const reached = await controls.evaluate((element) => {
      const all = [...element.querySelectorAll('input, button')];
      const box = all.at(-1)!.getBoundingClientRect();
      const hit = (element.getRootNode() as ShadowRoot).elementFromPoint(
        box.left + box.width / 2,
        box.top + box.height / 2,
      );
      return element.contains(hit);
    });
    expect(reached).toBe(true);
  }
});

test('a window with little height keeps its controls below the picture', async () => {
  const { figure } = await openAlone(open, 'attention-masks', { viewport: { width: 390, height: 500 } });
  expect(await figure.locator('.controls').evaluate((element) => getComputedStyle(element).position)).toBe(
    'static',
  );
});
