import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { attention } from '../support/library.js';
import { openAlone } from './alone.js';
import { useBrowser } from './browser.js';
import { addressOf, CLIPBOARD, csvOf, numberOf, tableOf } from './shown.js';

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

/** What the library itself says to these sizes. */
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
    // 99 is no multiple of 12.
    expect(await figure.locator('.error').innerText()).toBe(libraryError(99, 12));
    await set(figure, 'Width d', 96);
    expect(await shapes(figure)).toEqual(expected(3, 8, 96, 12));
    expect(await figure.locator('.readout').innerText()).toBe('12 × 8 = 96: every head has a width of 8.');
  });

  test('draws a block for each sequence and head', async () => {
    const { figure } = await alone();
    const blocks = (stage: string): Promise<number> =>
      figure.locator(`[data-stage=${stage}] .blocks rect`).count();
    expect(await blocks('input')).toBe(2);
    for (const stage of ['projected', 'split', 'weights', 'mixed']) expect(await blocks(stage)).toBe(10);
    await set(figure, 'Batch size', 3);
    await set(figure, 'Heads h', 4);
    expect(await blocks('weights')).toBe(12);
  });

  test.each([320, 1280])(
    'the library’s own error stands where the heads do not divide the width, and moves nothing at %i px',
    async (width) => {
      for (const language of ['en', 'pt', 'ko', 'tr', 'id']) {
        const { figure } = await alone({ language, viewport: { width, height: 900 } });
        const places = (): Promise<number[]> =>
          figure.evaluate((element) => {
            const top = (part: Element): number => part.getBoundingClientRect().top;
            const parts = [...(element.shadowRoot?.querySelectorAll('.stages, .controls, .tools') ?? [])];
            return parts.map((part) => Math.round(top(part) - top(element)));
          });
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

  test('table and file hold the shapes and how many numbers they are; with an error, those that are reached', async () => {
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

  test('a link brings the sizes back, and reset takes them to the textbook’s', async () => {
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
