import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { openAlone, violationsOf, widthOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open, expectErrors } = useBrowser();

async function loaded(options?: Parameters<typeof openAlone>[2]): Promise<{ page: Page; figure: Locator }> {
  const { page, figure } = await openAlone(open, 'language-model', options);
  await figure.locator('.ask button').click();
  await figure.locator('head-viewer[drawn]').waitFor();
  return { page, figure };
}

const texts = (figure: Locator): Promise<string[]> => figure.locator('.story').allInnerTexts();

describe('language-model', () => {
  test('fetches the model only on request', async () => {
    const { page, figure } = await openAlone(open, 'language-model');
    const fetched = (): Promise<number> =>
      page.evaluate(
        () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('story-files')).length,
      );
    expect(await fetched()).toBe(0);
    await figure.getByRole('button', { name: 'Values as a table' }).click();
    expect(await figure.locator('.figure-values').innerText()).toBe('There are no attention weights to show yet.');
    await figure.locator('.ask button').click();
    await figure.locator('head-viewer[drawn]').waitFor();
    expect(await fetched()).toBe(1);
  });

  test('generates token by token, or by itself until it is stopped or has no more room', async () => {
    const { figure } = await loaded();
    expect(await texts(figure)).toEqual(['Once upon a time']);
    expect(await figure.locator('.next dt').first().innerText()).toBe(',');
    for (let i = 0; i < 3; ++i) await figure.getByRole('button', { name: 'One token' }).click();
    expect(await texts(figure)).toEqual(['Once upon a time, there was']);
    await figure.getByRole('button', { name: 'Write' }).click();
    await figure.locator('.story', { hasText: 'She wanted to play with it, but it was too high.' }).waitFor();
    await figure.locator('.buttons button[disabled]').first().waitFor();
    // With so many tokens, the axes have numbers.
    for (const axis of ['row', 'column']) {
      const labels = await figure.locator(`heat-map .${axis}-ticks text`).allTextContents();
      expect(labels.length).toBeGreaterThan(2);
      expect(labels.filter((label) => !/^\d+$/.test(label))).toEqual([]);
    }
    await figure.getByRole('button', { name: 'Start again' }).click();
    expect(await texts(figure)).toEqual(['Once upon a time']);
    expect(await figure.locator('heat-map .row-ticks text').allTextContents()).toContain('upon');
  });

  test('compares with a model without positions, with a narrow window, or without a head', async () => {
    const { figure } = await loaded();
    await figure.evaluate((element) => (element as unknown as { change(to: object): void }).change({ steps: 60 }));
    await figure.getByLabel('Use the positions of the tokens').uncheck();
    const [plain, changed] = await texts(figure);
    expect(plain).toContain('there was a little girl named Lily. She loved to play');
    expect(changed).toMatch(/^Once upon a time, there was a little girl.*(ow|l){10}/s);
    expect(await figure.locator('.story mark').count()).toBe(1);
    await figure.getByLabel('Use the positions of the tokens').check();
    expect(await texts(figure)).toEqual([plain]);
    await figure.getByLabel('Tokens that each token sees').fill('4');
    expect((await texts(figure))[1]).not.toBe(plain);
    // From the narrowest window to the widest, and then to all.
    const slider = figure.getByLabel('Tokens that each token sees');
    const said: (string | null)[] = [];
    for (const value of ['1', '2', '32', '33']) {
      await slider.fill(value);
      said.push(await slider.getAttribute('aria-valuetext'));
    }
    expect(said).toEqual(['1', '2', '32', 'all']);
    await figure.getByRole('radio', { name: 'Layer 2, head 3', exact: true }).click();
    await figure.getByLabel('Silence head 3 of layer 2').check();
    expect(await figure.locator('.story').count()).toBe(2);
    await figure.getByRole('button', { name: 'Switch all heads on again (1 silent)' }).click();
    expect(await texts(figure)).toEqual([plain]);
  });

  test('hatches what a token cannot see', async () => {
    const { figure } = await loaded({ path: '/en/language-model?language-model=steps%3D3' });
    const hatched = (): Promise<number> =>
      figure.locator('heat-map').evaluate((map) => {
        const { mask } = map as unknown as { mask: boolean[] };
        const drawn = map.shadowRoot!.querySelectorAll('.overlay [fill="url(#hatch)"]').length;
        return drawn > 0 ? mask.filter((seen) => !seen).length : NaN;
      });
    const count = await figure.locator('heat-map').evaluate((map) => (map as unknown as { rows: number }).rows);
    expect(await hatched()).toBe((count * (count - 1)) / 2);
    await figure.getByLabel('Tokens that each token sees').fill('1');
    expect(await hatched()).toBe(count * (count - 1));
  });

  test('accepts any beginning from the reader', async () => {
    const { figure } = await loaded();
    const field = figure.getByLabel('Beginning of the story (in English)');
    for (const text of ['The dog', '日本語 ñ 🦉', '<b>&amp;</b>', 'word '.repeat(5000), ' ']) {
      await field.fill(text);
      await figure.getByRole('button', { name: 'One token' }).click();
      const [story = ''] = await texts(figure);
      expect(story.length).toBeGreaterThan(Math.min(6, text.trim().length));
    }
    await field.fill('The dog');
    expect(await texts(figure)).toEqual(['The dog']);
  });

  test('has the link’s settings once the model is loaded', async () => {
    const link = new URLSearchParams({ 'language-model': 'steps=6&positions=no&silent=2.3 9.9&layer=2' });
    const bad = await loaded({ path: `/en/language-model?${link.toString()}` });
    // A head that does not exist invalidates the whole setting, but no other one.
    expect(await bad.figure.locator('.thumbnail.silent').count()).toBe(0);
    expect(await bad.figure.locator('.story').count()).toBe(2);
    expect(await bad.figure.locator('.large .name').innerText()).toContain('Layer 2, head 1');
  });

  test('says so if the model cannot be fetched, and can retry', async () => {
    const { page, figure } = await openAlone(open, 'language-model');
    await page.route('**/story-files-*', (route) => route.abort());
    await figure.locator('.ask button').click();
    await figure.locator('[role=status]', { hasText: 'could not be loaded' }).waitFor();
    expectErrors(/^failed: .*story-files|ERR_FAILED/);
    await page.unroute('**/story-files-*');
    await figure.locator('.ask button').click();
    await figure.locator('head-viewer[drawn]').waitFor();
  });

  test.each([390, 1280])('does not overflow, and axe finds no violations, at %i px', async (width) => {
    const { page, figure } = await loaded({ viewport: { width, height: 844 } });
    await figure.evaluate((element) =>
      (element as unknown as { change(to: object): void }).change({
        steps: 100,
        positions: false,
        silent: ['1.1'],
      }),
    );
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    expect(await violationsOf(page, 'language-model')).toEqual([]);
  });
});
