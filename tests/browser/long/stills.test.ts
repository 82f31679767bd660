import { describe, expect, test } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { useBrowser } from '../browser.js';

const BUILT = join(import.meta.dirname, '../../../build/page');
const LANGUAGES = readdirSync(BUILT).filter((name) => /^[a-z]{2}$/.test(name));
const { open } = useBrowser();

describe.each(LANGUAGES)('without scripts, in %s', (language) => {
  test.each([
    [1280, 'light', 'wide'],
    [390, 'dark', 'narrow-dark'],
  ] as const)('every figure has its picture at %d px, %s', async (width, colorScheme, variant) => {
    const page = await open({
      path: `/${language}/`,
      viewport: { width, height: 900 },
      javaScriptEnabled: false,
      colorScheme,
      still: true,
    });
    await page.waitForLoadState('load');
    await page.evaluate(() => document.querySelectorAll('details').forEach((answer) => (answer.open = true)));
    const pictures = page.locator('main figure[id] .still img');
    // Pictures are fetched when they come near.
    for (const picture of await pictures.all()) {
      await picture.evaluate(async (image) => {
        image.scrollIntoView({ behavior: 'instant' });
        await (image as HTMLImageElement).decode();
      });
    }
    const figures = await page.locator('main figure[id]').evaluateAll((all) =>
      all.map((figure) => {
        const image = figure.querySelector<HTMLImageElement>('.still img');
        const { width = 0, height = 0, right = Infinity } = image?.getBoundingClientRect() ?? {};
        return {
          id: figure.id,
          // The question of the caption is what the picture is called.
          question: figure.querySelector('figcaption strong')?.textContent?.replace(/\s+/g, ' ') ?? '',
          alt: image?.alt ?? '',
          visible: image?.checkVisibility() ?? false,
          file: image?.currentSrc.split('/').at(-1),
          width: Math.min(width, image?.naturalWidth ?? 0),
          height,
          right,
        };
      }),
    );
    expect(figures.length).toBeGreaterThan(10);
    for (const { id, question, alt, width: wide, height, right, ...rest } of figures) {
      expect({ id, ...rest }).toEqual({ id, visible: true, file: `${id}-${variant}.svg` });
      expect(alt).not.toBe('');
      expect(question).toContain(alt.split(' ')[0]);
      expect(wide).toBeGreaterThan(100);
      expect(height).toBeGreaterThan(50);
      expect(right).toBeLessThanOrEqual(width);
    }
    expect(await page.locator('math').first().isVisible()).toBe(true);
  });
});
