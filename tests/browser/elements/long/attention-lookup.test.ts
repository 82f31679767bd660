import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { attention } from '../../../support/library.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { addressOf, CLIPBOARD, csvOf, numberOf, tableOf } from '../../shown.js';

const { open } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]) => openAlone(open, 'attention-lookup', options);

interface Settings {
  readonly query: readonly number[];
  readonly keys: readonly number[];
  readonly values: readonly number[];
  readonly valid: number;
  readonly temperature: number;
}

/** The figure's settings, read from its properties. */
const settingsOf = (figure: Locator): Promise<Settings> =>
  figure.evaluate((element) => {
    const { query, keys, values, valid, temperature } = element as HTMLElement & Settings;
    return { query, keys, values, valid, temperature };
  });

/** The lookup in float64, straight from the formula. */
function lookUp({ query, keys, values, valid, temperature }: Settings) {
  const each = [0, 1, 2];
  const at = (list: readonly number[], i: number): number => list[i] ?? NaN;
  const dot = (i: number): number => at(query, 0) * at(keys, 2 * i) + at(query, 1) * at(keys, 2 * i + 1);
  const scores = each.map((i) => (i < valid ? dot(i) / (temperature * Math.SQRT2) : -Infinity));
  const powers = scores.map((score) => Math.exp(score));
  const sum = powers.reduce((a, b) => a + b, 0);
  const weights = powers.map((power) => (sum === 0 ? 0 : power / sum));
  const mixture = [0, 1].map((c) => each.reduce((y, i) => y + at(weights, i) * at(values, 2 * i + c), 0));
  return { scores, weights, mixture };
}

/** The numbers in the chain. */
async function shown(figure: Locator) {
  const column = async (index: number): Promise<number[]> =>
    (await figure.locator(`.chain tbody td:nth-of-type(${index}) .number`).allInnerTexts()).map(numberOf);
  const mixture = await figure.locator('.chain tfoot strong').innerText();
  return {
    scores: await column(1),
    weights: await column(2),
    mixture: mixture.slice(1, -1).split(', ').map(numberOf),
  };
}

/** Expects the formula's numbers; the last decimal may be off by one, because scores are float32. */
async function expectFormula(figure: Locator): Promise<void> {
  const [wanted, found] = [lookUp(await settingsOf(figure)), await shown(figure)];
  const near = (numbers: readonly number[], exact: readonly number[], unit: number): void => {
    expect(numbers.length).toBe(exact.length);
    numbers.forEach((value, i) => {
      if (exact[i] === -Infinity) expect(value).toBe(-Infinity);
      else expect(Math.abs(value - (exact[i] ?? NaN))).toBeLessThan(0.501 * unit);
    });
  };
  near(found.scores, wanted.scores, 0.01);
  near(found.weights, wanted.weights, 0.001);
  near(found.mixture, wanted.mixture, 0.01);
}

/** Where a point of a plane is on the screen: planes show ±3.5 units. */
async function onScreen(plane: Locator, [x, y]: readonly [number, number]): Promise<[number, number]> {
  const box = await plane.boundingBox();
  if (box === null) throw new Error('the plane is not on the screen');
  return [box.x + ((x + 3.5) / 7) * box.width, box.y + ((3.5 - y) / 7) * box.height];
}

const point = (figure: Locator, name: string): Locator => figure.locator(`.handle[data-name=${name}]`);

async function drag(page: Page, handle: Locator, to: readonly [number, number]): Promise<void> {
  const plane = handle.locator('xpath=..');
  const box = await handle.locator('.mark').boundingBox();
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2);
  await page.mouse.down();
  await page.mouse.move(...(await onScreen(plane, to)), { steps: 5 });
  await page.mouse.up();
}

