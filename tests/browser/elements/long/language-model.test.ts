import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { STILL } from '../../../../web/elements/language-model/samples.js';
import { openAlone, violationsOf, widthOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open, expectErrors } = useBrowser();
const FULL = '…';

/** Waits until the texts are written. */
async function written(figure: Locator, count: number): Promise<string[]> {
  const stories = figure.locator('.line:not(.empty) .story');
  for (let i = 0; i < count; ++i) await stories.nth(i).filter({ hasText: FULL }).waitFor();
  expect(await stories.count()).toBe(count);
  return stories.allInnerTexts();
}

async function loaded(options?: Parameters<typeof openAlone>[2]): Promise<{ page: Page; figure: Locator }> {
  const { page, figure } = await openAlone(open, 'language-model', options);
  await figure.locator('.teller:not([inert])').waitFor();
  return { page, figure };
}

const theSwitch = (figure: Locator): Locator => figure.getByLabel('The model knows where words stand');
const head = (figure: Locator, layer: number, number: number): Locator =>
  figure.getByRole('button', { name: `Layer ${layer}, head ${number}`, exact: true });

describe('language-model', () => {
  test('comes by itself, and goes on where its still ends', async () => {
    const { figure } = await loaded();
    const [story = ''] = await written(figure, 1);
    expect(story.trim().startsWith(STILL)).toBe(true);
  });

  test('waits until a reader who saves data asks for it, and says so if it cannot be fetched', async () => {
    const { page, figure } = await openAlone(open, 'language-model', {
      script: "Object.defineProperty(navigator, 'connection', { value: { saveData: true } });",
    });
    const fetched = (): Promise<number> =>
      page.evaluate(
        () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('story-files')).length,
      );
    await figure.getByText(STILL).waitFor();
    await page.waitForTimeout(500);
    expect(await fetched()).toBe(0);
    await page.route('**/story-files-*', (route) => route.abort());
    await figure.getByRole('button', { name: 'Load the model' }).click();
    await figure.locator('[role=alert]', { hasText: 'could not be loaded' }).waitFor();
    expectErrors(/^failed: .*story-files|ERR_FAILED/);
    await page.unroute('**/story-files-*');
    await figure.getByRole('button', { name: 'Load the model' }).click();
    await written(figure, 1);
  });

  test('falls apart without its order, from the first token that differs', async () => {
    const { figure } = await loaded();
    await theSwitch(figure).uncheck();
    const [plain, changed] = await written(figure, 2);
    expect(plain).toContain('there was a little girl named Lily. She loved to play');
    expect(changed).toMatch(/^Once upon a time, there was a little girl.*(ow|l){10}/s);
    expect(await figure.locator('.changed').first().innerText()).toBe('ily');
    await figure.locator('.stage').getByText('Without order: the story is broken.').waitFor();
    expect(await figure.locator('.reached').count()).toBe(1);
    await theSwitch(figure).check();
    await written(figure, 1);
  });

  test('stands without some heads, and breaks without others; the fewest are kept', async () => {
    const link = (silent: string): string =>
      `/en/language-model?${new URLSearchParams({ 'language-model': `text=One day, a little cat&silent=${silent}` }).toString()}`;
    const { page, figure } = await loaded({ path: link('1.3 1.5 1.6 1.7 2.2 2.3 2.5') });
    await figure.locator('.stage').getByText('7 of 40 heads silent: not broken yet.').waitFor();
    await head(figure, 2, 8).hover();
    await head(figure, 2, 8).click();
    await figure.locator('.stage').getByText('8 of 40 heads silent: the story is broken.').waitFor();
    expect(await figure.locator('.goals').innerText()).toContain('Fewest so far: 8.');
    await figure.getByRole('button', { name: 'Silence layer 2' }).click();
    expect(await figure.locator('.head[aria-pressed=true]').count()).toBe(12);
    await figure.locator('.stage').getByText('12 of 40 heads silent: the story is broken.').waitFor();
    await page.reload();
    await figure.locator('.goals', { hasText: 'Fewest so far: 8.' }).waitFor();
  });

  test('a link to a broken story reaches no goal of who opens it', async () => {
    const settings = new URLSearchParams({ 'language-model': 'positions=no&goals=yes' }).toString();
    const { figure } = await loaded({ path: `/en/language-model?${settings}` });
    await figure.locator('.stage').getByText('Without order: the story is broken.').waitFor();
    expect(await figure.locator('.reached').count()).toBe(0);
  });

  test('by touch, the first tap shows a head and the second one silences it', async () => {
    const { figure } = await loaded({ hasTouch: true, viewport: { width: 390, height: 844 } });
    await head(figure, 3, 1).tap();
    expect(await head(figure, 3, 1).getAttribute('aria-current')).toBe('true');
    expect(await head(figure, 3, 1).getAttribute('aria-pressed')).toBe('false');
    await head(figure, 3, 1).tap();
    expect(await head(figure, 3, 1).getAttribute('aria-pressed')).toBe('true');
  });

  test('draws an arc to each token that the chosen one looks at, by pointer and by keys', async () => {
    const { page, figure } = await loaded({
      path: `/en/language-model?${new URLSearchParams({ 'language-model': 'layer=2&head=4&steps=20' }).toString()}`,
    });
    await written(figure, 1);
    await figure.locator('.story [data-at="9"]').click();
    const { start, end, count } = await figure.locator('.line:not(.empty)').evaluate((line) => {
      const arcs = [...line.querySelectorAll<SVGPathElement>('.arcs path')];
      const thickest = arcs.sort(
        (a, b) => parseFloat(b.getAttribute('stroke-width')!) - parseFloat(a.getAttribute('stroke-width')!),
      )[0]!;
      const { left, top } = line.querySelector('.story')!.getBoundingClientRect();
      const tokenAt = (length: number): string | undefined => {
        const { x, y } = thickest.getPointAtLength(length);
        const root = line.getRootNode() as ShadowRoot;
        return (root.elementFromPoint(left + x, top + y + 6) as HTMLElement).dataset.at;
      };
      return { start: tokenAt(0), end: tokenAt(thickest.getTotalLength()), count: arcs.length };
    });
    // The fixture’s weights say that this head looks one token back.
    expect({ start, end }).toEqual({ start: '9', end: '8' });
    expect(count).toBeGreaterThan(0);
    await figure.locator('.stage').getByText('attends most to').waitFor();
    await figure.locator('.story').first().focus();
    await page.keyboard.press('ArrowRight');
    expect(await figure.locator('.chosen').getAttribute('data-at')).toBe('10');
  });

  test('accepts any beginning, and says if it is too long', async () => {
    const { figure } = await loaded();
    const field = figure.getByRole('textbox');
    for (const text of ['The dog', '日本語 ñ 🦉', '<b>&amp;</b>', ' ']) {
      await field.fill(text);
      const [story = ''] = await written(figure, 1);
      expect(story.trim().startsWith(text.trim())).toBe(true);
    }
    expect(await figure.locator('.stage').getByText('only the first 48 tokens').count()).toBe(0);
    await field.fill('word '.repeat(5000));
    await figure.locator('.stage').getByText('The model reads only the first 48 tokens of this beginning.').waitFor();
  });

  test('a link opens on the same two texts, and a head that does not exist is ignored with the others', async () => {
    const link = new URLSearchParams({ 'language-model': 'positions=no&silent=2.3 9.9&text=Tim had a red ball.' });
    const { figure } = await loaded({ path: `/en/language-model?${link.toString()}` });
    const [plain, changed] = await written(figure, 2);
    expect(plain).toContain('Tim had a red ball. He liked to play');
    expect(changed).toContain('lolololo');
    expect(await figure.locator('.head[aria-pressed=true]').count()).toBe(0);
  });

  test('sends its link', async () => {
    const { page, figure } = await loaded();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await theSwitch(figure).uncheck();
    await figure.getByRole('button', { name: 'Send this' }).click();
    await figure.locator('.foot button', { hasText: 'Link copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('language-model=positions%3Dno');
  });

  test.each([
    ['en', 1280],
    ['en', 390],
    ['ko', 1280],
    ['ko', 390],
  ])('nothing moves while the model comes and writes: %s, %i px', async (language, width) => {
    const { figure } = await openAlone(open, 'language-model', { language, viewport: { width, height: 844 } });
    const top = (): Promise<number> =>
      figure.locator('.switch').evaluate((element) => {
        const host = (element.getRootNode() as ShadowRoot).host;
        return element.getBoundingClientRect().top - host.getBoundingClientRect().top;
      });
    const first = await top();
    await figure.locator('.teller:not([inert])').waitFor();
    expect(await top()).toBe(first);
    await written(figure, 1);
    expect(await top()).toBe(first);
  });

  test.each([390, 1280])('does not overflow, and axe finds no violations, at %i px', async (width) => {
    const { page, figure } = await loaded({ viewport: { width, height: 844 } });
    await figure.evaluate((element) =>
      (element as unknown as { change(to: object): void }).change({ positions: false, silent: ['1.1'], word: 7 }),
    );
    await written(figure, 2);
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    expect(await violationsOf(page, 'language-model')).toEqual([]);
  });
});
