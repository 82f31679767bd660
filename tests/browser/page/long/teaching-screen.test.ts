import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { useBrowser } from '../../browser.js';

const { open, leave } = useBrowser();

/** The parts of the current figure's picture, its controls and its caption that are beyond the window. */
function beyond(page: Page): Promise<string[]> {
  return page.locator('figure.taught').evaluate((figure) =>
    [
      figure.querySelector('figcaption')!,
      ...figure.querySelector(':scope > [drawn]')!.shadowRoot!.querySelectorAll('.stage > *, .controls'),
    ]
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
  const figures = await page.locator('main figure').count();
  for (let at = 0; at < figures; ++at) {
    await page.locator('.teaching-bar .all').click();
    await page.locator('.teaching-bar dialog button').nth(at).click();
    await page.locator('.asking h1').click();
    await page.locator('figure.taught > [drawn]').waitFor();
    // One frame for resize observers, and one for what they draw.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    found.push(...(await beyond(page)));
  }
  return found;
}

test.each([
  [1280, 720, LANGUAGES],
  [1920, 1080, ['en', 'ko']],
] as const)(
  'on slides, each picture, its controls and its caption fit a window of %i × %i px',
  async (width, height, all) => {
    const found: string[][] = [];
    for (const path of all.flatMap((language) => [`/${language}/?teach`, `/${language}/further/?teach`])) {
      const page = await open({ path, viewport: { width, height }, figures: [] });
      found.push(await allBeyond(page, beyond));
      await leave(page);
    }
    expect(found.flat()).toEqual([]);
  },
);

test('on a wall texts are as much larger as the window is', async () => {
  const sizes: number[][] = [];
  for (const [width, height] of [
    [1280, 720],
    [1920, 1080],
  ] as const) {
    const page = await open({ path: '/en/further/?teach#fig-binary', viewport: { width, height }, figures: [] });
    await page.locator('.asking h1').click();
    sizes.push(
      await page
        .locator('.taught figcaption, .taught .check button, .teaching-bar h1')
        .evaluateAll((all) => all.map((each) => parseFloat(getComputedStyle(each).fontSize))),
    );
    await leave(page);
  }
  const [small = [], large = []] = sizes;
  expect(large.length).toBeGreaterThan(3);
  // The least size, 15 px, is a little more than 1.17 % of 1280.
  for (const [at, size] of large.entries()) expect(size / (small[at] ?? 0)).toBeCloseTo(1.5, 1);
});

test('a picture beside a long answer stays visible', async () => {
  const page = await open({
    path: '/en/further/?teach#fig-training',
    viewport: { width: 1280, height: 800 },
    figures: [],
  });
  const figure = page.locator('figure.taught');
  await page.locator('.asking h1').click();
  await figure.locator('> [drawn]').waitFor();
  const before = (await figure.locator('> [drawn]').boundingBox())!;
  await figure.locator('.check button[data-right]').click();
  await page.waitForFunction(() => document.querySelector('figure.taught')!.scrollTop > 0);
  expect((await figure.locator('> [drawn]').boundingBox())!.y).toBeCloseTo(before.y, 0);
});

test('a link in a caption leads to the other figure, and Back to the one before', async () => {
  const page = await open({ path: '/en/further/?teach#fig-extrapolation', figures: [] });
  await page.locator('.asking h1').click();
  await page.locator('.taught figcaption a[href="#fig-training"]').click();
  await page.locator('#fig-training.taught > [drawn]').waitFor();
  expect(await page.locator('.teaching-bar h1').innerText()).toContain('learn a task');
  await page.goBack();
  await page.locator('#fig-extrapolation.taught').waitFor();
  expect(await page.locator('.taught').count()).toBe(1);
});
