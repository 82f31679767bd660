import { expect, test } from '@jest/globals';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();

test('two keys skip a figure with many tab stops', async () => {
  const page = await open({ figures: ['attention-masks'] });
  const figure = page.locator('attention-masks');
  const skip = figure.getByRole('button', { name: 'Skip this figure' });
  const seen = (): Promise<boolean> => skip.evaluate((button) => getComputedStyle(button).clipPath === 'none');
  const height = async (): Promise<number | undefined> => (await figure.boundingBox())?.height;
  const before = await height();
  expect(await seen()).toBe(false);
  await skip.focus();
  expect(await seen()).toBe(true);
  expect(await height()).toBe(before);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  const beyond = await figure.evaluate((element) => {
    const active = document.activeElement;
    return active !== null && (element.compareDocumentPosition(active) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  });
  expect(beyond).toBe(true);
});

test('Tab moves from a figure to the next one, even if it is not loaded yet', async () => {
  const page = await open({ figures: ['attention-masks'], viewport: { width: 1280, height: 720 } });
  await page.locator('attention-masks').getByRole('button').last().focus();
  await page.locator('path-lengths[drawn]').waitFor({ state: 'attached' });
  await page.locator('#fig-masks a, #fig-masks button:not([disabled])').last().focus();
  const passed = await page.evaluate(() => {
    const next = document.querySelector('path-lengths')!;
    return next.hasAttribute('drawn') && next.getBoundingClientRect().top > innerHeight;
  });
  expect(passed).toBe(true);
});

test('a slider’s focus ring does not cover its label', async () => {
  const page = await open({ figures: ['attention-lookup'] });
  const slider = page.locator('attention-lookup .slider input').first();
  await slider.focus();
  await page.keyboard.press('ArrowRight');
  const gap = await slider.evaluate((input) => {
    const style = getComputedStyle(input);
    const ring = input.getBoundingClientRect().top - parseFloat(style.outlineOffset) - parseFloat(style.outlineWidth);
    return ring - (input.parentElement?.querySelector('label')?.getBoundingClientRect().bottom ?? NaN);
  });
  expect(gap).toBeGreaterThanOrEqual(-0.5);
});
