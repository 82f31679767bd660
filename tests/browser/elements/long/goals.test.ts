import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { openAlone, violationsOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();

/** Opens the figure without the goals that earlier tests have reached. */
async function fresh(tag: string, options?: Parameters<typeof openAlone>[2]): Promise<{ page: Page; figure: Locator }> {
  const { page, figure } = await openAlone(open, tag, options);
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await figure.and(page.locator('[drawn]')).waitFor();
  return { page, figure };
}

const change = (figure: Locator, settings: object): Promise<void> =>
  figure.evaluate(async (element, to) => {
    const host = element as HTMLElement & { change(to: object): void; updateComplete: Promise<unknown> };
    host.change(to);
    await host.updateComplete;
  }, settings);
const ticks = (figure: Locator): Promise<boolean[]> =>
  figure.locator('.goals li').evaluateAll((all) => all.map((item) => item.classList.contains('reached')));

/** What a reader does who nearly reaches each goal, and what reaches it. */
const WAYS: Record<string, readonly (readonly [nearly: object, reaches: object])[]> = {
  'attention-lookup': [
    [{ query: [1.6, 1.2] }, { query: [-0.6, 2.7] }],
    [{ query: [1.6, 1.2] }, { query: [1.6, -2.7] }],
    [{ query: [1.6, 1.2] }, { query: [0, 0] }],
    [{ query: [-3, 3] }, { query: [1.6, 1.4] }],
  ],
  'attention-masks': [
    [
      { left: 0, valid: 7 },
      { left: 0, valid: 8 },
    ],
    [
      { causal: true, left: 2, right: 2, valid: 5 },
      { causal: false, left: 2, right: 2, valid: 5 },
    ],
  ],
  'path-lengths': [
    [
      { length: 9, from: 1, to: 9, layers: 5 },
      { length: 9, from: 1, to: 9, layers: 4 },
    ],
    [
      { kernel: 6, from: 2, to: 8 },
      { kernel: 7, from: 2, to: 8 },
    ],
  ],
  'permutation-demo': [
    [{ order: [2, 1, 3, 4, 5] }, { positions: true }],
    [
      { positions: false, causal: true, order: [3, 2, 1, 4, 5] },
      { positions: false, causal: true, order: [1, 2, 4, 3, 5] },
    ],
  ],
  'positional-heatmap': [[{ width: 16 }, { width: 8 }]],
};

describe.each(Object.entries(WAYS))('the goals of %s', (tag, ways) => {
  test('are reached one by one, say why, are kept, and are forgotten on request', async () => {
    const { page, figure } = await fresh(tag);
    const reached = ways.map(() => false);
    expect(await ticks(figure)).toEqual(reached);
    for (const [at, [nearly, reaches]] of ways.entries()) {
      await change(figure, nearly);
      expect(await ticks(figure)).toEqual(reached);
      await change(figure, reaches);
      reached[at] = true;
      expect(await ticks(figure)).toEqual(reached);
      const item = (await figure.locator('.goals li').nth(at).innerText()).trim();
      await figure
        .getByRole('status')
        .filter({ hasText: `reached: ${item.replace(/\s+/g, ' ')}` })
        .waitFor({ state: 'attached' });
    }
    expect(await violationsOf(page, tag)).toEqual([]);
    await page.reload();
    await figure.and(page.locator('[drawn]')).waitFor();
    expect(await ticks(figure)).toEqual(reached);
    await figure.getByRole('button', { name: 'Clear the ticks' }).press('Enter');
    expect(await ticks(figure)).toEqual(ways.map(() => false));
    await change(figure, { goals: false });
    expect(await figure.locator('.goals').count()).toBe(0);
  });
});

test('the goals of attention-lookup are reached in any order, and by any corner and edge', async () => {
  const { figure } = await fresh('attention-lookup');
  // The centre; the middle of the first two values, whose keys are alike; and the third value.
  await change(figure, { query: [0, 0] });
  expect(await ticks(figure)).toEqual([false, false, true, false]);
  await change(figure, { keys: [1.4, 1.8, 1.4, 1.8, -1, -1.2], query: [1.6, 1.4] });
  expect(await ticks(figure)).toEqual([false, true, true, false]);
  await change(figure, { query: [-2.9, -3] });
  expect(await ticks(figure)).toEqual([true, true, true, false]);
});

test.each([
  ['a mask, which is not the query', { valid: 2, query: [0, 0] }],
  ['a mask of all keys but one', { valid: 1 }],
  // 54, 41 and 5 per cent.
  ['keys that are not alike', { query: [1.6, 1.4], temperature: 1.7 }],
  ['values in one place', { values: [1, 1, 1, 1, 1, 1] }],
])('no goal of attention-lookup is reached by %s', async (_, settings) => {
  const { figure } = await fresh('attention-lookup');
  await change(figure, settings);
  expect(await ticks(figure)).toEqual([false, false, false, false]);
});

test('the outputs of permutation-demo change with a causal mask, too', async () => {
  const { figure } = await fresh('permutation-demo');
  await change(figure, { causal: true });
  expect(await ticks(figure)).toEqual([true, false]);
});

describe.each([false, true])('with touch: %s', (hasTouch) => {
  /** Drags through these points. */
  async function drag(page: Page, points: readonly (readonly [x: number, y: number])[]): Promise<void> {
    if (!hasTouch) {
      const [first, ...rest] = points;
      await page.mouse.move(...first!);
      await page.mouse.down();
      for (const point of rest) await page.mouse.move(...point);
      await page.mouse.up();
      return;
    }
    const touch = await page.context().newCDPSession(page);
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints });
    for (const [at, [x, y]] of points.entries()) await send(at === 0 ? 'touchStart' : 'touchMove', [{ x, y }]);
    await send('touchEnd', []);
  }

  test('a dragged word moves, and selects nothing', async () => {
    const { page, figure } = await fresh('permutation-demo', { hasTouch });
    const words = figure.locator('.after');
    const middle = async (at: number): Promise<[number, number]> => {
      const { x, y, height } = (await words.nth(at).boundingBox())!;
      return [x + 8, y + height / 2];
    };
    const before = await words.allInnerTexts();
    const scrolled = await page.evaluate(() => scrollY);
    await drag(page, [await middle(0), await middle(1), await middle(2), await middle(3)]);
    const [first, ...rest] = before;
    expect(await words.allInnerTexts()).toEqual([...rest.slice(0, 3), first, rest[3]]);
    expect(await page.evaluate(() => [String(getSelection()), scrollY])).toEqual(['', scrolled]);
    // Without positions no order changes an output, so there is a hint after three.
    expect(await ticks(figure)).toEqual([false, false]);
    expect(await figure.locator('.goals').innerText()).toContain('Turn on the positional encoding.');
  });

  test('a hand is turned by its tip, and the others follow to a hidden position', async () => {
    const { page, figure } = await fresh('encoding-rotation', { hasTouch });
    const position = (): Promise<number> =>
      figure.evaluate((element) => (element as HTMLElement & { position: number }).position);
    const { x, y, width } = (await figure.locator('.clock svg').first().boundingBox())!;
    const at = (angle: number): [number, number] => {
      const [middle, radius] = [width / 2, width / 2.3];
      return [x + middle + radius * Math.sin(angle), y + middle - radius * Math.cos(angle)];
    };
    // The first hand turns by a radian from position to position.
    await drag(
      page,
      Array.from({ length: 29 }, (_, i) => at(10 + i / 4)),
    );
    expect(await position()).toBe(17);
    expect(await ticks(figure)).toEqual([true, false]);
    await figure.getByRole('button', { name: 'Hide a position' }).press('Enter');
    const marks = figure.locator('.clocks .sought');
    expect(await marks.count()).toBe(7);
    // The second hand shows the position within 20, the third within 63.
    const third = await marks.nth(1).evaluate((mark) => {
      const [x, y] = ['cx', 'cy'].map((name) => Number(mark.getAttribute(name)));
      return Math.atan2(x!, -y!);
    });
    const turn = 2 * Math.PI;
    const found = Math.round(((third + turn) % turn) * 10);
    await change(figure, { position: Math.min(found, 59) });
    expect(await marks.count()).toBe(0);
    expect(await ticks(figure)).toEqual([true, true]);
    expect(await violationsOf(page, 'encoding-rotation')).toEqual([]);
  });
});
