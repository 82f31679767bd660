/** Touch on draggable figures, on a phone. */
import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();

type Spot = readonly [x: number, y: number];

/** Opens a figure on a phone, with room to scroll above and below it. */
async function onPhone(tag: string): Promise<{ page: Page; figure: Locator }> {
  const { page, figure } = await openAlone(open, tag, {
    hasTouch: true,
    viewport: { width: 390, height: 844 },
  });
  await figure.evaluate((element) => (element.style.margin = '50vh 0 150vh'));
  return { page, figure };
}

/** Scrolls an element to the middle of the window and returns its centre. */
async function centreOf(element: Locator): Promise<Spot> {
  await element.evaluate((node) => node.scrollIntoView({ behavior: 'instant', block: 'center' }));
  const { x, y, width, height } = (await element.boundingBox())!;
  return [x + width / 2, y + height / 2];
}

/** Swipes in small steps and returns how far the page has scrolled. */
async function swipe(page: Page, [x, y]: Spot, [across, down]: Spot): Promise<number> {
  const before = await page.evaluate(() => scrollY);
  const session = await page.context().newCDPSession(page);
  const steps = 10;
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
  for (let step = 1; step <= steps; ++step) {
    const at = { x: x + (across * step) / steps, y: y + (down * step) / steps };
    await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [at] });
  }
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await session.detach();
  await page.waitForTimeout(300);
  return (await page.evaluate(() => scrollY)) - before;
}

describe('attention-lookup', () => {
  test.each([
    ['q', 'query', 0],
    ['k1', 'keys', 2],
    ['v2', 'values', 4],
  ] as const)('a finger drags %s anywhere, and the page does not scroll', async (name, list, first) => {
    const { page, figure } = await onPhone('attention-lookup');
    const handle = figure.locator(`.handle[data-name=${name}]`);
    const at = (): Promise<number[]> =>
      figure.evaluate(
        (element, [list, first]) => {
          const all = (element as unknown as Record<string, number[]>)[list] ?? [];
          return all.slice(first, first + 2);
        },
        [list, first] as const,
      );
    const [x = NaN, y = NaN] = await at();
    const plane = (await handle.locator('xpath=..').boundingBox())!;
    const unit = plane.width / 7;
    for (const [across, down] of [
      [0, y > 0 ? 70 : -70],
      [x > 0 ? -60 : 60, 0],
    ] as const) {
      const [fromX = NaN, fromY = NaN] = await at();
      expect(await swipe(page, await centreOf(handle.locator('.mark')), [across, down])).toBe(0);
      const [toX = NaN, toY = NaN] = await at();
      expect(Math.abs(toX - fromX - across / unit)).toBeLessThan(0.15);
      expect(Math.abs(toY - fromY + down / unit)).toBeLessThan(0.15);
    }
  });

  test('a swipe over the plane, beside its points, scrolls the page', async () => {
    const { page, figure } = await onPhone('attention-lookup');
    const plane = figure.locator('.plane').first();
    const [x, y] = await centreOf(plane);
    const { width } = (await plane.boundingBox())!;
    expect(await swipe(page, [x - 0.4 * width, y], [0, -120])).toBeGreaterThan(60);
  });
});

describe('rotary-pairs', () => {
  const position = (figure: Locator): Promise<number> =>
    figure.evaluate((element) => (element as HTMLElement & { query: number }).query);

  test('a finger rotates an arrow, and the page does not scroll', async () => {
    const { page, figure } = await onPhone('rotary-pairs');
    const tip = figure.locator('.tip.query').nth(1);
    const before = await position(figure);
    const [x, y] = await centreOf(tip.locator('.mark'));
    const dial = (await tip.locator('xpath=..').boundingBox())!;
    // A quarter turn clockwise around the dial, towards earlier positions.
    const [across, down] = [x - dial.x - dial.width / 2, y - dial.y - dial.height / 2];
    expect(await swipe(page, [x, y], [-down - across, across - down])).toBe(0);
    expect(before - (await position(figure))).toBe(Math.min(before, 16));
  });

  test('a swipe over a dial, beside its tips, scrolls the page', async () => {
    const { page, figure } = await onPhone('rotary-pairs');
    const dial = figure.locator('.dial').first();
    const [x, y] = await centreOf(dial);
    const { height } = (await dial.boundingBox())!;
    const before = await position(figure);
    expect(await swipe(page, [x, y + 0.45 * height], [0, -120])).toBeGreaterThan(60);
    expect(await position(figure)).toBe(before);
  });
});

describe.each(['positional-curves', 'positional-heatmap'])('%s', (tag) => {
  const column = (figure: Locator): Promise<number> =>
    figure.evaluate((element) => {
      const map = element.shadowRoot?.querySelector('heat-map');
      const { cursor } = (map ?? element) as unknown as { cursor?: number | { column: number } };
      return typeof cursor === 'object' ? cursor.column : (cursor ?? NaN);
    });

  test('follows a finger from left to right', async () => {
    const { page, figure } = await onPhone(tag);
    const plot = figure.locator('.plot, .readable').last();
    const [x, y] = await centreOf(plot);
    const { width } = (await plot.boundingBox())!;
    expect(await swipe(page, [x - 0.3 * width, y], [0.5 * width, 12])).toBe(0);
    const end = await column(figure);
    expect(await swipe(page, [x - 0.3 * width, y], [1, 0])).toBe(0);
    const start = await column(figure);
    const most = await figure.evaluate((element, tag) => {
      const { length, width } = element as unknown as { length: number; width: number };
      return tag === 'positional-curves' ? length : width;
    }, tag);
    expect(end - start).toBeGreaterThan(0.4 * most);
  });

  test('a vertical swipe over it scrolls the page', async () => {
    const { page, figure } = await onPhone(tag);
    expect(await swipe(page, await centreOf(figure.locator('.plot, .readable').last()), [0, -120])).toBeGreaterThan(60);
  });
});

describe('a slider', () => {
  test.each([
    ['positional-curves', 'length'],
    ['rotary-pairs', 'both'],
  ])('of %s (%s) does not move when a finger on its track scrolls the page', async (tag, id) => {
    const { page, figure } = await onPhone(tag);
    const slider = figure.locator(`input[type=range]#${id}`);
    const values = (): Promise<string[]> =>
      figure.locator('input[type=range]').evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value));
    const before = await values();
    const [x, y] = await centreOf(slider);
    const { width } = (await slider.boundingBox())!;
    expect(await swipe(page, [x + 0.3 * width, y], [0, -120])).toBeGreaterThan(60);
    expect(await values()).toEqual(before);
    // It follows a sideways swipe, and stays where it was tapped.
    const again = await centreOf(slider);
    expect(await swipe(page, again, [0.25 * width, 0])).toBe(0);
    const moved = await values();
    expect(moved).not.toEqual(before);
    const [tapX, tapY] = await centreOf(slider);
    await page.touchscreen.tap(tapX - 0.2 * width, tapY);
    expect(await values()).not.toEqual(moved);
  });
});

describe('hints', () => {
  test.each([['positional-heatmap', 'Point at a cell to read its value.', ', or move with the arrow keys,']])(
    'of %s name keys only on devices with keyboards',
    async (tag, brief, keys) => {
      const phone = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } };
      const touched = await openAlone(open, tag, phone);
      expect(await touched.figure.locator('.readout .hint').last().innerText()).toBe(brief);
      const { figure } = await openAlone(open, tag);
      expect((await figure.locator('.readout .hint').last().innerText()).replace(keys, '')).toBe(brief);
      expect(await figure.locator('.readout .hint').last().innerText()).toContain(keys);
    },
  );
});
