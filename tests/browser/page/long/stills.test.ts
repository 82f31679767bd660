import { describe, expect, test } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FigureElement } from '../../../../web/elements/kit.js';
import { textsOf, type Texts } from '../../../support/proseFiles.js';
import { useBrowser } from '../../browser.js';

const BUILT = join(import.meta.dirname, '../../../../build/page');
const LANGUAGES = readdirSync(BUILT).filter((name) => /^[a-z]{2}$/.test(name));
const PATHS = LANGUAGES.flatMap((language) => [`/${language}/`, `/${language}/further/`]);
const { open } = useBrowser();

describe.each(PATHS)('without scripts, at %s', (path) => {
  const variants = [
    [390, 'dark', 'narrow-dark'],
    [1280, 'light', 'wide'],
  ] as const;
  // The pictures of all languages are drawn by one script.
  test.each(variants.slice(0, path === '/en/' ? 2 : 1))(
    'every figure has its picture at %d px, %s',
    async (width, colorScheme, variant) => {
      const page = await open({
        path,
        viewport: { width, height: 900 },
        javaScriptEnabled: false,
        colorScheme,
        still: true,
      });
      await page.waitForLoadState('load');
      await page.evaluate(() => document.querySelectorAll('details').forEach((answer) => (answer.open = true)));
      const pictures = page.locator('main figure[id] .still img');
      // Pictures are loaded lazily.
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
            // The picture's name is the question of the caption.
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
      expect(figures.length).toBeGreaterThan(7);
      for (const { id, question, alt, width: wide, height, right, ...rest } of figures) {
        expect({ id, ...rest }).toEqual({ id, visible: true, file: `${id}-${variant}.svg` });
        expect(alt).not.toBe('');
        expect(question).toContain(alt.split(' ')[0]);
        expect(wide).toBeGreaterThan(100);
        expect(height).toBeGreaterThan(24);
        expect(right).toBeLessThanOrEqual(width);
      }
      expect(await page.locator('math').first().isVisible()).toBe(true);
    },
  );
});

test('a picture has the cells and words of its figure', async () => {
  const page = await open({ path: '/ko/', still: true, javaScriptEnabled: false });
  const response = await page.request.get(new URL('../stills/ko/fig-masks-wide.svg', page.url()).href);
  const svg = await response.text();
  expect(svg).toMatch(/^<\?xml[^>]*>\n<svg[^>]* lang="ko"/);
  // Eight queries over eight keys, and words in the page's language.
  expect(svg.match(/<rect/g)?.length).toBeGreaterThan(64);
  expect(svg).toMatch(/<text[^>]*>[^<]*\p{Script=Hangul}/u);
});

test('a picture does not say how to use its figure', async () => {
  const page = await open({ figures: ['positional-heatmap'] });
  const hint = await page.locator('positional-heatmap .readout .hint').innerText();
  expect(hint).toMatch(/^Point at a cell/);
  const response = await page.request.get(new URL('../stills/en/fig-heatmap-wide.svg', page.url()).href);
  expect(await response.text()).not.toContain(hint.slice(0, 12));
});

test('the picture of the story has it with and without order, and nothing that scripts would fill', async () => {
  const page = await open({ path: '/en/', still: true, javaScriptEnabled: false });
  const read = async (id: string): Promise<string> =>
    (await page.request.get(new URL(`../stills/en/${id}-wide.svg`, page.url()).href)).text();
  const figures: Texts = textsOf('en').figures;
  const story = await read('fig-model');
  for (const key of ['story.plain', 'story.noOrder'] as const) expect(story).toContain(figures[key]!);
  // Both texts begin alike.
  expect(story.split('Once').length).toBe(3);
  for (const key of ['story.positions', 'story.beginning', 'story.changed', 'story.send'] as const)
    expect(story).not.toContain(figures[key]!);
  const follow = await read('fig-follow');
  expect(follow).not.toContain(figures['follow.sentence']!);
  // Its parts begin at its top, beside its texts.
  const [first = NaN] = [...follow.matchAll(/<text [^>]*\by="([\d.]+)"[^>]*>(?:start|Lily)</g)].map(([, y]) =>
    Number(y),
  );
  expect(first).toBeLessThan(60);
});

test('on paper a story without changes has no controls, also where its picture is missing', async () => {
  const page = await open({ figures: ['language-model', 'follow-word'] });
  await page.locator('language-model .teller:not([inert])').waitFor({ state: 'attached' });
  // The page begins with a word that looks at another.
  await page.locator('language-model').evaluate((story) => (story as FigureElement).change({ word: 0 }));
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  const story = page.locator('language-model');
  expect(await story.locator('.story').first().isVisible()).toBe(true);
  for (const part of ['.switch', '.beginnings', '.grid', '.line.empty', '.lab .readout', '.send'])
    expect(await story.locator(part).isVisible()).toBe(false);
  for (const part of ['.text-field', '.samples', '.draw'])
    expect(await page.locator('follow-word').locator(part).isVisible()).toBe(false);
});

