import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { useBrowser } from '../../browser.js';

const { open, leave } = useBrowser();

/** What of the figure that is shown alone is beyond the window: parts of its picture, or its controls. */
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

/**
 * The figure that is shown alone, if it or its caption is wider than the window, or the window lacks all but a strip of
 * its picture.
 */
function captionBeyond(page: Page): Promise<string[]> {
  return page.locator('figure.taught').evaluate((figure) => {
    const caption = figure.querySelector('figcaption')!.getBoundingClientRect();
    const stage = figure.querySelector(':scope > [drawn]')!.shadowRoot!.querySelector('.stage')!;
    const picture = stage.getBoundingClientRect();
    const apart = caption.bottom <= picture.top || caption.right <= picture.left;
    const inside = [figure, figure.querySelector('figcaption')!].every((each) => {
      const { left, right } = each.getBoundingClientRect();
      return left >= 0 && right <= innerWidth;
    });
    const shown = caption.bottom <= innerHeight && picture.top < innerHeight * 0.7;
    return apart && inside && shown ? [] : [figure.id];
  });
}

/** What is beyond the window, of all figures in turn. */
async function allBeyond(page: Page, beyond: (page: Page) => Promise<string[]>): Promise<string[]> {
  const found: string[] = [];
  const next = page.locator('.teaching-bar button').nth(1);
  for (;;) {
    await page.locator('figure.taught > [drawn]').waitFor();
    // One frame for the observers of sizes, and one for what they draw.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    found.push(...(await beyond(page)));
    if (await next.isDisabled()) return found;
    await next.click();
  }
}

test.each([
  [1280, 800],
  [1366, 768],
])('figure by figure, a window of %i × %i px shows each picture and its controls at once', async (width, height) => {
  const found: string[][] = [];
  for (const language of LANGUAGES) {
    const path = `/${language}/?teach#fig-lookup`;
    const page = await open({ path, viewport: { width, height }, figures: [] });
    found.push(await allBeyond(page, beyond));
    await leave(page);
  }
  expect(found.flat()).toEqual([]);
});

test.each([
  [390, 844],
  [1280, 800],
])('figure by figure, a window of %i × %i px shows the caption with the picture', async (width, height) => {
  for (const language of ['en', 'pt']) {
    const page = await open({
      path: `/${language}/?teach#fig-lookup`,
      viewport: { width, height },
      figures: [],
    });
    expect({ language, found: await allBeyond(page, captionBeyond) }).toEqual({ language, found: [] });
    await leave(page);
  }
});

/**
 * The figure that is shown alone, if it could be larger: it neither spans the window, with a caption beside it, nor
 * comes near to its end.
 */
function small(page: Page): Promise<string[]> {
  return page.locator('figure.taught').evaluate((figure) => {
    const { left, right, bottom } = figure.querySelector(':scope > [drawn]')!.getBoundingClientRect();
    const caption = figure.querySelector('figcaption')!.getBoundingClientRect();
    const spanned = right - Math.min(left, caption.left);
    return spanned > 0.95 * innerWidth || bottom > 0.75 * innerHeight ? [] : [figure.id];
  });
}

test('figure by figure, a picture is as large as the window lets it be, also after an answer', async () => {
  const viewport = { width: 1280, height: 800 };
  const page = await open({ path: '/en/?teach#fig-lookup', viewport, figures: [] });
  expect(await allBeyond(page, small)).toEqual([]);
  await leave(page);

  const again = await open({ path: '/en/?teach#fig-lookup', viewport, figures: [] });
  await again.locator('figure.taught > [drawn]').waitFor();
  const answer = again.locator('figure.taught .answers button').first();
  const before = (await answer.boundingBox())!;
  await answer.click();
  await again.locator('figure.taught .check .wrong').waitFor();
  expect(await answer.boundingBox()).toEqual(before);
  const tools = (await again.locator('figure.taught .tools').boundingBox())!;
  expect(tools.y + tools.height).toBeLessThanOrEqual(800);
});

test('figure by figure, a picture beside a long answer stays in sight', async () => {
  const page = await open({ path: '/en/?teach#fig-training', viewport: { width: 1280, height: 800 }, figures: [] });
  const figure = page.locator('figure.taught');
  await figure.locator('> [drawn]').waitFor();
  const before = (await figure.locator('> [drawn]').boundingBox())!;
  await figure.locator('.check button[data-right]').click();
  await page.waitForFunction(() => document.querySelector('figure.taught')!.scrollTop > 0);
  expect((await figure.locator('> [drawn]').boundingBox())!.y).toBeCloseTo(before.y, 0);
});

test.each([
  [390, 844],
  [620, 900],
  [1280, 800],
])('figure by figure, the buttons of a window of %i × %i px keep their places', async (width, height) => {
  const page = await open({ path: '/en/?teach#fig-lookup', viewport: { width, height }, figures: [] });
  const places = await allBeyond(page, (page) =>
    page
      .locator('.teaching-bar button')
      .evaluateAll((buttons) => [
        buttons.map((each) => Object.values(each.getBoundingClientRect().toJSON() as DOMRect).join()).join(' '),
      ]),
  );
  expect(new Set(places).size).toBe(1);
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
