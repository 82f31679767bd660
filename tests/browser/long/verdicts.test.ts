import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { readWords } from '../../support/proseFiles.js';
import { useBrowser } from '../browser.js';

const { open } = useBrowser();
const words = readWords('en');

const verdictOf = (check: Locator): Locator => check.getByRole('status');

test('a phone shows the verdict, and the answer only to those who ask for it', async () => {
  const page = await open({ figures: ['path-lengths'], viewport: { width: 390, height: 844 } });
  const figure = page.locator('#fig-paths');
  const status = verdictOf(figure.locator('.check'));
  const answers = figure.locator('.check .answers');
  const inWindow = async (part: Locator): Promise<boolean> => {
    const { y = NaN, height = NaN } = (await part.boundingBox()) ?? {};
    return height > 0 && y >= 0 && y + height <= 844.5;
  };
  // The answers are the last thing in the window.
  await answers.evaluate((element) => element.scrollIntoView({ block: 'end', behavior: 'instant' }));
  await answers.getByRole('button', { name: 'eight' }).click();
  expect(await inWindow(status)).toBe(true);
  // It says what is wrong about this answer.
  expect(await status.innerText()).toContain(
    'That would be so if only one of them reached towards the other.',
  );
  await status.getByRole('button', { name: words.checkReveal }).focus();
  await page.keyboard.press('Enter');
  expect(await status.innerText()).toContain('Eight places take four layers.');
  expect(await status.innerText()).not.toContain(words.checkRight);
  // Who pressed the button goes on from there.
  const link = status.getByRole('link', { name: words.checkShown });
  expect(await link.evaluate((element) => element.matches(':focus'))).toBe(true);
  // The figure, which was above the window, comes back; what is said of it stays beside it.
  const picture = figure.locator('path-lengths svg').first();
  await page.waitForFunction(() => {
    const svg = document.querySelector('#fig-paths path-lengths')?.shadowRoot?.querySelector('svg');
    return svg && svg.getBoundingClientRect().top > 0;
  });
  expect(await inWindow(picture)).toBe(true);
  expect(await inWindow(status)).toBe(true);
  expect(await inWindow(answers)).toBe(false);
  // Whoever uses the figure has its controls again, and the verdict is where it was.
  await figure.getByRole('slider', { name: 'Tokens n' }).focus();
  await page.keyboard.press('ArrowRight');
  expect(await inWindow(status)).toBe(false);
  await status.evaluate((element) => element.scrollIntoView({ block: 'end', behavior: 'instant' }));
  expect(await inWindow(answers)).toBe(true);
});

test.each([
  ['path-lengths', 'fig-paths', '.controls'],
  ['attention-dropout', 'fig-dropout', '.sliders, .readout'],
])(
  'on a phone the verdict beside %s covers none of its controls and what it reads',
  async (tag, id, parts) => {
    const page = await open({ figures: [tag], viewport: { width: 390, height: 844 } });
    const check = page.locator(`#${id} .check`);
    await check.evaluate((element) => element.scrollIntoView({ block: 'end', behavior: 'instant' }));
    await check.locator('button[data-right]').first().press('Enter');
    const pinned = verdictOf(check).and(page.locator('.pinned'));
    await pinned.waitFor();
    // The page has scrolled back to the figure.
    await page.waitForTimeout(800);
    const { y } = (await pinned.boundingBox())!;
    for (const part of await page.locator(tag).locator(parts).all()) {
      const box = (await part.boundingBox())!;
      expect(box.y + box.height).toBeLessThanOrEqual(y + 1);
    }
    // They are at the window's end again, once the verdict is gone.
    await page.locator(tag).getByRole('slider').first().press('ArrowRight');
    await pinned.waitFor({ state: 'detached' });
    expect(await page.locator(tag).evaluate((element) => element.getAttribute('style') ?? '')).toBe('');
  },
);

