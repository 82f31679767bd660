import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { normalDraws } from '../../../../web/elements/shared/normal-draws.js';
import { rotaryEmbedding } from '../../../reference/rotaryEmbedding.js';
import { openAlone, violationsOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { addressOf, CLIPBOARD, csvOf, numberOf } from '../../shown.js';

const { open } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]) => openAlone(open, 'rotary-pairs', options);

interface Settings {
  readonly query: number;
  readonly key: number;
  readonly seed: number;
}

const settingsOf = (figure: Locator): Promise<Settings> =>
  figure.evaluate((element) => {
    const { query, key, seed } = element as HTMLElement & Settings;
    return { query, key, seed };
  });

/** The two rotated vectors of the formula, in float64. */
function exact({ query, key, seed }: Settings): { q: number[]; k: number[]; products: number[] } {
  const draws = normalDraws(16, seed);
  const at = (data: Float32Array, position: number): number[] => [
    ...rotaryEmbedding({ data, shape: [1, 8] }, { offset: position, interleaved: true }).data,
  ];
  const [q, k] = [at(draws.subarray(0, 8), query), at(draws.subarray(8), key)];
  const products = [0, 2, 4, 6].map((c) => q[c]! * k[c]! + q[c + 1]! * k[c + 1]!);
  return { q, k, products };
}

const sumOf = (products: readonly number[]): number => products.reduce((sum, product) => sum + product, 0);

/** Expects the formula's products and their sum, and arrows that show its vectors on the same scale. */
async function expectFormula(figure: Locator): Promise<void> {
  const { q, k, products } = exact(await settingsOf(figure));
  const printed = (await figure.locator('.product').allInnerTexts()).map(numberOf);
  printed.forEach((value, r) => expect(Math.abs(value - products[r]!)).toBeLessThan(0.000501));
  expect(Math.abs((await sumShown(figure)) - sumOf(products))).toBeLessThan(0.000501);
  for (const [arrow, vector] of [
    ['key', k],
    ['query', q],
  ] as const) {
    const tips = await figure
      .locator(`line.${arrow}`)
      .evaluateAll((all) => all.flatMap((line) => [Number(line.getAttribute('x2')), -Number(line.getAttribute('y2'))]));
    const scale = Math.hypot(...tips) / Math.hypot(...vector);
    tips.forEach((at, c) => expect(Math.abs(at - scale * vector[c]!)).toBeLessThan(1e-3));
    expect(scale).toBeGreaterThan(10);
  }
}

async function sumShown(figure: Locator): Promise<number> {
  return numberOf(/products: (.+?)\. Largest/.exec(await figure.locator('.readout').innerText())?.[1] ?? '');
}

/** Drags the tip of an arrow around its dial by an angle in radians, counterclockwise. */
async function turnTip(figure: Locator, pair: number, arrow: string, angle: number): Promise<void> {
  const { mouse } = figure.page();
  const picture = figure.locator('.dial').nth(pair);
  const middleOf = async (locator: Locator): Promise<[number, number]> => {
    const { x, y, width, height } = (await locator.boundingBox())!;
    return [x + width / 2, y + height / 2];
  };
  const [x, y] = await middleOf(picture);
  const [fromX, fromY] = await middleOf(picture.locator(`.tip.${arrow} .mark`));
  const [start, radius] = [Math.atan2(y - fromY, fromX - x), Math.hypot(fromX - x, fromY - y)];
  await mouse.move(fromX, fromY);
  await mouse.down();
  const steps = 12;
  for (let step = 1; step <= steps; ++step) {
    const at = start + (angle * step) / steps;
    await mouse.move(x + radius * Math.cos(at), y - radius * Math.sin(at));
  }
  await mouse.up();
}

