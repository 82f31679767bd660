/** What figures say to those who do not see them, and where the focus is. */
import { describe, expect, test } from '@jest/globals';
import { inflateSync } from 'node:zlib';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { attention } from '../../../support/library.js';
import { DOCKED, openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { heard } from '../../heard.js';
import { choose, contentOf } from '../../shown.js';

const { open } = useBrowser();

/** A figure's description, from its picture's accessible description. */
const described = (figure: Awaited<ReturnType<typeof openAlone>>['figure']): Promise<string> =>
  figure.locator('.stage').evaluate((stage) => {
    const root = stage.getRootNode() as ShadowRoot;
    return root.getElementById(stage.getAttribute('aria-describedby')!)!.textContent.replace(/\s+/g, ' ').trim();
  });

/** The lookup at a temperature, by the library. */
function lookup(temperature: number): { shares: string; mixture: string } {
  const pairs = (list: readonly number[]): number[][] => [0, 2, 4].map((i) => list.slice(i, i + 2));
  const [keys, values] = [pairs([1.4, 0.2, -0.4, 1.8, -1, -1.2]), pairs([2.2, -1, -0.2, 2.2, -2.2, -1.2])];
  const { weights, output } = attention.scaledDotProductAttention([[1.6, 1.4]], keys, values, {
    scale: 1 / (temperature * Math.SQRT2),
    needWeights: true,
  });
  const shares = Array.from(weights!.data, (weight, i) => `key ${i + 1} ${Math.round(100 * weight)}%`).join(', ');
  return { shares, mixture: `(${Array.from(output.data, (c) => c.toFixed(2)).join(', ')})`.replaceAll('-', '−') };
}

describe('after the last of many keys, a figure says once', () => {
  test('what came of it, and what was before', async () => {
    const { page, figure } = await openAlone(open, 'attention-lookup');
    await figure.getByLabel('Temperature T').focus();
    const said = await heard(page, async () => {
      for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowRight');
    });
    const [before, now] = [lookup(1), lookup(1.5)];
    expect(said).toEqual([
      `T is 1.5. Weights: ${now.shares}. The mixture y is ${now.mixture}. Before: y ${before.mixture}.`,
    ]);
    expect(await described(figure)).toBe(`T is 1.5. Weights: ${now.shares}. The mixture y is ${now.mixture}.`);
    expect(await figure.locator('.readout').innerText()).toBe(await described(figure));
  });

  test('a goal that is reached, before the result', async () => {
    const { page, figure } = await openAlone(open, 'attention-masks');
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await figure.getByLabel('Window: keys to the left').fill('0');
    await page.waitForTimeout(600);
    await figure.getByLabel('Valid length').focus();
    const said = await heard(page, () => page.keyboard.press('End'));
    expect(said).toEqual([
      'reached: Let every query see exactly one key. Its weight is 1, whatever the scores are. 8 of 64 pairs visible. ' +
        'Every query sees at least one key: each row of weights sums to 1. Before: 5 of 64 pairs visible.',
    ]);
  });

  test('the same again if nothing has changed', async () => {
    const { page, figure } = await openAlone(open, 'attention-lookup');
    const reset = figure.getByRole('button', { name: 'Reset' });
    const said: string[] = [];
    for (let i = 0; i < 2; ++i) said.push(...(await heard(page, () => reset.press('Enter'))));
    expect(said).toEqual([await described(figure), await described(figure)]);
  });
});

test('sliders for x and y move a point without a pointer or keys', async () => {
  const { figure } = await openAlone(open, 'attention-lookup');
  const [x, y] = [figure.getByRole('slider', { name: 'query q x' }), figure.getByRole('slider', { name: 'query q y' })];
  expect([await x.getAttribute('aria-valuetext'), await y.getAttribute('aria-valuetext')]).toEqual(['1.6', '1.4']);
  await x.fill('-2');
  await y.fill('0.5');
  expect(await figure.evaluate((element) => (element as unknown as { query: number[] }).query)).toEqual([-2, 0.5]);
  expect(await figure.getByRole('slider', { name: 'query q', exact: true }).getAttribute('aria-valuetext')).toBe(
    '(−2.0, 0.5)',
  );
});

test('pictures carry the sentence: as the SVG’s description, in the PNG, and as `alt`', async () => {
  const { figure } = await openAlone(open, 'attention-lookup', { language: 'ko', path: '/ko/' });
  const sentence = await described(figure);
  expect(sentence).toMatch(/[가-힣]/);
  const { svg, alt } = await figure.evaluate((element) =>
    (element as unknown as { picture(): Promise<{ svg: string; alt: string }> }).picture(),
  );
  expect(alt).toBe(sentence);
  expect(svg).toContain(`<desc>${sentence}</desc>`);
  const downloads = figure.page().waitForEvent('download');
  await figure.evaluate((element) => {
    const tools = element.shadowRoot!.querySelectorAll<HTMLElement>('.menu button');
    [...tools].find((tool) => tool.textContent.includes('PNG'))!.click();
  });
  const texts = textsIn(await contentOf(await downloads));
  expect(texts).toEqual([['Description', sentence]]);
});

/** The texts in a PNG's chunks `iTXt`, read as its specification says. */
function textsIn(png: Buffer): [keyword: string, text: string][] {
  const texts: [string, string][] = [];
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    if (type === 'IDAT') data.push(body);
    if (type !== 'iTXt') continue;
    const ends = [body.indexOf(0)];
    // The end of the keyword, then two bytes of compression, the language and the translated keyword.
    ends.push(body.indexOf(0, ends[0]! + 3));
    ends.push(body.indexOf(0, ends[1]! + 1));
    texts.push([body.toString('latin1', 0, ends[0]), body.toString('utf8', ends[2]! + 1)]);
  }
  // The picture is still there.
  expect(inflateSync(Buffer.concat(data)).length).toBeGreaterThan(1000);
  return texts;
}

