/** Text without end in the one field that takes any. */
import { expect, test } from '@jest/globals';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();

test.each([
  ['one word', 'a'],
  ['blanks', ' '],
  ['lone surrogates', '\ud83d'],
  ['marks on one letter', '\u0301'],
  ['lines', '東\n'],
])('100,000 characters of %s, pasted, do not stop the page and leave a picture', async (_, piece) => {
  const { page, figure } = await openAlone(open, 'attention-tokens');
  const field = figure.locator('input[type=text]').first();
  await field.focus();
  const text = piece.repeat(100_000 / piece.length);
  // The keyboard's way to insert text at once, as pasting does.
  const start = performance.now();
  await page.keyboard.insertText(text);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const took = performance.now() - start;
  // Far more than a busy machine needs.
  expect(took).toBeLessThan(20_000);
  expect(await figure.locator('.heads heat-map').count()).toBe(6);
  expect(await figure.locator('.large heat-map .column-ticks text').count()).toBeLessThanOrEqual(16);
  // The address carries what is used, not what was pasted.
  expect(page.url().length).toBeLessThan(10_000);
});