test('with scripts no picture is fetched until the page is printed', async () => {
  const page = await open({ figures: ['attention-masks'] });
  const asked = (): Promise<number> =>
    page.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/stills/')).length,
    );
  expect(await asked()).toBe(0);
  expect(await page.locator('.still').first().isVisible()).toBe(false);
  await page.pdf();
  expect(await asked()).toBeGreaterThan(0);
});

test.each(['light', 'dark'] as const)(
  'on paper pictures replace all figures, and are loaded before the page is printed, in a %s scheme',
  async (colorScheme) => {
    const page = await open({ figures: ['attention-masks', 'attention-lookup'], colorScheme });
    await page.evaluate(() => {
      window.print = () => document.documentElement.setAttribute('data-printed', '');
    });
    await page.keyboard.press('Control+p');
    await page.waitForFunction(() => document.documentElement.hasAttribute('data-printed'));
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const ink = await page.locator('body').evaluate((body) => getComputedStyle(body).color);
    expect(ink).toBe('rgb(27, 31, 36)');
    // A grid would not be divided correctly between pages.
    const displayed = page
      .locator('body, main')
      .evaluateAll((all) => all.map((part) => getComputedStyle(part).display));
    expect(await displayed).toEqual(['block', 'block']);
    const figures = await page.locator('main figure[id]').evaluateAll((all) =>
      all.map((figure) => {
        const picture = figure.querySelector<HTMLImageElement>('.still img')!;
        const { left, right } = picture.getBoundingClientRect();
        const element = figure.querySelector(':scope > :not(figcaption, .still)')!;
        return {
          file: picture.currentSrc.replace(/.*\//, ''),
          isThere: picture.naturalWidth > 0 && right - left > 100,
          fits: left >= 0 && right <= document.documentElement.clientWidth,
          element: element.getClientRects().length,
        };
      }),
    );
    expect(figures.length).toBeGreaterThan(7);
    for (const { file, ...figure } of figures) {
      expect(file).toMatch(/-wide\.svg$/);
      expect(figure).toEqual({ isThere: true, fits: true, element: 0 });
    }
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    expect(await page.locator('main details[open]').count()).toBe(0);
  },
);

test('a figure without a picture is printed as it is, in the width of the paper', async () => {
  const tags = ['attention-masks', 'attention-lookup', 'path-lengths', 'permutation-demo', 'positional-heatmap'];
  const page = await open({ figures: tags });
  const figures = page.locator(tags.join());
  const widths = (): Promise<number[]> =>
    figures.evaluateAll((all) => all.map((figure) => figure.getBoundingClientRect().width));
  const before = await widths();
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  for (const figure of await figures.all()) expect(await figure.isVisible()).toBe(true);
  for (const plane of await page.locator('attention-lookup .plane').all()) expect(await plane.isVisible()).toBe(true);
  expect(await page.locator('#fig-masks .still').isVisible()).toBe(false);
  const beyond = await figures.evaluateAll((all) =>
    all.flatMap((figure) => {
      const { right } = figure.closest('figure')!.getBoundingClientRect();
      return [...figure.shadowRoot!.querySelectorAll('.stage *')]
        .filter((part) => part.checkVisibility() && part.getBoundingClientRect().right > right + 1)
        .map((part) => `${figure.localName}: ${part.localName} ${part.textContent.trim()}`);
    }),
  );
  expect(beyond).toEqual([]);
  await page.emulateMedia({ media: 'screen' });
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  expect(await widths()).toEqual(before);
});

test('a page without pictures, such as a single file, loads all its figures before it is printed', async () => {
  const page = await open({ figures: [] });
  await page.evaluate(() => {
    for (const picture of document.querySelectorAll('.still')) picture.remove();
    window.print = () => document.documentElement.setAttribute('data-printed', '');
  });
  await page.keyboard.press('Control+p');
  await page.waitForFunction(() => document.documentElement.hasAttribute('data-printed'));
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('main figure[id]:not(.unpictured)').count()).toBe(0);
  for (const figure of await page.locator('main figure[id] > :not(figcaption)').all())
    expect(await figure.isVisible()).toBe(true);
});

test.each(LANGUAGES)('a link to the pages in %s shows their titles and a picture of the story', async (language) => {
  for (const path of [`/${language}/`, `/${language}/models/`]) {
    const page = await open({ path, still: true, javaScriptEnabled: false });
    const property = async (name: string): Promise<string> =>
      (await page.locator(`meta[property="og:${name}"]`).getAttribute('content')) ?? '';
    expect(await property('title')).toBe(await page.title());
    expect(await property('description')).toBe(await page.locator('meta[name=description]').getAttribute('content'));
    const picture = await (await page.request.get(new URL(await property('image'), page.url()).href)).body();
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([1200, 630]);
  }
});
