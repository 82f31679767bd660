import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { complexity } from '../../../support/library.js';
import { openAlone, violationsOf } from '../../alone.js';
import { useBrowser, type PageOptions } from '../../browser.js';

const { open } = useBrowser();

/** Opens the figure in its own page. */
async function figure(options?: PageOptions): Promise<{ page: Page; paths: Locator }> {
  const { page, figure: paths } = await openAlone(open, 'path-lengths', options);
  return { page, paths };
}

const lengths = async (paths: Locator): Promise<string[]> => paths.locator('p.length').allInnerTexts();

/** The expected text, from the library. */
function expected(distance: number, k: number): string[] {
  return (['cnn', 'rnn', 'self-attention'] as const).map(
    (architecture) => `Path of length ${complexity(architecture, { n: distance + 1, d: 1, k }).maximumPathLength}`,
  );
}

describe('path-lengths', () => {
  test('prints and highlights the path from the first to the last token', async () => {
    const { paths } = await figure();
    expect(await lengths(paths)).toEqual(expected(6, 3));
    const lit = await paths
      .locator('svg')
      .evaluateAll((all) =>
        all.map((each) => ['.lit:not(.own)', '.own'].map((way) => each.querySelectorAll(way).length)),
      );
    // The path, as long as the text says, and the later token's own path, which is thin: 3 and 3 layers, 7 steps and 1,
    // 1 and 1.
    expect(lit).toEqual([
      [3, 3],
      [7, 1],
      [1, 1],
    ]);
    expect(await paths.locator('circle.met').count()).toBe(3);
  });

  test('works by keyboard alone', async () => {
    const { page, paths } = await figure();
    const sliders = paths.getByRole('slider');
    expect(await sliders.count()).toBe(5);
    for (const [name, key, times] of [
      ['Tokens n', 'ArrowRight', 3],
      ['Kernel size k', 'ArrowRight', 2],
      ['From token', 'ArrowRight', 1],
      ['To token', 'End', 1],
    ] as const) {
      await paths.getByRole('slider', { name }).focus();
      for (let press = 0; press < times; ++press) await page.keyboard.press(key);
    }
    expect(await lengths(paths)).toEqual(expected(8, 5));
    expect(await paths.locator('.readout').innerText()).toContain('Between tokens 2 and 10');
  });

  test('says so if the CNN has too few layers', async () => {
    const { page, paths } = await figure();
    await paths.getByRole('slider', { name: 'Layers of the CNN' }).focus();
    await page.keyboard.press('Home');
    expect((await lengths(paths))[0]).toBe('Too few layers: 1 of 3');
    expect(await paths.locator('.diagram').first().locator('circle.met').count()).toBe(0);
    expect(await paths.locator('.readout').innerText()).toContain('that takes 3 layers, and it has 1');
  });

  test('has no path from a token to itself', async () => {
    const { paths } = await figure();
    await paths.getByRole('slider', { name: 'From token' }).fill('4');
    await paths.getByRole('slider', { name: 'To token' }).fill('4');
    expect(await lengths(paths)).toEqual(new Array(3).fill('Path of length 0'));
    expect(await paths.locator('.readout').innerText()).toBe('Both ends are token 4: no path is needed.');
    expect(await paths.locator('.lit').count()).toBe(0);
    expect(await paths.locator('circle.met').count()).toBe(3);
  });

  test('clicks select the two tokens in turn', async () => {
    const { paths } = await figure();
    const hits = paths.locator('.diagram').nth(2).locator('.hit');
    await hits.nth(3).click();
    await hits.nth(1).click();
    expect(await paths.locator('.readout').innerText()).toContain('Between tokens 2 and 4');
    expect(await lengths(paths)).toEqual(expected(2, 3));
  });

  test('axe finds no violations', async () => {
    const { page } = await figure({ colorScheme: 'dark' });
    expect(await violationsOf(page, 'path-lengths')).toEqual([]);
  });
});
