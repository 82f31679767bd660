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
])('pasting 100,000 characters of %s does not freeze the page, and the figure is drawn', async (_, piece) => {
  const { page, figure } = await openAlone(open, 'follow-word');
  const field = figure.locator('input[type=text]').first();
  await field.focus();
  const text = piece.repeat(100_000 / piece.length);
  // Inserts all text at once, like pasting.
  const start = performance.now();
  await page.keyboard.insertText(text);
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const took = performance.now() - start;
  // Much longer than a busy machine needs.
  expect(took).toBeLessThan(20_000);
  expect(await figure.locator('.sentence button').count()).toBeLessThanOrEqual(20);
  // The URL has only the part that is used.
  expect(page.url().length).toBeLessThan(10_000);
});