test.each(['shapes', 'lookup'])('the bar covers nothing of a figure that comes back: %s', async (name) => {
  const page = await open({ figures: [`attention-${name}`], viewport: { width: 1280, height: 800 } });
  const figure = page.locator(`#fig-${name}`);
  const check = figure.locator('.check');
  await check.evaluate((element) => element.scrollIntoView({ block: 'end', behavior: 'instant' }));
  await check.locator('button[data-right]').click();
  const bar = await page.locator('.bar').first().boundingBox();
  await page.waitForFunction(
    ([id, height]) => document.querySelector(`#fig-${id} > *`)!.getBoundingClientRect().top >= height,
    [name, bar!.height] as const,
  );
  await page.waitForTimeout(300);
  const bottom = await verdictOf(check).evaluate((element) => element.getBoundingClientRect().bottom);
  expect(bottom).toBeLessThanOrEqual(800);
});

test('a verdict beside the figure covers no answers of whoever scrolls to them', async () => {
  const page = await open({ figures: ['attention-shapes'], viewport: { width: 1280, height: 800 } });
  const check = page.locator('#fig-shapes .check');
  const pinned = verdictOf(check).and(page.locator('.pinned'));
  await check.evaluate((element) => element.scrollIntoView({ block: 'end', behavior: 'instant' }));
  await check.locator('button[data-right]').click();
  await pinned.waitFor();
  // The page has scrolled back to the figure.
  await page.waitForTimeout(800);
  // The question has not left the window.
  expect((await check.boundingBox())?.y).toBeLessThan(800);
  await page.mouse.move(640, 300);
  await page.mouse.wheel(0, 20);
  await pinned.waitFor({ state: 'detached' });
});

test('a window too low for figure and question has the figure and the verdict', async () => {
  const page = await open({ figures: ['attention-masks'], viewport: { width: 1280, height: 700 } });
  const figure = page.locator('#fig-masks');
  const answer = figure.locator('.check button[data-right]').first();
  await answer.evaluate((element) => element.scrollIntoView({ block: 'end', behavior: 'instant' }));
  expect(await figure.evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(0);
  await answer.click();
  await page.waitForFunction(() => document.querySelector('#fig-masks')!.getBoundingClientRect().top >= 0);
  expect(await verdictOf(figure.locator('.check')).evaluate((element) => element.getBoundingClientRect().bottom)).toBe(700); // prettier-ignore
});

test('what a phone’s verdict says goes back to its question with the reader', async () => {
  const page = await open({ figures: ['path-lengths'], viewport: { width: 390, height: 844 }, hasTouch: true }); // prettier-ignore
  const check = page.locator('#fig-paths .check');
  const pinned = verdictOf(check).and(page.locator('.pinned'));
  const answer = check.getByRole('button', { name: 'four' });
  for (const away of ['question', 'text above the figure']) {
    await answer.evaluate((element) => element.scrollIntoView({ block: 'end', behavior: 'instant' }));
    await answer.tap();
    await pinned.waitFor();
    await page.waitForFunction(() => {
      const { top } = document.querySelector('#fig-paths')!.getBoundingClientRect();
      return top >= 0 && top < 120;
    });
    if (away === 'question')
      await answer.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }));
    else await page.evaluate(() => scrollBy({ top: -1000, behavior: 'instant' }));
    await pinned.waitFor({ state: 'detached' });
  }
});

test.each([
  [1280, 800],
  [390, 844],
])(
  'a figure that loads its model for an answer keeps the verdict in sight, at %i × %i',
  async (width, height) => {
    const page = await open({ figures: ['language-model'], viewport: { width, height } });
    const figure = page.locator('#fig-model');
    const status = verdictOf(figure.locator('.check'));
    const answer = figure.locator('.check button[data-right]');
    await answer.evaluate((element) => element.scrollIntoView({ block: 'end', behavior: 'instant' }));
    await answer.click();
    const field = figure.getByRole('textbox').first();
    await field.waitFor();
    await status.and(page.locator('.pinned')).waitFor();
    expect(await status.evaluate((element) => element.getBoundingClientRect().bottom)).toBe(height);
    // Whoever uses the figure has its controls again.
    await field.press('End');
    expect(await status.and(page.locator('.pinned')).count()).toBe(0);
  },
);
