import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { violationsOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { choose } from '../../shown.js';

const { open, origin } = useBrowser();

const taught = (page: Page): Locator => page.locator('figure.taught');
const question = (page: Page): Promise<string> => page.locator('.teaching-bar h1').innerText();

async function begin(options: Parameters<typeof open>[0] = {}): Promise<Page> {
  const page = await open({ figures: [], ...options });
  await page.locator('button.teach').click();
  await taught(page).locator('[drawn]').waitFor();
  return page;
}

/** Shows the figure, of which at first only the question is shown. */
async function uncover(page: Page): Promise<void> {
  await page.locator('.asking h1').click();
  await taught(page).locator('> [drawn]').waitFor();
}

const next = (page: Page): Locator => page.locator('.teaching-bar .next');
const place = (page: Page): Promise<string> => page.locator('.teaching-bar .all').innerText();

/** Goes to a figure through the overview. */
async function goTo(page: Page, id: string): Promise<void> {
  const ids = await page.locator('main figure').evaluateAll((all) => all.map((figure) => figure.id));
  await page.locator('.teaching-bar .all').click();
  await page.locator('.teaching-bar dialog button').nth(ids.indexOf(id)).click();
}

/** Whether the picture or something over it is at the middle of the picture. */
const isCovered = (page: Page): Promise<boolean> =>
  taught(page)
    .locator('> [drawn]')
    .evaluate((figure) => {
      const { x, y, width, height } = figure.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, Math.min(innerHeight - 1, y + height / 2)) !== figure;
    });

/** A figure with a question to the class. */
const BINARY = '/en/further/?teach#fig-binary';
const EXPLAINED = 'It is the values of the sines';

