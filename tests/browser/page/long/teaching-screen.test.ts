import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { useBrowser } from '../../browser.js';

const { open, leave } = useBrowser();

/** The parts of the current figure's picture, and its controls, that are beyond the window. */
function beyond(page: Page): Promise<string[]> {
  return page.locator('figure.taught').evaluate((figure) =>
    [...figure.querySelector(':scope > [drawn]')!.shadowRoot!.querySelectorAll('.stage > *, .controls')]
      .filter((part) => part.checkVisibility())
      .filter((part) => {
        const { top, bottom } = part.getBoundingClientRect();
        return top < 0 || bottom > innerHeight;
      })
      .map((part) => `${figure.id} ${part.classList.value || part.localName}`),
  );
}

/** The parts of all figures, one after another, that are beyond the window. */
async function allBeyond(page: Page, beyond: (page: Page) => Promise<string[]>): Promise<string[]> {
  const found: string[] = [];
  const next = page.locator('.teaching-bar button').nth(1);
  for (;;) {
    await page.locator('figure.taught > [drawn]').waitFor();
    // One frame for resize observers, and one for what they draw.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    found.push(...(await beyond(page)));
    if (await next.isDisabled()) return found;
    await next.click();
  }
}

test.each([
  [1280, 720, ['en']],
  [1366, 768, LANGUAGES],
] as const)(
  'figure by figure, each picture and its controls fit a window of %i × %i px',
  async (width, height, all) => {
    const found: string[][] = [];
    for (const language of all) {
      const path = `/${language}/?teach#fig-lookup`;
      const page = await open({ path, viewport: { width, height }, figures: [] });
      found.push(await allBeyond(page, beyond));
      await leave(page);
    }
    expect(found.flat()).toEqual([]);
  },
);

test('figure by figure, a picture beside a long answer stays visible', async () => {
  const page = await open({ path: '/en/?teach#fig-training', viewport: { width: 1280, height: 800 }, figures: [] });
  const figure = page.locator('figure.taught');
  await figure.locator('> [drawn]').waitFor();
  const before = (await figure.locator('> [drawn]').boundingBox())!;
  await figure.locator('.check button[data-right]').click();
  await page.waitForFunction(() => document.querySelector('figure.taught')!.scrollTop > 0);
  expect((await figure.locator('> [drawn]').boundingBox())!.y).toBeCloseTo(before.y, 0);
});

test('a link in a caption leads to the other figure, and Back to the one before', async () => {
  const page = await open({ path: '/en/?teach#fig-extrapolation', figures: [] });
  await page.locator('.taught figcaption a[href="#fig-training"]').click();
  await page.locator('#fig-training.taught > [drawn]').waitFor();
  expect(await page.locator('.teaching-bar h1').innerText()).toContain('learn a task');
  await page.goBack();
  await page.locator('#fig-extrapolation.taught').waitFor();
  expect(await page.locator('.taught').count()).toBe(1);
});
