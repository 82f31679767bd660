import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { openAlone, smallestTarget, violationsOf, widthOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { CLIPBOARD, addressOf, csvOf, numberOf, tableOf } from '../../shown.js';

const { open, expectErrors } = useBrowser();
/** As wide as in the page, and with room to scroll. */
const WIDE = `document.addEventListener('DOMContentLoaded', () => {
  document.querySelector('main').style.cssText = 'display: block; grid-column: full; padding: 0 1.25rem 100vh';
});`;
const alone = ({ script = '', ...options }: Parameters<typeof openAlone>[2] = {}): ReturnType<typeof openAlone> =>
  openAlone(open, 'follow-word', { script: WIDE + script, ...options });

const change = (figure: Locator, settings: object): Promise<void> =>
  figure.evaluate((element, to) => (element as unknown as { change(to: object): void }).change(to), settings);
const words = (figure: Locator): Promise<string[]> => figure.locator('.sentence button').allInnerTexts();
const chosen = (figure: Locator): Promise<string> => figure.locator('.sentence [aria-checked=true]').innerText();
const bars = (figure: Locator): Locator => figure.getByRole('slider', { name: /^s, / });
const candidates = (figure: Locator): Promise<string[]> =>
  figure.locator('.next button:not(.draw)').evaluateAll((all) => all.map((button) => button.textContent.trim()));
const shares = (figure: Locator): Promise<number[]> =>
  figure
    .locator('.next button > :last-child:not(.draw)')
    .evaluateAll((all) => all.map((each) => parseFloat(each.textContent)));
/** The symbols that are lit, and the parts of the picture, by their classes. */
const lit = async (figure: Locator): Promise<{ symbols: string[]; parts: number }> => ({
  symbols: await figure
    .locator('.symbol.lit')
    .evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset.symbol!)),
  parts: await figure.locator('.board .lit').count(),
});
const ticks = (figure: Locator): Promise<boolean[]> =>
  figure.locator('.goals li').evaluateAll((all) => all.map((item) => item.classList.contains('reached')));

/** Without the goals that earlier tests have reached. */
async function without({ page, figure }: { page: Page; figure: Locator }): Promise<{ page: Page; figure: Locator }> {
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await figure.and(page.locator('[drawn]')).waitFor();
  return { page, figure };
}