describe('on a slide', () => {
  test.each(['Space', 'PageDown'])('the question is alone and large; %s shows figure and answer', async (key) => {
    const page = await open({ path: BINARY, figures: [], viewport: { width: 1920, height: 1080 } });
    await taught(page).locator('[drawn]').waitFor();
    const h1 = page.locator('.teaching-bar h1');
    const first = await h1.innerText();
    expect(parseFloat(await h1.evaluate((each) => getComputedStyle(each).fontSize))).toBeGreaterThanOrEqual(36);
    expect(await page.locator('.asking > p').innerText()).toMatch(/^For teachers:/);
    expect(await isCovered(page)).toBe(true);
    // Nothing of the covered figure can be reached.
    for (let i = 0; i < 8; ++i) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.closest('figure') ?? null)).toBeNull();
    }
    await next(page).focus();
    await page.keyboard.press(key);
    expect(await isCovered(page)).toBe(false);
    const status = taught(page).locator('.check').getByRole('status');
    expect(await status.innerText()).toBe('');
    await page.keyboard.press(key);
    expect(await status.innerText()).toContain(EXPLAINED);
    // The answer has the focus now.
    await page.keyboard.press(key);
    await taught(page).locator('[drawn]').waitFor();
    expect(await h1.innerText()).not.toBe(first);
    expect(await isCovered(page)).toBe(true);
  });

  test('the class may answer first, and each visit starts with the question, without an answer', async () => {
    const page = await open({ path: BINARY, figures: [] });
    await uncover(page);
    const check = taught(page).locator('.check');
    await check.locator('button:not([data-right])').first().click();
    await page.keyboard.press('PageDown');
    expect(await check.getByRole('status').innerText()).toContain(EXPLAINED);
    const first = await place(page);
    await page.keyboard.press('PageDown');
    expect(await place(page)).not.toBe(first);
    await page.keyboard.press('PageUp');
    expect(await isCovered(page)).toBe(true);
    await uncover(page);
    expect(await check.getByRole('status').innerText()).toBe('');
    expect(await check.getByRole('button', { pressed: true }).count()).toBe(0);
    await check.locator('button[data-right]').click();
    await page.keyboard.press('PageDown');
    expect(await place(page)).not.toBe(first);
  });

  test('of a figure with goals, the answers are those that are left, until the figure is left', async () => {
    const page = await open({ path: '/en/?teach#fig-lookup', figures: [] });
    await uncover(page);
    const goals = taught(page).locator('.goals');
    const answers = goals.locator('.state');
    expect(await goals.locator('li').count()).toBe(4);
    expect(await answers.count()).toBe(0);
    const first = await place(page);
    await page.keyboard.press('PageDown');
    expect(await answers.count()).toBe(4);
    expect(await answers.nth(2).innerText()).toBe(
      'All scores are almost the same, as with a query near zero or a large T.',
    );
    expect(await goals.locator('.reached').count()).toBe(0);
    expect(await place(page)).toBe(first);
    await page.keyboard.press('PageDown');
    expect(await place(page)).not.toBe(first);
    await page.keyboard.press('PageUp');
    await uncover(page);
    expect(await answers.count()).toBe(0);
  });

  test.each([
    ['the question', (page: Page) => page.locator('.teaching-bar h1').click()],
    ['the hint', (page: Page) => page.locator('.teaching-bar > p').click()],
    ['blank space', (page: Page) => page.mouse.click(5, 790)],
  ] as const)('a click on %s shows the figure, and one on blank space beside it nothing more', async (_, click) => {
    const page = await open({ path: BINARY, figures: [], viewport: { width: 1280, height: 800 } });
    const first = await place(page);
    await click(page);
    expect(await isCovered(page)).toBe(false);
    await page.mouse.click(5, 790);
    expect(await taught(page).locator('.check').getByRole('status').innerText()).toBe('');
    expect(await place(page)).toBe(first);
  });

  test('a tap on the question or the button does what space does', async () => {
    const page = await open({ path: BINARY, figures: [], viewport: { width: 390, height: 844 }, hasTouch: true });
    await page.locator('.teaching-bar h1').tap();
    expect(await isCovered(page)).toBe(false);
    await next(page).tap();
    expect(await taught(page).locator('.check').getByRole('status').innerText()).toContain(EXPLAINED);
    const first = await place(page);
    await next(page).tap();
    expect(await place(page)).not.toBe(first);
    await page.locator('.teaching-bar .previous').tap();
    // By mouse and touch, the space bar always goes on.
    await page.keyboard.press('Space');
    await page.locator('.teaching-bar:not(.asking)').waitFor();
    expect(await place(page)).toBe(first);
  });
});

