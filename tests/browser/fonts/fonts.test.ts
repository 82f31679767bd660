import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../../web/elements/languages.js';
import { useBrowser } from '../browser.js';
import { FONTS } from '../chromium.js';

const { open } = useBrowser();

/** The fonts expected on the Korean page: of headings, text, code and formulas, and the page's own. */
const EXPECTED = ['DejaVu Sans', 'DejaVu Sans Mono', 'DejaVu Serif', 'NanumGothic', 'STIX Two Math'];

/** The fonts of each element, and how many characters each font draws. */
async function fontsOfEach(page: Page, selector: string): Promise<Record<string, number>[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('DOM.enable');
  await session.send('CSS.enable');
  const { root } = await session.send('DOM.getDocument');
  const { nodeIds } = await session.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector });
  const each: Record<string, number>[] = [];
  for (const nodeId of nodeIds) {
    const { fonts } = await session.send('CSS.getPlatformFontsForNode', { nodeId });
    each.push(sum(fonts.map(({ familyName, glyphCount }) => [familyName, glyphCount])));
  }
  await session.detach();
  return each;
}

/** The fonts of all elements together. */
async function fontsOf(page: Page, selector: string): Promise<Record<string, number>> {
  return sum((await fontsOfEach(page, selector)).flatMap((fonts) => Object.entries(fonts)));
}

function sum(fonts: readonly (readonly [name: string, glyphs: number])[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [name, glyphs] of fonts) counts[name] = (counts[name] ?? 0) + glyphs;
  return counts;
}

/** How many of these characters each font draws if this is the only family. */
async function drawnBy(page: Page, family: string, characters: string): Promise<Record<string, number>> {
  await page.evaluate(
    async ([family, text]) => {
      await document.fonts.load(`16px ${family}`, text);
      const sample = Object.assign(document.createElement('p'), { id: 'sample', textContent: text });
      sample.style.fontFamily = family;
      document.getElementById('sample')?.remove();
      document.body.append(sample);
      // Until it is painted, it has no fonts.
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    },
    [family, characters] as const,
  );
  return fontsOf(page, '#sample');
}

test(`Chromium draws the Korean page with the fonts of tests/browser/fonts/${FONTS}.conf and its own`, async () => {
  const page = await open({ path: '/ko/', figures: [] });
  const names = Object.keys(await fontsOf(page, 'h1, main > *, #eq-attention *'));
  expect(names.sort()).toEqual(EXPECTED);
});

test('every letter of a formula is from a math font: the page’s own, if the machine has none', async () => {
  const page = await open({ path: '/en/', figures: [] });
  await page.waitForFunction(() => [...document.fonts].every(({ status }) => status !== 'loading'));
  const fonts = await fontsOf(page, 'math *');
  expect(Object.keys(fonts)).toEqual(['STIX Two Math']);
  const own = await page.evaluate(() => [...document.fonts].find(({ family }) => family === 'Formulas')?.status);
  expect(own).toBe('loaded');
});

test('all Hangul text is redrawn when the font arrives, in all weights', async () => {
  const page = await open({ path: '/ko/', figures: [] });
  await page.waitForFunction(() =>
    [...document.fonts].every(({ family, status }) => family !== 'Hangul' || status === 'loaded'),
  );
  const marked = await page.evaluate(() => {
    const own = ({ childNodes }: Element): string =>
      Array.from(childNodes, (node) => (node instanceof Text ? node.data : '')).join('');
    const elements = [...document.querySelectorAll('h1, h2, h3, p, b, strong, a, button, summary')];
    const hangul = elements.filter((element) => /\p{Script=Hangul}/u.test(own(element)) && element.checkVisibility());
    for (const element of hangul) element.toggleAttribute('data-hangul', true);
    return hangul.map(({ outerHTML }) => outerHTML);
  });
  expect(marked.length).toBeGreaterThan(100);
  const fonts = await fontsOfEach(page, '[data-hangul]');
  expect(fonts).toHaveLength(marked.length);
  expect(marked.filter((_, number) => !('NanumGothic' in fonts[number]!))).toEqual([]);
});