test('tools and end bear the figure’s name', async () => {
  const page = await open({ figures: ['attention-lookup', 'attention-masks'] });
  for (const tag of ['attention-lookup', 'attention-masks']) {
    const figure = page.locator(tag);
    const number = await page.locator(`figure:has(${tag}) figcaption .number`).innerText();
    expect(number).toMatch(/^Figure\s\d+$/);
    expect(await figure.getByRole('button', { name: `Tools of ${number}` }).count()).toBe(1);
    await figure.getByRole('button', { name: 'Skip this figure' }).press('Enter');
    expect(await figure.evaluate((element) => element.shadowRoot?.activeElement?.ariaLabel)).toBe(`End of ${number}`);
  }
});

test('a table has a caption, and a row of the masks is headed by its query and its key', async () => {
  const { figure } = await openAlone(open, 'attention-masks');
  await choose(figure, 'Values as a table');
  const table = figure.locator('.figure-values table');
  expect((await table.locator('caption').innerText()).trim()).not.toBe('');
  expect(await table.locator('tbody tr').nth(9).locator('th').allInnerTexts()).toEqual(['2', '2']);
  expect(await table.locator('tbody tr').nth(1).locator('td').allInnerTexts()).toEqual([
    'visible',
    'masked',
    'masked',
    'masked',
    '0',
  ]);
});

test('in a language without texts, a figure says that it speaks English, with English numbers', async () => {
  const { page } = await openAlone(open, 'attention-lookup');
  await page.evaluate(() => {
    document.documentElement.lang = 'de';
    document.querySelector('main')!.replaceChildren(document.createElement('attention-lookup'));
  });
  const figure = page.locator('attention-lookup[drawn]');
  await figure.waitFor();
  expect(await figure.getAttribute('lang')).toBe('en');
  expect(await figure.locator('.readout').innerText()).toContain(lookup(1).mixture);
});

