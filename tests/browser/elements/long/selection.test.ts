import { expect, test } from '@jest/globals';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();

test('dragging from a drawing selects none of its numbers and none of the text below', async () => {
  const page = await open({ viewport: { width: 1280, height: 900 } });
  const selected: Record<string, string> = {};
  for (const figure of await page.locator('figure > [drawn]').all()) {
    if (!(await figure.isVisible())) continue;
    await figure.evaluate((element) => element.scrollIntoView({ behavior: 'instant', block: 'center' }));
    for (const drawing of await figure.locator('svg, canvas').all()) {
      const box = await drawing.boundingBox();
      if (box === null || Math.min(box.width, box.height) < 60) continue;
      await page.mouse.move(box.x + 0.55 * box.width, box.y + 0.45 * box.height);
      await page.mouse.down();
      await page.mouse.move(box.x + 0.8 * box.width, box.y + 0.7 * box.height);
      await page.mouse.move(box.x + box.width, box.y + box.height + 20);
      await page.mouse.up();
      const [tag, text] = await figure.evaluate((element) => [element.localName, String(getSelection())] as const);
      if (text !== '') selected[tag] = text;
      // WebKit would select the text around the drawing.
      const begins = await drawing.evaluate((element) =>
        element.dispatchEvent(new Event('selectstart', { bubbles: true, cancelable: true })),
      );
      if (begins) selected[tag] = 'a drag begins a selection';
    }
  }
  expect(selected).toEqual({});
});
