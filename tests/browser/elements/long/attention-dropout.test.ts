import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { draw, expectedError, Run } from '../../../../web/elements/attention-dropout/draws.js';
import type { FigureElement } from '../../../../web/elements/kit.js';
import { attention } from '../../../support/library.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { addressOf, CLIPBOARD, csvOf, numberOf, tableOf } from '../../shown.js';

const { open } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]) => openAlone(open, 'attention-dropout', options);
const set = (figure: Locator, name: string, value: number): Promise<void> =>
  figure.getByRole('slider', { name }).fill(String(value));

/** The seed has no control; attributes and links set it. */
const setSeed = (figure: Locator, seed: number): Promise<void> =>
  figure.evaluate((element, seed) => (element as FigureElement).change({ seed }), seed);

/** A heat map's properties. */
const mapped = (figure: Locator, index: number) =>
  figure
    .locator('heat-map')
    .nth(index)
    .evaluate((element) => {
      const { values, mask, high } = element as HTMLElement & {
        values: ArrayLike<number>;
        mask?: boolean[];
        high: number;
      };
      return { values: Array.from(values), mask, high };
    });

/** The distance in the readout after `draws` draws. */
async function distance(figure: Locator, draws: number): Promise<number> {
  const readout = figure.locator('.readout', { hasText: `mean output, N = ${draws.toLocaleString('en')}:` });
  return numberOf((await readout.innerText()).split(':')[1] ?? '');
}

function ran(rate: number, seed: number, draws: number): Run {
  const run = new Run(attention, rate, seed);
  run.advance(draws);
  return run;
}

