import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { choose, contentOf, parsed, save } from '../../shown.js';

const { open, leave } = useBrowser();

describe('in full screen', () => {
  const enter = async (figure: Locator): Promise<void> => {
    await choose(figure, 'Full screen');
    await figure.getByRole('button', { name: 'Leave full screen' }).waitFor();
    // A few frames to find out how large it can be.
    await figure.page().waitForTimeout(500);
  };

  test.each([
    ['attention-lookup', 'wide', 960],
    ['complexity-race', 'high', 640],
    ['encoding-similarity', 'high', 640],
  ] as const)('%s is as %s as the screen, and returns to its size', async (tag, side, inPage) => {
    const viewport = { width: 1280, height: 800 };
    const { page, figure } = await openAlone(open, tag, { viewport });
    const before = await figure.evaluate((element, inPage) => {
      element.style.width = `${inPage}px`;
      return element.clientWidth;
    }, inPage);
    await enter(figure);
    expect(await page.evaluate(() => document.fullscreenElement?.localName)).toBe(tag);
    const { width, height, scrolls } = await figure.evaluate((element) => {
      const parts = [...(element.shadowRoot?.querySelectorAll('.stage, .tools') ?? [])];
      const boxes = parts.map((part) => part.getBoundingClientRect());
      return {
        width: boxes[0]?.width ?? 0,
        height: Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top)),
        scrolls: element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight,
      };
    });
    expect(scrolls).toBe(false);
    expect(side === 'wide' ? width / viewport.width : height / viewport.height).toBeGreaterThan(0.88);
    await figure.getByRole('button', { name: 'Leave full screen' }).click();
    await figure.getByRole('button', { name: 'Leave full screen' }).waitFor({ state: 'detached' });
    expect(await figure.evaluate((element) => element.clientWidth)).toBe(before);
    expect(await figure.evaluate((element) => getComputedStyle(element).zoom)).toBe('1');
  });

  test.each(['positional-heatmap', 'complexity-race'])(
    '%s is wider than in the page, with its controls in sight',
    async (tag) => {
      // Lower than the figures.
      const viewport = { width: 1280, height: 600 };
      const page = await open({ figures: [tag], viewport });
      const figure = page.locator(tag).first();
      const before = await figure.evaluate((element) => element.clientWidth);
      await enter(figure);
      const stage = await figure.locator('.stage').boundingBox();
      expect(stage?.width).toBeGreaterThan(Math.max(before, 0.9 * viewport.width));
      const { y = NaN, height = NaN } = (await figure.locator('.controls:not(.placed)').boundingBox()) ?? {};
      expect(y + height).toBeLessThanOrEqual(viewport.height);
    },
  );

  test.each([390, 1280])(
    'at %i px neither the tools nor the controls of a figure that fits cover anything',
    async (width) => {
      const page = await open({ figures: ['attention-lookup'], viewport: { width, height: 844 } });
      const figure = page.locator('attention-lookup');
      await enter(figure);
      const covered = await figure.evaluate(({ shadowRoot }) => {
        const { bottom } = shadowRoot!.querySelector('.controls')!.getBoundingClientRect();
        const tools = shadowRoot!.querySelector('.tools')!.getBoundingClientRect();
        const stage = shadowRoot!.querySelector('.stage')!.getBoundingClientRect();
        const shadow = getComputedStyle(shadowRoot!.querySelector('.controls')!).boxShadow;
        return { over: Math.max(bottom - stage.bottom, tools.bottom - stage.top), shadow };
      });
      expect(covered.over).toBeLessThanOrEqual(1);
      expect(covered.shadow).toBe('none');
    },
  );

  test.each([
    [390, 844],
    [844, 390],
  ])(
    'a window of %i × %i px always shows the button that leaves, however the figure is scrolled',
    async (width, height) => {
      for (const tag of ['attention-masks', 'positional-heatmap']) {
        const page = await open({
          figures: [tag],
          viewport: { width, height },
          hasTouch: true,
          isMobile: true,
        });
        const figure = page.locator(tag).first();
        await enter(figure);
        const out = figure.getByRole('button', { name: 'Leave full screen' });
        for (const top of [0, 9999]) {
          await figure.evaluate((element, top) => element.scrollTo({ top, behavior: 'instant' }), top);
          const box = (await out.boundingBox())!;
          expect([box.y >= 0, box.y + box.height <= height]).toEqual([true, true]);
        }
        await out.tap();
        await out.waitFor({ state: 'detached' });
        await leave(page);
      }
    },
  );

  test('the caption’s question stays visible above the figure', async () => {
    const viewport = { width: 1280, height: 800 };
    const page = await open({ figures: ['attention-lookup'], viewport });
    const figure = page.locator('attention-lookup');
    const question = await figure.evaluate((element) =>
      element.closest('figure')?.querySelector('figcaption strong')?.textContent?.replace(/\s+/g, ' ').trim(),
    );
    await enter(figure);
    const shown = figure.getByText(question ?? '', { exact: true });
    const { y = NaN, height = NaN } = (await shown.boundingBox()) ?? {};
    const stage = await figure.locator('.stage').boundingBox();
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + height).toBeLessThanOrEqual(stage?.y ?? NaN);
    const tools = await figure.locator('.tools').boundingBox();
    expect((tools?.y ?? NaN) + (tools?.height ?? NaN)).toBeLessThanOrEqual(viewport.height);
    await figure.getByRole('button', { name: 'Leave full screen' }).click();
    await shown.waitFor({ state: 'detached' });
  });

  test('a click on a plot hits its target, the menu opens at its button, and files are as in the page', async () => {
    const page = await open({ figures: ['complexity-race'], viewport: { width: 1280, height: 1000 } });
    const figure = page.locator('complexity-race');
    const inPage = (await contentOf(await save(figure, 'SVG'))).toString();
    await enter(figure);
    expect(await figure.evaluate((element) => Number(getComputedStyle(element).zoom))).toBeGreaterThan(1.2);
    const inFull = (await contentOf(await save(figure, 'SVG'))).toString();
    expect((await parsed(page, inFull)).viewBox).toBe((await parsed(page, inPage)).viewBox);
    const tick = figure.locator('.plot text', { hasText: /^1,024$/ });
    const box = await tick.boundingBox();
    await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) - 60);
    expect(await figure.getByRole('slider', { name: 'Tokens n' }).getAttribute('aria-valuetext')).toBe('1,024');
    const button = figure.getByRole('button', { name: /^Tools of/ });
    await button.click();
    const [menu, below] = [await figure.locator('.menu').boundingBox(), await button.boundingBox()];
    expect(Math.abs((menu?.x ?? 0) - (below?.x ?? 0))).toBeLessThan(2);
  });
});