/** The characters that are drawn like `box`, which the fonts do not have. */
function boxesAmong(page: Page, characters: string, drawn: { font: string; box: string }): Promise<string[]> {
  return page.evaluate(
    async ([text, { font, box }]) => {
      await document.fonts.load(font, text);
      const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true })!;
      context.font = font;
      const picture = (character: string): string => {
        context.clearRect(0, 0, 40, 40);
        context.fillText(character, 4, 30);
        return context.getImageData(0, 0, 40, 40).data.join();
      };
      const missing = picture(box);
      return Array.from(text).filter((character) => picture(character) === missing);
    },
    [characters, drawn] as const,
  );
}

const FILE = /hangul-page.*\.woff2$/;

test.each([
  ['/ko/', 300],
  ['/ko/further/', 300],
  ['/ko/models/', 80],
])('the page’s font has every syllable of %s and its figures', async (path, least) => {
  const page = await open({ path });
  await page.waitForLoadState('networkidle');
  const said = await page.evaluate(() => {
    const textOf = (root: ParentNode & Node): string =>
      (root.textContent ?? '') +
      Array.from(root.querySelectorAll('*'), ({ shadowRoot }) => (shadowRoot ? textOf(shadowRoot) : '')).join('');
    return textOf(document.body);
  });
  const syllables = [...new Set(said.match(/\p{Script=Hangul}/gu))].join('');
  expect(syllables.length).toBeGreaterThan(least);
  expect(await drawnBy(page, 'Hangul', syllables)).toEqual({ NanumGothic: syllables.length });
  // If no other font has a syllable either, Chromium draws the page's box, as for this one, which the page does not
  // have.
  expect(await boxesAmong(page, syllables, { font: '24px Hangul', box: '뷁' })).toEqual([]);
});

// The figures' symbols are the same in all languages.
test.each(LANGUAGES)('no character of /%s/ is a box', async (language) => {
  const page = await open({ path: `/${language}/`, figures: language === 'ko' ? undefined : [] });
  const characters = await page.evaluate(() => {
    const shown = new Set<string>();
    // Browsers use these code points for a formula's single letters, except for h, which has an older one.
    const italic = (letter: string): string => {
      const code = letter.codePointAt(0)!;
      if (/[A-Z]/.test(letter)) return String.fromCodePoint(0x1d434 + code - 65);
      if (/[a-gi-z]/.test(letter)) return String.fromCodePoint(0x1d44e + code - 97);
      if (/[α-ω]/.test(letter)) return String.fromCodePoint(0x1d6fc + code - 945);
      return letter;
    };
    const gather = (root: ParentNode & Node): void => {
      for (const element of root.querySelectorAll('*')) {
        if (element.shadowRoot) gather(element.shadowRoot);
        const text = Array.from(element.childNodes, (node) => (node instanceof Text ? node.data : '')).join('');
        const italics = getComputedStyle(element).textTransform === 'math-auto' && text.length === 1;
        for (const letter of text) shown.add(italics ? italic(letter) : letter);
      }
    };
    gather(document.body);
    return [...shown].join('');
  });
  expect(characters.length).toBeGreaterThan(100);
  // No font has this private character, so it is drawn as a box. Only math fonts have Greek italics.
  const font = '24px Hangul, serif, Formulas';
  expect(await boxesAmong(page, characters, { font, box: '\uE000' })).toEqual([]);
});

test('other languages show 한국어 in the menu without the file of all syllables', async () => {
  const page = await open({ path: '/en/', figures: [] });
  await page.locator('.languages > button').click();
  await page.locator('#languages a[hreflang=ko]').waitFor();
  await page.evaluate(async () => document.fonts.ready);
  const loaded = await page.evaluate(
    () => [...document.fonts].filter(({ family, status }) => family === 'Hangul' && status === 'loaded').length,
  );
  expect(loaded).toBe(1);
  const asked = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  expect(asked.some((url) => url.endsWith('.css'))).toBe(true);
  expect(asked.filter((url) => FILE.test(url))).toEqual([]);
});