describe('attention-dropout', () => {
  test('shows the last draw, what it drops, the mean of all draws, and its distance', async () => {
    const { figure } = await alone();
    for (const [rate, seed, draws] of [
      [0.5, 1, 200],
      [0.3, 42, 50],
      [0.9, 42, 1000],
    ] as const) {
      await set(figure, 'Dropout rate p', rate);
      await setSeed(figure, seed);
      await set(figure, 'Draws N', draws);
      const run = ran(rate, seed, draws);
      expect(await distance(figure, draws)).toBeCloseTo(run.errors.at(-1) ?? NaN, 4);
      const { values, mask } = await mapped(figure, 0);
      const { weights } = draw(attention, rate, seed + draws - 1);
      expect(values).toEqual([...weights]);
      expect(mask).toEqual(Array.from(weights, (weight) => weight !== 0));
      expect((await mapped(figure, 1)).values).toEqual([...run.meanWeights]);
    }
  });

  test('pointing at a cell marks it in all three maps, each with its value', async () => {
    const { page, figure } = await alone();
    const told = figure.locator('text.told');
    expect(await told.count()).toBe(0);
    for (const cell of [0, 20, 35]) {
      const [row, column] = [Math.floor(cell / 6), cell % 6];
      const box = (await figure.locator('heat-map .plot').nth(1).boundingBox())!;
      const at = (place: number): number => (place + 0.5) / 6;
      await page.mouse.move(box.x + at(column) * box.width, box.y + at(row) * box.height);
      const values = await Promise.all([0, 1, 2].map(async (map) => (await mapped(figure, map)).values[cell]!));
      expect((await told.allTextContents()).map(Number)).toEqual(
        values.map((value) => expect.closeTo(value, 3) as unknown as number),
      );
      // The value is inside its map, except for its halo, and does not cover its cell.
      const text = (await told.nth(1).boundingBox())!;
      expect(text.x).toBeGreaterThanOrEqual(box.x - 5);
      expect(text.x + text.width).toBeLessThanOrEqual(box.x + box.width + 5);
      expect(text.y + text.height <= box.y + ((row + 0.1) * box.height) / 6 || row === 0).toBe(true);
    }
  });

  test('the three maps have the same scale, on which equal weights have equal colours', async () => {
    const { figure } = await alone();
    const largest = Math.max(...draw(attention).weights);
    const ends = figure.locator('ramp-legend span:last-child');
    const high = Math.ceil(10 * 2 * largest) / 10;
    for (const rate of [0, 0.5, 0.9]) {
      await set(figure, 'Dropout rate p', rate);
      const maps = await Promise.all([0, 1, 2].map((map) => mapped(figure, map)));
      expect(maps.map((map) => map.high)).toEqual([high, high, high]);
      // If a draw goes beyond the scale, its legend says so.
      expect(await ends.allInnerTexts()).toEqual(
        maps.map(({ values }) => (Math.max(...values) > high ? `≥\u00a0${high}` : `${high}`)),
      );
    }
  });

  test('evaluation drops nothing, and the mean of many draws beside it approaches it', async () => {
    const { figure } = await alone();
    const { values, mask } = await mapped(figure, 2);
    expect(values).toEqual([...draw(attention).weights]);
    expect(mask).toBeUndefined();
    await set(figure, 'Draws N', 1);
    const one = await distance(figure, 1);
    await set(figure, 'Draws N', 1000);
    expect(await distance(figure, 1000)).toBeLessThan(one / 8);
    const { values: mean } = await mapped(figure, 1);
    // A draw's weight is w/(1 − p) or 0. At rate 1/2 its standard deviation is w, and that of the mean √1000 times
    // smaller; four of these are allowed.
    mean.forEach((weight, i) => {
      expect(Math.abs(weight - (values[i] ?? NaN))).toBeLessThan((4 * (values[i] ?? NaN)) / Math.sqrt(1000));
    });
  });

  test('a button adds a draw, until there are a thousand', async () => {
    const { page, figure } = await alone();
    await set(figure, 'Draws N', 998);
    await distance(figure, 998);
    const again = figure.getByRole('button', { name: 'Draw again' });
    await again.focus();
    for (const draws of [999, 1000]) {
      await page.keyboard.press('Enter');
      expect(await distance(figure, draws)).toBeCloseTo(ran(0.5, 1, draws).errors.at(-1) ?? NaN, 4);
      expect((await mapped(figure, 0)).values).toEqual([...draw(attention, 0.5, draws).weights]);
    }
    // It keeps the focus, and does nothing more.
    expect(await again.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Enter');
    await distance(figure, 1000);
    expect(await again.evaluate((button) => button.matches(':focus'))).toBe(true);
  });

  test('another seed draws differently, the same seed the same', async () => {
    const { figure } = await alone();
    const first = await mapped(figure, 0);
    await setSeed(figure, 2);
    expect(await mapped(figure, 0)).not.toEqual(first);
    await setSeed(figure, 1);
    expect(await mapped(figure, 0)).toEqual(first);
  });

  test('without dropout every draw is evaluation, and the distance is zero', async () => {
    const { figure } = await alone();
    await set(figure, 'Dropout rate p', 0);
    expect(await distance(figure, 200)).toBe(0);
    expect(await figure.locator('.readout').innerText()).toMatch(/: 0$/);
    expect(await figure.locator('svg.plot').textContent()).toContain('no error without dropout');
    expect((await mapped(figure, 0)).values).toEqual([...draw(attention).weights]);
    expect(await figure.locator('.errors, .last').count()).toBe(0);
  });

  test('table and file have the distance after every draw, and the expected one', async () => {
    const { figure } = await alone();
    await set(figure, 'Draws N', 30);
    const { errors } = ran(0.5, 1, 30);
    const expected = expectedError(attention, 0.5);
    const { rows } = await csvOf(figure);
    expect(rows.map((row) => Number(row[0]))).toEqual(errors.map((_, i) => i + 1));
    rows.forEach((row, i) => {
      // The file has all digits; a few float64 ulps are allowed for other machines' sums and square roots.
      expect(Math.abs(Number(row[1]) / (errors[i] ?? NaN) - 1)).toBeLessThan(1e-12);
      expect(Math.abs(Number(row[2]) / (expected / Math.sqrt(i + 1)) - 1)).toBeLessThan(1e-12);
    });
    const table = await tableOf(figure);
    expect(table.map((row) => numberOf(row[1] ?? ''))).toEqual(errors.map((error) => Number(error.toFixed(3))));
  });

  test('a link restores the draws, and reset ends them', async () => {
    const { figure } = await alone(CLIPBOARD);
    await setSeed(figure, 7);
    await set(figure, 'Draws N', 20);
    await set(figure, 'Dropout rate p', 0.25);
    const shown = await distance(figure, 20);
    const { figure: again } = await alone({ path: await addressOf(figure) });
    expect(await distance(again, 20)).toBe(shown);
    await again.getByRole('button', { name: 'Reset' }).click();
    expect(await distance(again, 200)).toBeCloseTo(ran(0.5, 1, 200).errors.at(-1) ?? NaN, 4);
  });
});
