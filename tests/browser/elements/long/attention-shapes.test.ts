import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import { attention } from '../../../support/library.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { addressOf, CLIPBOARD, csvOf, numberOf, tableOf } from '../../shown.js';

const { open } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]) => openAlone(open, 'attention-shapes', options);

const shapes = (figure: Locator): Promise<string[]> => figure.locator('.shape').allInnerTexts();
const set = (figure: Locator, name: string, value: number): Promise<void> =>
  figure.getByRole('slider', { name }).fill(String(value));

/** The shapes by the textbook's rules. */
function expected(batch: number, n: number, d: number, heads: number): string[] {
  const input = `(${batch}, ${n}, ${d})`;
  const split = `(${batch * heads}, ${n}, ${d / heads})`;
  return [input, input, split, `(${batch}, ${heads}, ${n}, ${n})`, split, input];
}

/** The library's own error for these sizes. */
function libraryError(numHiddens: number, numHeads: number): string {
  try {
    new attention.MultiHeadAttention({ numHiddens, numHeads }).dispose();
  } catch (error) {
    return String(error);
  }
  throw new Error('expected an error, got none');
}

describe('attention-shapes', () => {
  test('follows the sizes, by keyboard', async () => {
    const { page, figure } = await alone();
    expect(await shapes(figure)).toEqual(expected(2, 4, 100, 5));
    for (const [name, key] of [
      ['Batch size', 'ArrowRight'],
      ['Tokens n', 'End'],
      ['Width d', 'ArrowLeft'],
      ['Heads h', 'End'],
    ] as const) {
      await figure.getByRole('slider', { name }).focus();
      await page.keyboard.press(key);
    }
    // 99 is not a multiple of 12.
    expect(await figure.locator('.error').innerText()).toBe(libraryError(99, 12));
    await set(figure, 'Width d', 96);
    expect(await shapes(figure)).toEqual(expected(3, 8, 96, 12));
    expect(await figure.locator('.readout').innerText()).toContain('12 × 8 = 96: every head has a width of 8.');
  });

  test('a head is highlighted in all shapes: under the pointer, after a click, by keyboard', async () => {
    const { page, figure } = await alone();
    const stages = ['projected', 'split', 'weights', 'mixed'];
    const marked = (): Promise<string[]> =>
      figure
        .locator('.blocks rect.marked')
        .evaluateAll((all) =>
          all.map(
            (block) => `${block.closest<HTMLElement>('li')?.dataset.stage} ${(block as SVGElement).dataset.head}`,
          ),
        );
    const head = (h: number): string[] => stages.flatMap((stage) => [`${stage} ${h}`, `${stage} ${h}`]);
    const block = (stage: string, h: number): Locator =>
      figure.locator(`[data-stage=${stage}] rect[data-head="${h}"]`).first();
    const readout = figure.locator('.readout');
    expect(await marked()).toEqual([]);
    await block('weights', 1).hover();
    expect(await marked()).toEqual(head(1));
    expect(await readout.innerText()).toBe('Head 2: columns 21 to 40 of Q, K and V.');
    await block('split', 4).click();
    await page.mouse.move(0, 0);
    expect(await marked()).toEqual(head(4));
    await set(figure, 'Heads h', 2);
    expect(await marked()).toEqual(head(1));
    await block('mixed', 1).click();
    await page.mouse.move(0, 0);
    const slider = figure.getByRole('slider', { name: 'The head to follow' });
    await set(figure, 'Heads h', 5);
    for (const [key, at] of [
      ['Home', 0],
      ['ArrowRight', 1],
      ['End', 4],
      ['ArrowRight', 4],
    ] as const) {
      await slider.press(key);
      expect(await marked()).toEqual(head(at));
      expect(await slider.getAttribute('aria-valuenow')).toBe(String(at + 1));
    }
    await slider.press('Escape');
    expect(await marked()).toEqual([]);
    expect(await readout.innerText()).toBe(
      '5 × 20 = 100: every head has a width of 20. Point at a head’s block, or use the arrow keys, to follow it.',
    );
    await block('split', 2).click();
    await figure.getByRole('button', { name: 'Reset' }).click();
    await page.mouse.move(0, 0);
    expect(await marked()).toEqual([]);
  });

  test('draws a block for each sequence and head', async () => {
    const { figure } = await alone();
    const blocks = (stage: string): Promise<number> => figure.locator(`[data-stage=${stage}] .blocks rect`).count();
    expect(await blocks('input')).toBe(2);
    for (const stage of ['projected', 'split', 'weights', 'mixed']) expect(await blocks(stage)).toBe(10);
    await set(figure, 'Batch size', 3);
    await set(figure, 'Heads h', 4);
    expect(await blocks('weights')).toBe(12);
  });

  test.each([320, 1280])(
    'the library’s own error stands where the heads do not divide the width, and moves nothing at %i px',
    async (width) => {
      for (const language of LANGUAGES) {
        const { figure } = await alone({ language, viewport: { width, height: 900 } });
        const places = (): Promise<number[]> =>
          figure.evaluate((element) => {
            const top = (part: Element): number => part.getBoundingClientRect().top;
            const parts = [...(element.shadowRoot?.querySelectorAll('.stages, .controls, .tools') ?? [])];
            return parts.map((part) => Math.round(top(part) - top(element)));
          });
        // A font that loads later would move them.
        await figure.evaluate(() => document.fonts.ready.then(() => undefined));
        const before = await places();
        expect(await figure.locator('.error').isVisible()).toBe(false);
        await figure.locator('#heads').fill('12');
        await figure.locator('#width').fill('127');
        expect(await figure.locator('.error').isVisible()).toBe(true);
        expect(await figure.locator('.error').innerText()).toBe(libraryError(127, 12));
        expect((await shapes(figure)).slice(2)).toEqual(['—', '—', '—', '—']);
        expect(await figure.locator('[data-stage=projected] .rest').count()).toBe(2);
        expect(await places()).toEqual(before);
      }
    },
  );

  test('table and file have the shapes and their numbers of elements; with an error, those that are reached', async () => {
    const { figure } = await alone();
    const counts = [800, 800, 800, 160, 800, 800];
    const { columns, rows } = await csvOf(figure);
    expect(columns).toEqual(['stage', 'shape', 'numbers']);
    expect(rows.map((row) => row[1])).toEqual(expected(2, 4, 100, 5));
    expect(rows.map((row) => Number(row[2]))).toEqual(counts);
    expect((await tableOf(figure)).map((row) => numberOf(row[2] ?? ''))).toEqual(counts);
    await set(figure, 'Heads h', 7);
    expect((await csvOf(figure)).rows.map((row) => row[1])).toEqual(['(2, 4, 100)', '(2, 4, 100)']);
  });

  test('a link restores the sizes, and reset the textbook’s', async () => {
    const { page, figure } = await alone(CLIPBOARD);
    await page.bringToFront();
    await set(figure, 'Heads h', 8);
    await set(figure, 'Width d', 64);
    const { figure: again } = await alone({ path: await addressOf(figure) });
    expect(await shapes(again)).toEqual(expected(2, 4, 64, 8));
    await again.getByRole('button', { name: 'Reset' }).click();
    expect(await shapes(again)).toEqual(expected(2, 4, 100, 5));
  });
});
