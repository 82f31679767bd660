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

describe('figure by figure', () => {
  test.each([390, 1280])('shows one at a time, large, with its question, at %i px', async (width) => {
    const page = await begin({ viewport: { width, height: 844 } });
    const first = await question(page);
    expect(first).toMatch(/\?$/);
    expect(await page.evaluate(() => document.fullscreenElement?.localName)).toBe('html');
    await page.keyboard.press('n');
    await taught(page).locator('[drawn]').waitFor();
    expect(await question(page)).not.toBe(first);
    await page.keyboard.press('PageDown');
    await page.locator('.teaching-bar button').nth(1).click();
    await taught(page).locator('[drawn]').waitFor();
    expect(await taught(page).count()).toBe(1);
    const box = await taught(page).locator('> [drawn]').boundingBox();
    expect(box!.width).toBeGreaterThan(0.6 * width);
    expect(box!.width).toBeLessThanOrEqual(width);
    for (const key of ['PageUp', 'p', 'p']) await page.keyboard.press(key);
    expect(await question(page)).toBe(first);
    // The buttons are arrows, and one of them has the focus.
    await page.keyboard.press('ArrowRight');
    expect(await question(page)).not.toBe(first);
    await page.keyboard.press('ArrowLeft');
    expect(await question(page)).toBe(first);
  });

  test('keeps settings, and ends at the current figure', async () => {
    const page = await begin();
    while (!(await taught(page).evaluate(({ id }) => id === 'fig-rotation'))) await page.keyboard.press('n');
    await taught(page).locator('[drawn]').waitFor();
    await taught(page).getByLabel('Offset δ').fill('-7');
    await page
      .locator('.teaching-bar button')
      .last()
      .evaluate((leave: HTMLElement) => {
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
    await page.keyboard.press('n');
    expect(await question(page)).not.toBe(first);
    expect(new URL(page.url()).hash).toBe('#fig-model');
    await page.evaluate(() => Reflect.deleteProperty(history, 'replaceState'));
    await page.waitForURL(`${origin()}/en/?teach=#fig-lookup`, { timeout: 5000 });
  });

  test('arrow keys change the figure, but not in a control that uses them', async () => {
    const page = await open({ path: '/en/?teach#fig-masks', figures: [] });
    const [masks, next] = [page.locator('#fig-masks.taught'), page.locator('.taught:not(#fig-masks)')];
    await masks.locator('[drawn]').waitFor();
    await page.keyboard.press('ArrowRight');
    await next.locator('[drawn]').waitFor();
    // On blank space.
    await page.mouse.click(3, 700);
    await page.keyboard.press('ArrowLeft');
    await masks.getByRole('application').first().press('ArrowRight');
    await masks.getByRole('slider').first().press('ArrowRight');
    expect(await masks.count()).toBe(1);
    await masks.getByRole('checkbox').first().press('ArrowLeft');
    expect(await masks.count()).toBe(0);
  });

  test('leaves letter keys to text fields', async () => {
    const page = await begin();
    while (!(await taught(page).evaluate(({ id }) => id === 'fig-follow'))) await page.keyboard.press('n');
    const field = taught(page).getByLabel('Your sentence');
    await field.waitFor();
    await field.fill('');
    await field.press('n');
    await field.press('p');
    expect(await field.inputValue()).toBe('np');
    expect(await taught(page).getAttribute('id')).toBe('fig-follow');
  });

  test('opens answers for their figures, and closes them again', async () => {
    const page = await begin();
    const open = (): Promise<number> => page.locator('main details[open]').count();
    const before = await open();
    while (!(await taught(page).evaluate(({ id }) => id === 'fig-training'))) await page.keyboard.press('n');
    await taught(page).locator('[drawn]').waitFor();
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('PageDown');
    await page.keyboard.press('Escape');
    await page.locator('html:not(.teaching)').waitFor({ state: 'attached' });
    expect(await open()).toBe(before);
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
    const viewport = { width, height: 844 };
    const page = await open({ path: '/en/?teach#fig-binary', figures: [], viewport, colorScheme, hasTouch });
    await taught(page).locator('[drawn]').waitFor();
    const answer = taught(page).locator('.check button[data-right]');
    const [picture, asked] = [taught(page).locator('.stage'), taught(page).locator('.check')];
    const [below, above] = [(await picture.boundingBox())!, (await asked.boundingBox())!];
    expect(above.y + above.height).toBeLessThanOrEqual(below.y);
    await (hasTouch ? answer.tap() : answer.click());
    expect(await asked.locator('.right').isVisible()).toBe(true);
    expect(await violationsOf(page, 'html')).toEqual([]);
    const next = page.locator('.teaching-bar button').nth(1);
    await (hasTouch ? next.tap() : next.click());
    expect(await taught(page).getAttribute('id')).toBe('fig-heatmap');
  });

  test('a figure keeps its size while it is used', async () => {
    const page = await begin({ viewport: { width: 1600, height: 1000 } });
    const width = async (): Promise<number> => (await taught(page).locator('.stage').boundingBox())?.width ?? NaN;
    const before = await width();
    await choose(taught(page), 'Values as a table');
    await taught(page).locator('.figure-values').waitFor();
    await page.waitForTimeout(200);
    expect(await width()).toBe(before);
  });

  test('keys that a slider or an open menu uses do nothing else', async () => {
    const page = await open({ path: '/en/?teach#fig-lookup', figures: [] });
    await taught(page).locator('[drawn]').waitFor();
    const slider = taught(page).getByRole('slider', { name: 'Temperature T' });
    const before = await slider.inputValue();
    for (const key of ['PageDown', 'ArrowLeft']) await slider.press(key);
    expect(await slider.inputValue()).not.toBe(before);
    await taught(page).getByRole('button', { name: 'Figure tools' }).press('Enter');
    const menu = taught(page).locator('[popover]').first();
    expect(await menu.isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    expect(await menu.isVisible()).toBe(false);
    expect(await taught(page).getAttribute('id')).toBe('fig-lookup');
    await page.keyboard.press('Escape');
    await page.locator('html:not(.teaching)').waitFor({ state: 'attached' });
  });

  test('continues after a figure was in full screen by its own button', async () => {
    const page = await open({ path: '/en/?teach#fig-lookup', figures: [] });
    await taught(page).locator('[drawn]').waitFor();
    await choose(taught(page), 'Full screen');
    await taught(page).getByRole('button', { name: 'Leave full screen' }).waitFor();
    await page.keyboard.press('n');
    await taught(page).getByRole('button', { name: 'Leave full screen' }).click();
    await taught(page).getByRole('button', { name: 'Leave full screen' }).waitFor({ state: 'detached' });
    expect(await taught(page).getAttribute('id')).toBe('fig-lookup');
  });

  test('prints the whole page', async () => {
    const page = await begin({ viewport: { width: 1600, height: 1000 } });
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