describe('the overview', () => {
  test.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('shows all figures with pictures and questions at %i px, %s', async (width, colorScheme) => {
    const page = await begin({ viewport: { width, height: 800 }, colorScheme });
    await page.locator('.teaching-bar .all').click();
    const slides = page.locator('.teaching-bar dialog button');
    const figures = page.locator('main figure');
    expect(await slides.count()).toBe(await figures.count());
    const questions = (of: Locator): Promise<string[]> =>
      of.evaluateAll((all) => all.map((each) => each.textContent.trim()));
    expect(await questions(slides.locator('strong'))).toEqual(
      await questions(figures.locator('figcaption > p:first-child > strong:first-of-type')),
    );
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>('dialog img')!.naturalWidth > 0);
    expect(await slides.locator('img:visible').count()).toBe(await slides.count());
    expect(await violationsOf(page, '.teaching-bar')).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });

  test('fills each thumbnail from the top of its picture', async () => {
    const page = await begin({ viewport: { width: 1280, height: 800 } });
    await page.locator('.teaching-bar .all').click();
    const images = page.locator('.teaching-bar dialog img');
    for (const image of await images.all()) {
      await image.scrollIntoViewIfNeeded();
      await image.evaluate((each: HTMLImageElement) => each.decode());
    }
    const boxes = await images.evaluateAll((all) =>
      all.map((image) => {
        const [inner, outer] = [image, image.parentElement!].map((each) => each.getBoundingClientRect());
        return { top: inner!.top - outer!.top, width: inner!.width - outer!.width, height: outer!.height };
      }),
    );
    for (const box of boxes) expect(box).toEqual({ top: 0, width: 0, height: 128 });
  });

  test('Page Down and Page Up move among the figures', async () => {
    const page = await open({ path: '/en/?teach#fig-lookup', figures: [] });
    await taught(page).locator('[drawn]').waitFor();
    const focused = (): Promise<number> =>
      page
        .locator('.teaching-bar dialog button')
        .evaluateAll((all) => all.findIndex((each) => each === document.activeElement));
    await page.locator('.teaching-bar .all').click();
    const at = await focused();
    expect(at).toBe(Number.parseInt(await place(page)) - 1);
    for (const key of ['PageDown', 'PageDown', 'PageUp']) await page.keyboard.press(key);
    expect(await focused()).toBe(at + 1);
    await page.keyboard.press('Escape');
    await page.locator('.teaching-bar dialog').waitFor({ state: 'hidden' });
    expect(await taught(page).getAttribute('id')).toBe('fig-lookup');
  });

  test('leads to a figure by a click or by keys, and Escape closes only the overview', async () => {
    const page = await open({ path: '/en/?teach#fig-lookup', figures: [] });
    await taught(page).locator('[drawn]').waitFor();
    await goTo(page, 'fig-follow');
    expect(await place(page)).toMatch(/^3 /);
    await page.locator('.teaching-bar .all').click();
    for (const key of ['Tab', 'Enter']) await page.keyboard.press(key);
    expect(await place(page)).toMatch(/^4 /);
    await page.locator('.teaching-bar .all').click();
    await page.keyboard.press('Escape');
    await page.locator('.teaching-bar dialog').waitFor({ state: 'hidden' });
    expect(await taught(page).count()).toBe(1);
    await page.keyboard.press('End');
    expect(await place(page)).toMatch(/^(\d+) \/ \1$/);
    await page.keyboard.press('Home');
    expect(await place(page)).toMatch(/^1 /);
  });
});

