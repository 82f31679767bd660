import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { FigureElement } from '../../../../web/elements/kit.js';
import { openAlone, violationsOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]): Promise<{ page: Page; figure: Locator }> =>
  openAlone(open, 'attention-tokens', options);
/** The words below the large map: the keys. */
const keys = (figure: Locator): Promise<string[]> =>
  figure.locator('.large heat-map .column-ticks text').allTextContents();
const solo = (figure: Locator): Promise<string> => figure.locator('.large .name').innerText();

describe('attention-tokens', () => {
  test('shows six heads over a sample, one of them large, with the entropy of each row', async () => {
    const { figure } = await alone();
    expect(await figure.locator('.heads heat-map').count()).toBe(6);
    // They have no space for labels, and browsers draw some even beside an SVG without a width.
    expect(await figure.locator('.heads :is(.row-ticks, .column-ticks) text').count()).toBe(0);
    const tokens = await keys(figure);
    expect(tokens.slice(0, 4)).toEqual(['The', 'cat', 'sat', 'on']);
    expect(await figure.locator('.entropy text').count()).toBe(tokens.length);
    expect(await solo(figure)).toBe('head 1: same token');
  });

  test('accepts the reader’s sentence, and a second one for the keys', async () => {
    const { figure } = await alone();
    await figure.getByLabel('Your sentence').fill('one two one');
    expect(await keys(figure)).toEqual(['one', 'two', 'one']);
    const choice = figure.getByLabel('a second one (cross-attention)');
    const place = await choice.boundingBox();
    await choice.check();
    // The choice stays in place under the pointer.
    expect((await choice.boundingBox())?.x).toBe(place?.x);
    await figure.getByLabel('Second sentence').fill('two three');
    expect(await keys(figure)).toEqual(['two', 'three']);
    expect(await figure.locator('.entropy text').count()).toBe(3);
  });

  test('truncates 100,000 pasted characters, and says so', async () => {
    const { figure } = await alone();
    await figure.getByLabel('Your sentence').fill('many words '.repeat(9100));
    expect(await figure.locator('.entropy .bar').count()).toBe(32);
    expect(await figure.locator('.remark[role=status]').innerText()).toContain('its first 32 tokens are used');
    await figure.getByLabel('Your sentence').fill('few words');
    expect(await figure.locator('.remark[role=status]').innerText()).toBe('');
  });

  test('works by keyboard alone', async () => {
    const { page, figure } = await alone();
    const maps = figure.getByRole('application');
    await maps.nth(1).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await solo(figure)).toBe('head 2: previous token');
    expect(await figure.locator('.readout').innerText()).toMatch(
      /^Head 2: query “cat” gives key “The” the weight (0\.9\d\d|1\.000)/,
    );
    await figure.getByLabel('causal mask').focus();
    await page.keyboard.press('Space');
    expect(await figure.getByLabel('causal mask').isChecked()).toBe(true);
    expect(await figure.locator('.large heat-map .overlay rect[fill="url(#hatch)"]').count()).toBeGreaterThan(5);
    await figure.getByRole('button', { name: 'Draw new random heads' }).focus();
    const before = await figure.locator('.bits').allInnerTexts();
    for (let press = 0; press < 3; ++press) await page.keyboard.press('Enter');
    const after = await figure.locator('.bits').allInnerTexts();
    expect(after.slice(0, 4)).toEqual(before.slice(0, 4));
    expect(after.slice(4)).not.toEqual(before.slice(4));
  });

  test('without positions the heads that look for neighbours attend uniformly', async () => {
    const { figure } = await alone();
    await figure.getByLabel('Your sentence').fill('a b c d e f g h');
    await figure.getByLabel('positional encoding').uncheck();
    expect((await figure.locator('.bits').allInnerTexts()).slice(1, 4)).toEqual(new Array(3).fill('mean 3.0 bits'));
  });

  test('says what the head for the next token looks at if a mask hides it', async () => {
    const { figure } = await alone();
    const remark = figure.locator('.remark[role=status]');
    const causal = figure.getByLabel('causal mask');
    await figure.evaluate((element) => (element as FigureElement).change({ solo: 3 }));
    expect(await remark.innerText()).toBe('');
    await causal.check();
    expect(await remark.innerText()).toContain('head 3 still sees is the query itself');
    const weights = await figure.locator('.large heat-map').evaluate((map) => {
      const { values, columns } = map as HTMLElement & { values: ArrayLike<number>; columns: number };
      return { values: Array.from(values), columns };
    });
    for (let row = 0; row < weights.columns; ++row) {
      const ofRow = weights.values.slice(row * weights.columns, (row + 1) * weights.columns);
      expect(ofRow.indexOf(Math.max(...ofRow))).toBe(row);
    }
    await figure.getByLabel('positional encoding').uncheck();
    expect(await remark.innerText()).toBe('');
  });

  test('says where the heads for neighbours look at the end of the second sentence', async () => {
    const { figure } = await alone();
    const remark = figure.locator('.remark[role=status]');
    await figure.getByLabel('Your sentence').fill('one two three four');
    await figure.getByLabel('a second one (cross-attention)').check();
    await figure.evaluate((element) => (element as FigureElement).change({ solo: 2 }));
    await figure.getByLabel('Second sentence').fill('a b c');
    expect(await remark.innerText()).toBe('');
    await figure.getByLabel('Second sentence').fill('a b');
    expect(await remark.innerText()).toContain('Beyond the end of the second sentence');
  });

  test('says what the head for the same token looks at if there is none', async () => {
    const { figure } = await alone();
    const remark = figure.locator('.remark[role=status]');
    await figure.getByLabel('Your sentence').fill('One two');
    await figure.getByLabel('a second one (cross-attention)').check();
    await figure.getByLabel('Second sentence').fill('two one three');
    expect(await remark.innerText()).toBe('');
    await figure.getByLabel('Second sentence').fill('two three');
    expect(await remark.innerText()).toContain('without an equal among the keys');
  });

  test('axe finds no violations, before and after use', async () => {
    const { page, figure } = await alone({ colorScheme: 'dark' });
    expect(await violationsOf(page, 'attention-tokens')).toEqual([]);
    await figure.getByRole('application').nth(4).focus();
    await page.keyboard.press('Enter');
    expect(await violationsOf(page, 'attention-tokens')).toEqual([]);
  });
});