describe('follow-word', () => {
  test('fetches the model once, and from those who save data only on request', async () => {
    const fetched = (page: Page): Promise<number> =>
      page.evaluate(
        () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('story-files')).length,
      );
    const { page } = await alone();
    expect(await fetched(page)).toBe(1);
    await page.evaluate(() => document.querySelector('main')!.append(document.createElement('follow-word')));
    await page.locator('follow-word[drawn]').nth(1).waitFor();
    // Both have the same copy.
    expect(await fetched(page)).toBe(1);

    const script = "Object.defineProperty(navigator, 'connection', { value: { saveData: true } });";
    const { page: saving } = await alone({ script });
    await saving.locator('.ask button').waitFor();
    expect(await fetched(saving)).toBe(0);
    await saving.locator('.ask button').click();
    await saving.locator('.rows').waitFor();
    expect(await fetched(saving)).toBe(1);
  });

  test('says so if the model cannot be fetched, and can retry', async () => {
    const page = await open({ path: '/en/follow-word', still: true });
    await page.route('**/story-files-*', (route) => route.abort());
    await page.reload();
    await page.locator('[role=alert]', { hasText: 'could not be loaded' }).waitFor();
    expectErrors(/^failed: .*story-files|ERR_FAILED/);
    await page.unroute('**/story-files-*');
    await page.locator('.ask button').click();
    await page.locator('.board').waitFor();
  });

  test('follows any word, layer and head, by pointer and by keys', async () => {
    const { page, figure } = await alone();
    expect(await words(figure)).toEqual(['start', 'Lily', 'and', 'her', 'mom', 'saw', 'a', 'very', 'big', 'do', 'g']);
    expect(await chosen(figure)).toBe('very');
    expect(await figure.locator('tr.masked').count()).toBe(3);
    expect(await figure.locator('tr.masked td[colspan]').allInnerTexts()).toEqual(['masked', 'masked', 'masked']);
    await figure.locator('.sentence').getByText('mom').click();
    expect(await bars(figure).count()).toBe(5);
    await page.keyboard.press('ArrowLeft');
    expect(await chosen(figure)).toBe('her');
    await page.keyboard.press('End');
    expect(await chosen(figure)).toBe('g');
    expect(await figure.locator('tr.masked').count()).toBe(0);
    // Of the last word, the likeliest next token is told.
    await figure
      .locator('.spoken', { hasText: /Most likely next token: “.+” \(\d+%\)\.$/ })
      .waitFor({ state: 'attached' });

    await figure.getByRole('radio', { name: /^Layer 1, head 1:/ }).click();
    for (const [key, name] of [
      ['ArrowRight', 'Layer 1, head 2'],
      ['ArrowDown', 'Layer 2, head 2'],
      ['End', 'Layer 5, head 8'],
      ['ArrowDown', 'Layer 5, head 8'],
    ] as const) {
      await page.keyboard.press(key);
      expect(await figure.locator('.heads p').innerText()).toBe(name);
      expect(
        await figure.evaluate((element) => element.shadowRoot!.activeElement!.getAttribute('aria-label')),
      ).toContain(name);
    }
    // A head's name says where the word looks.
    const name = await figure.locator('.heads [aria-checked=true]').getAttribute('aria-label');
    const [, key, share] = /looks most at “(.+)” \((\d+)%\)$/.exec(name!)!;
    const weights = (await tableOf(figure)).filter(([head]) => head!.startsWith('k: ')).map((row) => numberOf(row[2]!));
    expect(Math.round(100 * Math.max(...weights))).toBe(Number(share));
    expect((await words(figure))[weights.indexOf(Math.max(...weights))]).toBe(key);
  });

  test('says what a layer reads: embeddings, or what the layers before have made of them', async () => {
    const { figure } = await alone();
    const [first] = await figure.locator('.step').allInnerTexts();
    expect(first).toContain('its embedding');
    await change(figure, { layer: 2, head: 4 });
    const [later, second] = await figure.locator('.step').allInnerTexts();
    expect(later).toContain('In layer 2 the 64 numbers are no longer the embedding alone');
    expect(second).toContain('Heads 3 and 4 share k and v.');
    expect(await figure.locator('.x').getAttribute('aria-label')).toMatch(
      /^x, the input of layer 2 at “very”: 64 numbers from −[\d.]+ to [\d.]+$/,
    );
  });

  test('moves bars by keys and pointer, and everything after them follows', async () => {
    const { page, figure } = await alone({ viewport: { width: 1280, height: 844 } });
    const before = { weights: await figure.locator('.rows .a').allInnerTexts(), next: await candidates(figure) };
    const bar = bars(figure).nth(2);
    await bar.focus();
    await page.keyboard.press('End');
    expect(await bar.getAttribute('aria-label')).toBe('s, the score of “and”');
    expect(await bar.getAttribute('aria-valuetext')).toMatch(/^8.0; weight 9\d%$/);
    expect(await figure.locator('.rows .a').allInnerTexts()).not.toEqual(before.weights);
    expect(await candidates(figure)).not.toEqual(before.next);
    // The first one is another.
    expect((await candidates(figure))[0]).toMatch(/^very big/);
    expect(await figure.locator('.readout').innerText()).toMatch(
      /^“and”: score 8.0, weight 9\d% \(unchanged: 1%\). Most likely next token: “big” \(1\d%\). With unchanged scores: “s” \(13%\).$/,
    );
    // Up and down go to another bar, and only one is a tab stop.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Home');
    expect(await bars(figure).nth(3).getAttribute('aria-valuetext')).toMatch(/^−8.0; weight 0%$/);
    expect(await figure.locator('.rows input[tabindex="0"]').count()).toBe(1);
    await figure.getByRole('button', { name: 'Put the bars back' }).click();
    expect(await candidates(figure)).toEqual(before.next);

    const { x, y, width, height } = (await bars(figure).nth(5).boundingBox())!;
    await page.mouse.move(x + 0.68 * width, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + 0.1 * width, y + height / 2, { steps: 4 });
    await page.mouse.up();
    expect(await bars(figure).nth(5).getAttribute('aria-valuetext')).toMatch(/^−\d.\d; weight 0%$/);
    await figure.locator('.spoken', { hasText: '“saw”: score −' }).waitFor({ state: 'attached' });
  });

  test('moves bars by finger', async () => {
    const { page, figure } = await alone({ viewport: { width: 390, height: 844 }, hasTouch: true });
    await figure.getByRole('button', { name: /^Step 3/ }).tap();
    const bar = bars(figure).nth(2);
    const { x, y, width, height } = (await bar.boundingBox())!;
    await page.touchscreen.tap(x + 0.95 * width, y + height / 2);
    expect(await bar.getAttribute('aria-valuetext')).toMatch(/^[78]\.\d; weight 9\d%$/);
    expect(height).toBeGreaterThanOrEqual(24);
  });

  test('a head, a word or a sentence of their own put the bars back', async () => {
    const { figure } = await alone();
    const moved = async (): Promise<number> => figure.locator('.slider.moved').count();
    for (const choose of [
      () => figure.getByRole('radio', { name: /^Layer 2, head 3/ }).click(),
      () => figure.locator('.sentence').getByText('mom').click(),
      () => figure.getByRole('textbox').fill('The big dog'),
    ]) {
      await change(figure, { moved: [[1, 3]] });
      expect(await moved()).toBe(1);
      await choose();
      expect(await moved()).toBe(0);
    }
  });

  test('symbols light up what they denote, and the reverse', async () => {
    const { page, figure } = await alone();
    const k = figure.locator('.symbol[data-symbol=k]').first();
    await k.hover();
    // Those of all words, and the large one.
    expect(await lit(figure)).toEqual({ symbols: ['k', 'k'], parts: 12 });
    expect(await figure.locator('.readout').innerText()).toBe('k, the key of each word');
    await figure.locator('.rows .v').nth(4).hover();
    expect(await lit(figure)).toEqual({ symbols: ['v', 'v'], parts: 1 });
    expect(await figure.locator('.readout').innerText()).toMatch(/^v, the value of “mom”: (−?\d\.\d\d(; )?){8}$/);
    await figure.locator('.x').hover({ position: { x: 2, y: 5 } });
    const [, said] = /: number 1 is (\S+)$/.exec(await figure.locator('.readout').innerText())!;
    expect(said).toBe((await tableOf(figure))[0]![3]);
    // By keys, with one tab stop.
    expect(await figure.locator('.symbol[tabindex="0"]').count()).toBe(1);
    await figure.locator('.symbol').first().focus();
    for (const symbol of ['q', 'k', 'v', 's']) {
      await page.keyboard.press('ArrowRight');
      expect((await lit(figure)).symbols).toContain(symbol);
    }
    await page.mouse.move(0, 0);
    await figure.locator('.symbol[data-symbol=p]').focus();
    expect(await figure.locator('.next.lit').count()).toBe(1);
  });

  test('goes on with a token, in place of what follows, until no more fit', async () => {
    const { figure } = await alone();
    await figure.getByRole('button', { name: /^very big \d/ }).click();
    expect((await words(figure)).join(' ')).toBe('start Lily and her mom saw a very big');
    expect(await figure.getByRole('textbox').inputValue()).toBe('Lily and her mom saw a very big');
    expect(await chosen(figure)).toBe('big');
    for (let i = 9; i < 20; ++i) await figure.getByRole('button', { name: 'Let chance choose' }).click();
    const full = await words(figure);
    expect(full).toHaveLength(20);
    expect(await figure.locator('.remark').innerText()).toBe('No more than 20 tokens fit here.');
    await figure.locator('.next button').first().click({ force: true });
    expect(await words(figure)).toEqual(full);
    await figure.getByRole('textbox').fill('word '.repeat(40));
    expect(await figure.locator('.remark').innerText()).toBe('Only the first 20 tokens fit here.');
    for (const text of ['日本語 ñ 🦉', '<b>&amp;</b>', ' ', 'a']) {
      await figure.getByRole('textbox').fill(text);
      expect((await words(figure)).length).toBeGreaterThan(1);
    }
  });

  test('a link has the very tokens that were chosen', async () => {
    const { figure } = await alone(CLIPBOARD);
    // No tokenizer would divide the word like this.
    await change(figure, { text: 'The', word: 20 });
    await change(figure, {
      tokens: [1, 407, 261, 378, 403, 261],
      word: 6,
      layer: 4,
      head: 2,
      moved: [[2, -1.5]],
      temperature: 0.5,
    });
    const shown = { words: await words(figure), next: await candidates(figure) };
    const { figure: other } = await alone({ path: await addressOf(figure) });
    expect({ words: await words(other), next: await candidates(other) }).toEqual(shown);
    expect(await other.locator('.slider.moved').count()).toBe(1);
  });

  test('a lower temperature makes the most likely token likelier', async () => {
    const { figure } = await alone();
    const [one = NaN] = await shares(figure);
    await figure.getByRole('slider', { name: 'Temperature T' }).fill('0.2');
    const [sharp = NaN] = await shares(figure);
    await figure.getByRole('slider', { name: 'Temperature T' }).fill('2');
    const [flat = NaN] = await shares(figure);
    expect(sharp).toBeGreaterThan(one);
    expect(flat).toBeLessThan(one);
  });

  test('goals are ticked when they are reached, kept on the device, and forgotten on request', async () => {
    const { page, figure } = await without(await alone());
    expect(await ticks(figure)).toEqual([false, false, false]);
    expect(await figure.locator('.state').first().innerText()).toMatch(
      /^This head: [0-5] of 9 tokens look most there; 6 are enough.$/,
    );
    await figure.getByRole('radio', { name: /^Layer 2, head 7/ }).click();
    expect(await ticks(figure)).toEqual([true, false, false]);
    await figure
      .locator('.spoken', { hasText: 'reached: Find a head that looks one token back.' })
      .waitFor({ state: 'attached' });
    await figure.getByRole('radio', { name: /^Layer 5, head 1/ }).click();
    expect(await ticks(figure)).toEqual([true, true, false]);
    await figure.getByRole('radio', { name: /^Layer 1, head 1/ }).click();
    await bars(figure).nth(2).fill('8');
    expect(await ticks(figure)).toEqual([true, true, true]);
    expect(await figure.getByRole('img', { name: 'reached' }).count()).toBe(3);
    await page.reload();
    await figure.and(page.locator('[drawn]')).waitFor();
    expect(await ticks(figure)).toEqual([true, true, true]);
    await figure.getByRole('button', { name: 'Reset' }).click();
    expect(await ticks(figure)).toEqual([true, true, true]);
    await figure.getByRole('button', { name: 'Clear the ticks' }).click();
    expect(await ticks(figure)).toEqual([false, false, false]);
    await page.reload();
    await figure.and(page.locator('[drawn]')).waitFor();
    expect(await ticks(figure)).toEqual([false, false, false]);
    await change(figure, { goals: false });
    expect(await figure.locator('.goals').count()).toBe(0);
    await figure.getByRole('radio', { name: /^Layer 2, head 7/ }).click();
    await change(figure, { goals: true });
    expect(await ticks(figure)).toEqual([false, false, false]);
  });

  test('a link to a head reaches no goal, and neither do two bars', async () => {
    const { figure } = await without(await alone({ path: '/en/follow-word?follow-word=layer%3D2%26head%3D7' }));
    expect(await ticks(figure)).toEqual([false, false, false]);
    await change(figure, { layer: 1, head: 1, moved: [[1, -8]] });
    await bars(figure).nth(2).fill('8');
    expect(await ticks(figure)).toEqual([false, false, false]);
  });

  test('has every number in its file', async () => {
    const { figure } = await alone();
    const { columns, rows } = await csvOf(figure);
    expect(columns).toHaveLength(3 + 64);
    expect(rows.filter(([name]) => name!.startsWith('k: '))).toHaveLength(11);
    const weights = rows.filter(([name]) => name!.startsWith('k: ')).map((row) => Number(row[2]));
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 5);
    expect(weights.slice(8)).toEqual([0, 0, 0]);
  });

  test('the picture stays while the texts scroll, and shows which step is read', async () => {
    const { page, figure } = await alone({ viewport: { width: 1280, height: 800 } });
    const current = (): Promise<string> => figure.locator('.parts [aria-current=step]').innerText();
    await figure
      .locator('.step')
      .nth(2)
      .evaluate((step) =>
        scrollTo({ top: scrollY + step.getBoundingClientRect().top - innerHeight / 3 + 10, behavior: 'instant' }),
      );
    await page.waitForTimeout(200);
    expect(await current()).toBe('3');
    expect((await figure.locator('.board').boundingBox())!.y).toBeGreaterThanOrEqual(0);
    await figure.getByRole('button', { name: 'Step 6: All heads, and the next token' }).click();
    expect(await current()).toBe('6');
    expect(await figure.evaluate((element) => element.shadowRoot!.activeElement?.textContent)).toContain('All heads');
  });

  test('a narrow picture stays above the texts, and shows the part that they are about', async () => {
    const { figure } = await alone({ viewport: { width: 390, height: 844 } });
    const [input, table, next] = ['.parts .x', '.rows', '.next'].map((part) => figure.locator(part));
    const shown = async (): Promise<boolean[]> => Promise.all([input!, table!, next!].map((part) => part.isVisible()));
    const read = (number: number): Promise<void> =>
      figure
        .locator('.step')
        .nth(number - 1)
        .evaluate((step) =>
          scrollTo({ top: scrollY + step.getBoundingClientRect().top - 0.75 * innerHeight, behavior: 'instant' }),
        );
    await read(1);
    await input!.waitFor();
    expect(await shown()).toEqual([true, false, false]);
    const before = (await figure.boundingBox())!.height;
    await read(4);
    await table!.waitFor();
    expect(await shown()).toEqual([false, true, false]);
    const text = (await figure.locator('.step').nth(3).boundingBox())!;
    const board = (await figure.locator('.board').boundingBox())!;
    expect(board.y).toBeGreaterThanOrEqual(0);
    expect(board.y + board.height).toBeLessThanOrEqual(text.y);
    await figure.getByRole('button', { name: /^Step 6/ }).click();
    expect(await shown()).toEqual([false, false, true]);
    expect((await figure.boundingBox())!.height).toBe(before);
    const saved = await figure.evaluate(async (element) => {
      const { svg } = await (element as unknown as { picture(): Promise<{ svg: string }> }).picture();
      return svg;
    });
    for (const part of ['Layer 1, head 1', 'masked', '13.4%']) expect(saved).toContain(part);
    expect(await shown()).toEqual([false, false, true]);
  });

  test.each([390, 1280])('does not overflow, and axe finds no violations, at %i px', async (width) => {
    const { page, figure } = await alone({ viewport: { width, height: 844 } });
    await change(figure, {
      text: 'Once upon a time, there was a little girl named',
      word: 9,
      moved: [[3, 4]],
      layer: 3,
    });
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    expect(await violationsOf(page, 'follow-word')).toEqual([]);
    expect(await smallestTarget(figure)).toBeGreaterThanOrEqual(24);
  });
});
