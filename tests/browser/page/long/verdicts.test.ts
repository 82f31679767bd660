import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { textsOf } from '../../../support/proseFiles.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();
const words = textsOf('en').page;

/** Waits until smooth scrolling has come to rest: half a second at one place. */
const settled = (element: Locator): Promise<void> =>
  element.evaluate(async (element) => {
    let last = NaN;
    for (let still = 0; still < 5;) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const { top } = element.getBoundingClientRect();
      still = top === last ? still + 1 : 0;
      last = top;
    }
  });

const verdictOf = (check: Locator): Locator => check.getByRole('status');

test('a phone shows the verdict, and the answer only on request', async () => {
  const page = await open({ figures: ['binary-positions'], viewport: { width: 390, height: 844 } });
  const figure = page.locator('#fig-binary');
  const status = verdictOf(figure.locator('.check'));
  const answers = figure.locator('.check .answers');
  const inWindow = async (part: Locator): Promise<boolean> => {
    const { y = NaN, height = NaN } = (await part.boundingBox()) ?? {};
    return height > 0 && y >= 0 && y + height <= 844.5;
  };
  // Scroll the answers to the bottom of the window.
  await answers.evaluate((element) => element.scrollIntoView({ block: 'end', behavior: 'instant' }));
  await answers.getByRole('button', { name: 'no, each' }).click();
  expect(await inWindow(status)).toBe(true);
  // The verdict explains what is wrong with this answer.
  expect(await status.innerText()).toContain('Look at positions that follow one another');
  await figure.getByRole('button', { name: words.checkReveal }).focus();
  await page.keyboard.press('Enter');
  expect(await status.innerText()).toContain('It is the values of the sines that tell neighbours apart.');
  expect(await status.innerText()).not.toContain(words.checkRight);
  // The link takes over the focus of the button.
  const link = figure.locator('.check').getByRole('link', { name: words.checkShown });
  expect(await link.evaluate((element) => element.matches(':focus'))).toBe(true);
  // The page scrolls to the figure as far as the question stays in sight.
  await settled(status);
  expect(await inWindow(figure.locator('.check legend'))).toBe(true);
  expect(await inWindow(status)).toBe(true);
  expect((await figure.locator('binary-positions svg').first().boundingBox())!.y).toBeLessThan(844 - 100);
});

test.each([
  ['binary-positions', 'fig-binary', 1280, 500],
  ['complexity-race', 'fig-race', 1280, 800],
  ['attention-dropout', 'fig-dropout', 390, 844],
])(
  'after an answer in %s (%s) at %i × %i, the window shows the question and as much of the figure as fits',
  async (tag, id, width, height) => {
    const page = await open({ figures: [tag], viewport: { width, height } });
    const check = page.locator(`#${id} .check`);
    await check.evaluate((element) => element.scrollIntoView({ block: 'end', behavior: 'instant' }));
    await check.locator('button[data-right]').click();
    const places = (): Promise<{ question: number; end: number; bar: number }> =>
      check.evaluate(
        (element, tag) => ({
          question: element.getBoundingClientRect().top,
          end: document.querySelector(tag)!.getBoundingClientRect().bottom,
          bar: parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop),
        }),
        tag,
      );
    await settled(check);
    const { question, end, bar } = await places();
    expect(bar).toBeGreaterThan(0);
    expect(question).toBeGreaterThanOrEqual(bar - 1);
    // Either the question is at the top of the window, or the figure ends at its bottom.
    expect(Math.min(Math.abs(question - bar), Math.abs(end - height))).toBeLessThan(1.5);
    expect(end >= height - 1).toBe(true);
  },
);