describe('rotary-pairs', () => {
  test('shows the rotated pairs, their products and the sum', async () => {
    const { figure } = await alone();
    await expectFormula(figure);
    await figure.getByRole('slider', { name: 'Query position i', exact: true }).fill('33');
    await figure.getByRole('slider', { name: 'Key position j', exact: true }).fill('1');
    await figure.getByRole('button', { name: 'Draw another' }).click();
    expect(await settingsOf(figure)).toEqual({ query: 33, key: 1, seed: 279 });
    await expectFormula(figure);
  });

  test('moving both positions together keeps the sum; the mark in the plot moves only with the offset', async () => {
    const { page, figure } = await alone();
    const both = figure.getByRole('slider', { name: 'Both together' });
    const mark = (): Promise<string | null> => figure.locator('.dot').getAttribute('cx');
    const [before, at] = [await sumShown(figure), await mark()];
    // As far as there are positions before the key and after the query.
    expect([await both.getAttribute('min'), await both.getAttribute('max')]).toEqual(['6', '40']);
    await both.focus();
    for (const key of ['ArrowRight', 'PageUp', 'End', 'ArrowLeft', 'Home']) {
      await page.keyboard.press(key);
      const { query, key: position } = await settingsOf(figure);
      expect(position - query).toBe(-6);
      expect(await sumShown(figure)).toBe(before);
      expect(await mark()).toBe(at);
      await expectFormula(figure);
    }
    expect(await settingsOf(figure)).toEqual({ query: 6, key: 0, seed: 278 });
    expect(await both.getAttribute('aria-valuetext')).toBe('i\u00a0=\u00a06, j\u00a0=\u00a00');
    await figure.getByRole('slider', { name: 'Key position j', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await sumShown(figure)).not.toBe(before);
    expect(await mark()).not.toBe(at);
  });

  test.each([390, 1280])('dragging an arrow by its tip changes the angle as far (%i px)', async (width) => {
    const { figure } = await alone({ viewport: { width, height: 844 } });
    await turnTip(figure, 1, 'query', 0.5);
    expect(await settingsOf(figure)).toEqual({ query: 17, key: 6, seed: 278 });
    await turnTip(figure, 0, 'key', 3);
    expect(await settingsOf(figure)).toEqual({ query: 17, key: 9, seed: 278 });
    await turnTip(figure, 1, 'query', -3);
    expect((await settingsOf(figure)).query).toBe(0);
    await expectFormula(figure);
    // After release, the pointer moves nothing.
    await figure.page().mouse.move(0, 0);
    expect((await settingsOf(figure)).query).toBe(0);
  });

  test('keys rotate each arrow by its tip, which is a slider; only those of the first pair are tab stops', async () => {
    const { page, figure } = await alone();
    const tips = figure.locator('.dial').getByRole('slider');
    expect(await tips.evaluateAll((all) => all.map((tip) => (tip as SVGElement).tabIndex))).toEqual([
      ...[0, 0],
      ...[-1, -1, -1, -1, -1, -1],
    ]);
    const tip = figure.getByRole('slider', { name: 'Query position i, θ₁' });
    expect(await tip.getAttribute('aria-valuetext')).toBe('12');
    await tip.focus();
    await page.keyboard.press('ArrowUp');
    expect(await tip.getAttribute('aria-valuetext')).toBe('13');
    expect(await tip.evaluate((element) => element.matches(':focus-visible'))).toBe(true);
    for (const [key, query] of [
      ['ArrowRight', 14],
      ['Shift+ArrowRight', 19],
      ['Shift+ArrowLeft', 14],
      ['Control+ArrowLeft', 14],
    ] as const) {
      await page.keyboard.press(key);
      expect(await settingsOf(figure)).toEqual({ query, key: 6, seed: 278 });
    }
    await figure.getByRole('slider', { name: 'Key position j, θ₀' }).focus();
    for (let count = 0; count < 2; ++count) await page.keyboard.press('Shift+ArrowDown');
    expect(await settingsOf(figure)).toEqual({ query: 14, key: 0, seed: 278 });
    await expectFormula(figure);
  });

  test('a link restores the positions, and the file has the pairs', async () => {
    const { figure } = await alone(CLIPBOARD);
    await figure.getByRole('slider', { name: 'Key position j', exact: true }).fill('20');
    const { figure: again } = await alone({ path: await addressOf(figure) });
    expect(await settingsOf(again)).toEqual({ query: 12, key: 20, seed: 278 });
    const { rows } = await csvOf(again);
    const { q, k, products } = exact(await settingsOf(again));
    const wanted = [0, 1, 2, 3].map((r) => [
      r,
      10 ** -r,
      ...q.slice(2 * r, 2 * r + 2),
      ...k.slice(2 * r, 2 * r + 2),
      products[r]!,
    ]);
    rows.flat().forEach((value, at) => expect(Math.abs(Number(value) - wanted.flat()[at]!)).toBeLessThan(1e-5));
    await again.getByRole('button', { name: 'Reset' }).click();
    expect(await settingsOf(again)).toEqual({ query: 12, key: 6, seed: 278 });
  });

  test('axe finds no violations, before and after use', async () => {
    const { page, figure } = await alone({ colorScheme: 'dark' });
    expect(await violationsOf(page, 'rotary-pairs')).toEqual([]);
    await figure.getByRole('slider', { name: 'Query position i', exact: true }).fill('0');
    expect(await violationsOf(page, 'rotary-pairs')).toEqual([]);
  });
});