describe('teaching', () => {
  test.each([390, 1280])('shows one figure at a time, large, with its question, at %i px', async (width) => {
    const page = await begin({ viewport: { width, height: 844 } });
    const first = await question(page);
    expect(first).toMatch(/\?$/);
    expect(await page.evaluate(() => document.fullscreenElement?.localName)).toBe('html');
    await uncover(page);
    await page.keyboard.press('PageDown');
    await taught(page).locator('[drawn]').waitFor();
    expect(await question(page)).not.toBe(first);
    expect(await taught(page).count()).toBe(1);
    await uncover(page);
    const box = await taught(page).locator('> [drawn]').boundingBox();
    expect(box!.width).toBeGreaterThan(0.6 * width);
    expect(box!.width).toBeLessThanOrEqual(width);
    await page.keyboard.press('PageUp');
    expect(await question(page)).toBe(first);
    // The buttons are arrows, and one of them has the focus.
    for (const key of ['ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    expect(await question(page)).not.toBe(first);
    await page.keyboard.press('ArrowLeft');
    expect(await question(page)).toBe(first);
  });

  test('keeps settings, and ends at the current figure', async () => {
    const page = await begin();
    await goTo(page, 'fig-rotation');
    await uncover(page);
    await taught(page).getByLabel('Offset δ').fill('-7');
    await page.locator('.teaching-bar .leave').evaluate((leave: HTMLElement) => {
      leave.click();
      // As when the window's scrollbar returns.
      document.body.style.marginInlineEnd = '15px';
    });
    await page.locator('html:not(.teaching)').waitFor({ state: 'attached' });
    await page.waitForFunction(() => document.fullscreenElement === null);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    expect(await page.locator('.taught, .teaching-bar, [inert]').count()).toBe(0);
    expect(await page.locator('#fig-rotation').getByLabel('Offset δ').inputValue()).toBe('-7');
    const top = await page.locator('#fig-rotation').evaluate((each) => each.getBoundingClientRect().top);
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(120);
    expect(await page.locator('#fig-rotation').getAttribute('style')).not.toContain('zoom');
  });

  test('goes on while the browser refuses to change the URL, which follows later', async () => {
    const page = await begin();
    const first = await question(page);
    await page.evaluate(() => {
      history.replaceState = (): void => {
        throw new DOMException('too many calls', 'SecurityError');
      };
    });
    await goTo(page, 'fig-lookup');
    expect(await question(page)).not.toBe(first);
    expect(new URL(page.url()).hash).toBe('#fig-model');
    await page.evaluate(() => Reflect.deleteProperty(history, 'replaceState'));
    await page.waitForURL(`${origin()}/en/?teach=#fig-lookup`, { timeout: 5000 });
  });

  test('arrow keys change the figure, but not in a control that uses them', async () => {
    const page = await open({ path: '/en/?teach#fig-masks', figures: [] });
    const [masks, next] = [page.locator('#fig-masks.taught'), page.locator('.taught:not(#fig-masks)')];
    await uncover(page);
    // The answers to its goals, and the next figure.
    for (let i = 0; i < 2; ++i) await page.keyboard.press('ArrowRight');
    await next.locator('[drawn]').waitFor();
    // On blank space.
    await page.mouse.click(3, 700);
    await page.keyboard.press('ArrowLeft');
    await uncover(page);
    await masks.getByRole('application').first().press('ArrowRight');
    await masks.getByRole('slider').first().press('ArrowRight');
    expect(await masks.count()).toBe(1);
    await masks.getByRole('checkbox').first().press('ArrowLeft');
    expect(await masks.count()).toBe(0);
  });

  test('leaves the keys of a text field to it', async () => {
    const page = await begin();
    await goTo(page, 'fig-follow');
    await uncover(page);
    const field = taught(page).getByLabel('Your sentence');
    await field.waitFor();
    await field.fill('np');
    for (const key of ['Space', 'Home', 'ArrowRight', 'PageDown']) await field.press(key);
    expect(await field.inputValue()).toBe('np ');
    expect(await taught(page).getAttribute('id')).toBe('fig-follow');
  });

  test('starts at the figure of a link', async () => {
    const page = await open({ path: '/en/?teach#fig-masks', figures: [] });
    await taught(page).locator('[drawn]').waitFor();
    expect(await taught(page).getAttribute('id')).toBe('fig-masks');
    await page.keyboard.press('Escape');
    await page.waitForURL(`${origin()}/en/#fig-masks`);
  });

  test('works in a browser without full screen', async () => {
    const script = 'Element.prototype.requestFullscreen = undefined;';
    const page = await begin({ script, viewport: { width: 390, height: 844 }, hasTouch: true });
    expect(await taught(page).count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.locator('html:not(.teaching)').waitFor({ state: 'attached' });
  });

  test.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('asks for a prediction before the picture at %i px, %s', async (width, colorScheme) => {
    const hasTouch = width === 390;
    const page = await open({ path: BINARY, figures: [], viewport: { width, height: 844 }, colorScheme, hasTouch });
    await uncover(page);
    const answer = taught(page).locator('.check button[data-right]');
    const [picture, asked] = [taught(page).locator('.stage'), taught(page).locator('.check')];
    const [after, before] = [(await picture.boundingBox())!, (await asked.boundingBox())!];
    expect(before.y + before.height <= after.y || before.x + before.width <= after.x).toBe(true);
    await (hasTouch ? answer.tap() : answer.click());
    expect(await asked.locator('.right').isVisible()).toBe(true);
    expect(await violationsOf(page, 'html')).toEqual([]);
  });

  test('a figure keeps its size while it is used', async () => {
    const page = await begin({ viewport: { width: 1600, height: 1000 } });
    await uncover(page);
    const width = async (): Promise<number> => (await taught(page).locator('.stage').boundingBox())?.width ?? NaN;
    const before = await width();
    await choose(taught(page), 'Values as a table');
    await taught(page).locator('.figure-values').waitFor();
    await page.waitForTimeout(200);
    expect(await width()).toBe(before);
  });

  test('keys that a slider or an open menu uses do nothing else', async () => {
    const page = await open({ path: '/en/?teach#fig-lookup', figures: [] });
    await uncover(page);
    const slider = taught(page).getByRole('slider', { name: 'Temperature T' });
    const before = await slider.inputValue();
    await page.keyboard.press('Tab');
    for (const key of ['PageDown', 'ArrowLeft']) await slider.press(key);
    expect(await slider.inputValue()).not.toBe(before);
    await taught(page)
      .getByRole('button', { name: /^Tools of/ })
      .press('Enter');
    const menu = taught(page).locator('[popover]').first();
    expect(await menu.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await menu.isVisible()).toBe(false);
    expect(await taught(page).getAttribute('id')).toBe('fig-lookup');
    await page.keyboard.press('Escape');
    await page.locator('html:not(.teaching)').waitFor({ state: 'attached' });
  });

  test('a control that was clicked keeps neither the space bar nor Page Down', async () => {
    const page = await open({ path: '/en/?teach#fig-masks', figures: [] });
    const [masks, box] = [page.locator('#fig-masks.taught'), page.locator('#fig-masks').getByRole('checkbox').first()];
    for (const key of ['Space', 'PageDown']) {
      await uncover(page);
      const before = await box.isChecked();
      await box.click();
      for (let i = 0; i < 2; ++i) await page.keyboard.press(key);
      expect(await masks.count()).toBe(0);
      expect(await box.isChecked()).toBe(!before);
      await page.keyboard.press('PageUp');
    }
    await uncover(page);
    const slider = page.locator('#fig-masks').getByRole('slider').first();
    await slider.click();
    const value = await slider.inputValue();
    for (let i = 0; i < 2; ++i) await page.keyboard.press('PageDown');
    expect(await masks.count()).toBe(0);
    expect(await slider.inputValue()).toBe(value);
    // Those who came by keys use the keys.
    await page.keyboard.press('PageUp');
    await uncover(page);
    await page.keyboard.press('Tab');
    const before = await box.isChecked();
    await box.press('Space');
    expect(await box.isChecked()).toBe(!before);
    expect(await masks.count()).toBe(1);
  });

  test('continues after a figure was in full screen by its own button', async () => {
    const page = await open({ path: '/en/?teach#fig-lookup', figures: [] });
    await uncover(page);
    await choose(taught(page), 'Full screen');
    await taught(page).getByRole('button', { name: 'Leave full screen' }).waitFor();
    await page.keyboard.press('PageDown');
    await taught(page).getByRole('button', { name: 'Leave full screen' }).click();
    await taught(page).getByRole('button', { name: 'Leave full screen' }).waitFor({ state: 'detached' });
    expect(await taught(page).getAttribute('id')).toBe('fig-lookup');
  });

  test('prints the whole page', async () => {
    const page = await begin({ viewport: { width: 1600, height: 1000 } });
    await uncover(page);
    await page.emulateMedia({ media: 'print' });
    const inText = await page.locator('#fig-follow').evaluate((figure) => getComputedStyle(figure).width);
    expect(await page.locator('.teaching-bar').isVisible()).toBe(false);
    const { position, width, zoom } = await taught(page).evaluate((figure) => ({
      position: getComputedStyle(figure).position,
      width: getComputedStyle(figure).width,
      zoom: getComputedStyle(figure.querySelector(':scope > [drawn]')!).zoom,
    }));
    expect({ position, width, zoom }).toEqual({ position: 'static', width: inText, zoom: '1' });
  });
});