describe('attention-lookup', () => {
  test('shows the scores, weights and mixture of the formula for any setting', async () => {
    const { figure } = await alone();
    await expectFormula(figure);
    await figure.getByRole('slider', { name: 'Temperature T' }).fill('0.3');
    await expectFormula(figure);
    await figure.getByRole('slider', { name: 'Valid keys' }).fill('2');
    await expectFormula(figure);
    expect(await figure.locator('.chain tr.masked').count()).toBe(1);
    await figure.getByRole('slider', { name: 'Valid keys' }).fill('0');
    expect(await shown(figure)).toEqual({
      scores: [-Infinity, -Infinity, -Infinity],
      weights: [0, 0, 0],
      mixture: [0, 0],
    });
    expect(await figure.locator('.readout').innerText()).toContain('No key is valid');
  });

  test('every point goes where the pointer drags it, within the plane', async () => {
    const { page, figure } = await alone();
    await drag(page, point(figure, 'q'), [-1.5, 2]);
    expect((await settingsOf(figure)).query).toEqual([-1.5, 2]);
    await expectFormula(figure);
    await drag(page, point(figure, 'k1'), [2.5, -2.1]);
    expect((await settingsOf(figure)).keys).toEqual([1.4, 0.2, 2.5, -2.1, -1, -1.2]);
    await drag(page, point(figure, 'v2'), [9, 9]);
    expect((await settingsOf(figure)).values).toEqual([2.2, -1, -0.2, 2.2, 3, 3]);
    await expectFormula(figure);
    // After release, the pointer moves nothing.
    const before = await settingsOf(figure);
    await page.mouse.move(...(await onScreen(figure.locator('.plane').first(), [0, 0])));
    expect(await settingsOf(figure)).toEqual(before);
  });

  test('a click moves the held point there: no point needs dragging', async () => {
    const { page, figure } = await alone();
    const [keys, values] = [figure.locator('.plane').first(), figure.locator('.plane').last()];
    await point(figure, 'k2').click();
    await page.mouse.click(...(await onScreen(keys, [0.5, -2.5])));
    expect((await settingsOf(figure)).keys).toEqual([1.4, 0.2, -0.4, 1.8, 0.5, -2.5]);
    // A key cannot enter the plane of the values.
    const before = await settingsOf(figure);
    await page.mouse.click(...(await onScreen(values, [-2.5, 2.5])));
    expect(await settingsOf(figure)).toEqual(before);
    await point(figure, 'v0').click();
    await page.mouse.click(...(await onScreen(values, [-2.5, 2.5])));
    expect((await settingsOf(figure)).values.slice(0, 2)).toEqual([-2.5, 2.5]);
    await expectFormula(figure);
  });

  test('the mixture is visible on its only value, which can still be dragged', async () => {
    const { page, figure } = await alone();
    await figure.getByRole('slider', { name: 'Valid keys' }).fill('1');
    const order = await figure
      .locator('.plane')
      .last()
      .evaluate((plane) => [...plane.children].map((part) => part.getAttribute('class')?.split(' ')[0]));
    expect(order.indexOf('mixture')).toBeGreaterThan(order.lastIndexOf('handle'));
    await drag(page, point(figure, 'v0'), [0.5, 0.5]);
    expect((await settingsOf(figure)).values.slice(0, 2)).toEqual([0.5, 0.5]);
    expect((await shown(figure)).mixture).toEqual([0.5, 0.5]);
  });

  test('arrow keys move the focused point, which announces its place', async () => {
    const { page, figure } = await alone();
    for (const [name, start] of [
      ['q', [1.6, 1.4]],
      ['k0', [1.4, 0.2]],
      ['v2', [-2.2, -1.2]],
    ] as const) {
      await point(figure, name).focus();
      for (const key of ['ArrowRight', 'ArrowUp', 'Shift+ArrowLeft', 'ArrowDown', 'ArrowDown'])
        await page.keyboard.press(key);
      const [x, y] = [start[0] + 0.1 - 0.5, start[1] + 0.1 - 0.2];
      const spoken = `(${x.toFixed(1)}, ${y.toFixed(1)})`.replaceAll('-', '−');
      expect(await point(figure, name).getAttribute('aria-valuetext')).toBe(spoken);
      expect(await point(figure, name).evaluate((handle) => handle.matches(':focus'))).toBe(true);
    }
    await expectFormula(figure);
    await page.keyboard.press('Control+ArrowLeft');
    expect((await settingsOf(figure)).values.slice(4)).toEqual([-2.6, -1.3]);
  });

  test('table and file have the library’s results', async () => {
    const { figure } = await alone();
    await figure.getByRole('slider', { name: 'Valid keys' }).fill('2');
    const { query, keys, values, valid } = await settingsOf(figure);
    const rows = (list: readonly number[]): number[][] => [0, 2, 4].map((i) => list.slice(i, i + 2));
    const { weights, scores } = attention.scaledDotProductAttention([[...query]], rows(keys), rows(values), {
      scale: Math.SQRT1_2,
      validLens: [valid],
      needWeights: true,
      needScores: 'masked',
    });
    const csv = await csvOf(figure);
    expect(csv.columns.slice(0, 5)).toEqual(['key', 'k x', 'k y', 'score', 'weight']);
    const numbers = csv.rows.map((row) => row.map(Number));
    expect(numbers.map((row) => Math.fround(row[4] ?? NaN))).toEqual([...(weights?.data ?? [])]);
    expect(numbers.slice(0, 2).map((row) => Math.fround(row[3] ?? NaN))).toEqual([
      ...(scores?.data.subarray(0, 2) ?? []),
    ]);
    const table = await tableOf(figure);
    expect(table.map((row) => numberOf(row[4] ?? ''))).toEqual(
      [...(weights?.data ?? [])].map((weight) => Number(weight.toFixed(3))),
    );
  });

  test('a link restores all points; reset moves them to their initial places', async () => {
    const { page, figure } = await alone(CLIPBOARD);
    const first = await settingsOf(figure);
    await drag(page, point(figure, 'k0'), [-2, 0.4]);
    await figure.getByRole('slider', { name: 'Temperature T' }).fill('2.5');
    const changed = await settingsOf(figure);
    const { figure: again } = await alone({ path: await addressOf(figure) });
    expect(await settingsOf(again)).toEqual(changed);
    expect(await shown(again)).toEqual(await shown(figure));
    await again.getByRole('button', { name: 'Reset' }).click();
    expect(await settingsOf(again)).toEqual(first);
    await figure.getByRole('button', { name: 'Reset' }).click();
    expect(await settingsOf(figure)).toEqual(first);
  });

  test('four arrows invite the reader to drag the query until it has been dragged; files do not have them', async () => {
    const { page, figure } = await alone();
    const cue = figure.locator('.cue');
    expect(await cue.count()).toBe(1);
    const svg = await figure.evaluate(async (element) => {
      const figure = element as unknown as { picture: () => Promise<{ svg: string }> };
      return (await figure.picture()).svg;
    });
    const shape = (await cue.getAttribute('d')) ?? '';
    expect(shape).not.toBe('');
    expect(svg).not.toContain(shape);
    await drag(page, point(figure, 'q'), [-1.5, 2]);
    expect(await cue.count()).toBe(0);
    await figure.getByRole('button', { name: 'Reset' }).click();
    expect(await cue.count()).toBe(1);
  });

  test('the arrows do not move for readers who prefer reduced motion', async () => {
    const moving = async (reducedMotion: 'reduce' | 'no-preference'): Promise<number> => {
      const { figure } = await alone({ reducedMotion });
      return figure.locator('.cue').evaluate((cue) => cue.getAnimations().length);
    };
    expect(await moving('no-preference')).toBe(1);
    expect(await moving('reduce')).toBe(0);
  });

  test('the planes’ grids have numbers, and T and valid keys are explained', async () => {
    const { figure } = await alone();
    const ticks = await figure
      .locator('.plane')
      .first()
      .locator('.tick')
      .evaluateAll((all) => all.map((tick) => [tick.textContent, tick.getAttribute('x'), tick.getAttribute('y')]));
    const wanted = ['−3', '−2', '−1', '1', '2', '3'];
    for (const tick of wanted) expect(ticks.filter(([text]) => text === tick)).toHaveLength(2);
    const across = await figure
      .locator('.plane .tick', { hasText: /^2$/ })
      .first()
      .evaluate((tick) => Number(tick.getAttribute('x')));
    const point = await figure.locator('.handle[data-name=q]').evaluate((handle) => handle.getAttribute('transform'));
    // The query is at 1.6.
    expect(point).toContain(`translate(${(across * 1.6) / 2} `);
    expect(await figure.locator('.remark').innerText()).toMatch(/larger T .* more even.*masked/s);
  });
});