test.each(LANGUAGES)('on a small phone, in %s, sticky controls never hide what has the focus', async (language) => {
  const hidden: string[] = [];
  for (const tag of ['attention-masks', 'attention-lookup', 'follow-word', 'permutation-demo', 'positional-heatmap']) {
    const { page, figure } = await openAlone(open, tag, { language, viewport: { width: 320, height: 640 } });
    await figure.evaluate((element) => (element.style.margin = '100vh 0'));
    await figure.evaluate((element) => element.scrollIntoView({ behavior: 'instant', block: 'end' }));
    const stops = await figure.locator('.stage').locator('a, button, input, [tabindex="0"]').count();
    expect(stops).toBeGreaterThan(0);
    await figure.getByRole('button').first().focus();
    // To the end, and back from “Reset”.
    for (let i = 0; i < 2 * (stops + 4); ++i) {
      if (i === stops + 4) await figure.locator('.tools > button').first().focus();
      const key = i < stops + 4 ? 'Tab' : 'Shift+Tab';
      await page.keyboard.press(key);
      const lost = await page.evaluate((docked) => {
        let active = document.activeElement;
        while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
        if (!active || active === document.body || active.closest(docked)) return '';
        const { x, y, width, height } = active.getBoundingClientRect();
        const spots = [0.1, 0.5, 0.9].flatMap((a) => [0.1, 0.5, 0.9].map((b) => [x + a * width, y + b * height]));
        const isAt = ([x, y]: number[]): boolean => {
          let top = document.elementFromPoint(x!, y!);
          while (top?.shadowRoot) {
            const inner = top.shadowRoot.elementFromPoint(x!, y!);
            if (!inner || inner === top) break;
            top = inner;
          }
          return top === null || !top.closest(docked);
        };
        return spots.some(isAt) ? '' : active.outerHTML.slice(0, 80);
      }, `${DOCKED}, .beside > .board`);
      if (lost !== '') hidden.push(`${tag}, ${key}: ${lost}`);
    }
    await page.close();
  }
  expect(hidden).toEqual([]);
});

test('on a small phone, the symbol that gets the focus is below the picture that sticks to the top', async () => {
  const page = await open({ figures: ['follow-word'], viewport: { width: 320, height: 640 } });
  const figure = page.locator('follow-word');
  await figure.scrollIntoViewIfNeeded();
  await figure.locator('.tools > button').first().focus();
  await page.keyboard.press('Shift+Tab');
  const symbol = figure.locator('.symbol:focus');
  const [{ y }, board] = [(await symbol.boundingBox())!, (await figure.locator('.board').boundingBox())!];
  expect(y).toBeGreaterThan(board.y + board.height);
  expect(y).toBeLessThan(640);
});

test('labels in the language of the page are not marked as English', async () => {
  const page = await open({ path: '/ko/', figures: ['language-model', 'follow-word'] });
  const english = await page.evaluate(() => {
    const all = (root: Document | ShadowRoot): Element[] =>
      [...root.querySelectorAll('*')].flatMap((each) => [each, ...(each.shadowRoot ? all(each.shadowRoot) : [])]);
    const marked = all(document).filter(({ lang }: Element & { lang?: string }) => lang === 'en');
    return { count: marked.length, labels: marked.flatMap((each) => each.ariaLabel ?? []) };
  });
  expect(english.labels).toEqual([]);
  expect(english.count).toBeGreaterThan(20);
});

test.each([
  ['language-model', '.samples', 'aria-pressed'],
  ['follow-word', '.sentence', 'aria-checked'],
  ['binary-positions', '.answers', 'aria-pressed'],
])('where the system gives the colours, what is chosen stands out: %s, %s', async (tag, group, state) => {
  const page = await open({ figures: [tag] });
  await page.emulateMedia({ forcedColors: 'active' });
  const buttons = page.locator(`figure:has(${tag}) ${group}`).getByRole(state === 'aria-checked' ? 'radio' : 'button');
  await buttons.nth(1).click();
  const wrong = await buttons.evaluateAll((all, state) => {
    const probe = document.body.appendChild(document.createElement('p'));
    probe.style.background = 'SelectedItem';
    const selected = getComputedStyle(probe).backgroundColor;
    return all.filter(
      (each) => (getComputedStyle(each).backgroundColor === selected) !== (each.getAttribute(state) === 'true'),
    ).length;
  }, state);
  expect(await buttons.count()).toBeGreaterThan(1);
  expect(wrong).toBe(0);
});

test('the tables in pictures have names', async () => {
  const page = await open({ figures: ['attention-lookup', 'follow-word'] });
  expect(await page.getByRole('table', { name: 'score, weight, share' }).count()).toBe(1);
  expect(await page.getByRole('table', { name: 'A score for each word' }).count()).toBe(1);
});
