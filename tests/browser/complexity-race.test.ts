import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { FigureData } from '../../web/elements/shared/figure/figure-data.js';
import {
  CONTESTANTS,
  multiplyAdds,
  sizesAlong,
  type Axis,
  type Size,
} from '../../web/elements/complexity-race/plan.js';
import { attention } from '../support/library.js';
import { violationsOf } from './alone.js';
import { useBrowser, type PageOptions } from './browser.js';

const { open } = useBrowser();
/** Where pages have shared memory, and threads with it. */
const isolated = useBrowser({
  headers: { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' },
});

/** The figure in a page of its own, with these attributes. */
async function figure(
  attributes: Readonly<Record<string, string>> = {},
  options?: PageOptions,
  opens = open,
): Promise<{ page: Page; race: Locator }> {
  const page = await opens({ figures: ['complexity-race'], ...options });
  await page.evaluate((given) => {
    const element = document.createElement('complexity-race');
    for (const [name, value] of Object.entries(given)) element.setAttribute(name, value);
    document.querySelector('main')?.replaceChildren(element);
  }, attributes);
  const race = page.locator('complexity-race');
  await race.locator('.counts').waitFor();
  return { page, race };
}

/** Small sizes: widths from 16 to 1024 over 16 tokens. */
const SMALL = { axis: 'd', length: '16' };

/** What CSV and table are made of. */
const dataOf = (race: Locator): Promise<FigureData> =>
  race.evaluate((element) => {
    const figure = element as unknown as {
      data(library: unknown): FigureData;
      renderFigure(library: unknown): unknown;
    };
    // The figure hands its data the library that it has loaded; it is caught on the way.
    const data = figure.data.bind(figure);
    return new Promise<FigureData>((resolve) => {
      const render = figure.renderFigure.bind(figure);
      figure.renderFigure = (library) => {
        resolve(data(library));
        return render(library);
      };
      (element as unknown as { requestUpdate(): void }).requestUpdate();
    });
  });

/** The heights of the vertical axis' powers of ten, as a function of a count. */
async function heightOf(race: Locator): Promise<(count: number) => number> {
  const grid = await race
    .locator('line.grid')
    .evaluateAll((lines) => lines.map((line) => Number(line.getAttribute('y1'))));
  const texts = await race.locator('svg text[text-anchor="end"]').allTextContents();
  const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
  const least = Number(Array.from(texts[0]?.slice(2) ?? '', (digit) => digits.indexOf(digit)).join(''));
  const [first = NaN, second = NaN] = grid;
  return (count) => first + (Math.log10(count) - least) * (second - first);
}

describe('complexity-race', () => {
  test.each([
    ['n', 256, 128, 3],
    ['d', 1024, 64, 5],
  ] as const)('draws exact counts over %s', async (axis: Axis, n, d, k) => {
    const size: Size = { n, d, k };
    const { race } = await figure({ axis, length: String(n), width: String(d), kernel: String(k) });
    const height = await heightOf(race);
    for (const contestant of CONTESTANTS) {
      const path =
        (await race.locator(`path.series[data-contestant="${contestant}"]`).getAttribute('d')) ?? '';
      const heights = path
        .slice(1)
        .split('L')
        .map((point) => Number(point.split(',')[1]));
      const counts = sizesAlong(axis, size).map((each) => multiplyAdds(attention, contestant, each));
      expect(heights).toHaveLength(counts.length);
      // A path's coordinates have three decimals.
      counts.forEach((count, at) =>
        expect(Math.abs((heights[at] ?? NaN) - height(count))).toBeLessThan(2e-3),
      );
    }
    const table = await race.locator('.counts tbody tr td:nth-child(2)').allInnerTexts();
    expect(table).toEqual(
      CONTESTANTS.map((contestant) => multiplyAdds(attention, contestant, size).toLocaleString('en')),
    );
  });

  test('names the crossings by count', async () => {
    const { race } = await figure();
    expect(await race.locator('p.readout').innerText()).toBe(
      'Attention crosses the CNN at n = 192, by count. Attention crosses the RNN at n = 128, by count.',
    );
    expect(await race.locator('circle.crossing').count()).toBe(2);
  });

  test('measures every point in a worker, names the machine, and shows what it measured', async () => {
    const { page, race } = await figure(SMALL);
    await race.getByRole('button', { name: 'Start the race' }).click();
    await race.getByRole('progressbar').waitFor();
    // The page stays awake meanwhile: what takes long is elsewhere.
    const frames = await page.evaluate(async () => {
      let count = 0;
      for (const end = performance.now() + 500; performance.now() < end; ++count) {
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
      return count;
    });
    expect(frames).toBeGreaterThanOrEqual(10);
    await race.getByRole('button', { name: 'Start the race' }).waitFor({ timeout: 50_000 });
    const { columns, rows } = await dataOf(race);
    expect(rows).toHaveLength(7 * 4);
    const [median, rate, machine] = ['median, ms', '10⁹ multiply–adds a second', 'machine'].map((name) =>
      columns.indexOf(name),
    ) as [number, number, number];
    for (const row of rows) {
      expect(Number(row[median])).toBeGreaterThan(0);
      expect(Number(row[rate])).toBeCloseTo(Number(row[5]) / Number(row[median]) / 1e6, 9);
      expect(row[machine]).toMatch(
        /^Measured on Linux.*Chrom.*processors: \d+; WebAssembly simd128, threads: 1;.*\d{4}/,
      );
    }
    expect(await race.locator('p.machine').innerText()).toBe(rows[0]?.[machine]);
    const height = await heightOf(race);
    const dots = await race
      .locator('path.dot[data-contestant="rnn"]')
      .evaluateAll((all) =>
        all.map((dot) => Number(/ ([\d.]+)\)/.exec(dot.getAttribute('transform') ?? '')?.[1])),
      );
    const times = rows.filter(([name]) => name === 'RNN').map((row) => Number(row[median]));
    expect(dots).toHaveLength(7);
    // The vertical axes lie on each other at 10¹⁰ multiply–adds a second, 10⁷ a millisecond.
    dots.forEach((dot, at) => expect(Math.abs(dot - height((times[at] ?? NaN) * 1e7))).toBeLessThan(1e-6));
  });

  test('where the page is isolated attention and the layer run on several threads as well', async () => {
    // As many as the browser says, of which this machine may have fewer.
    const script = "Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { value: 2 })";
    const { page, race } = await figure(SMALL, { script }, isolated.open);
    await race.getByRole('button', { name: 'Start the race' }).click();
    await race.getByRole('progressbar').waitFor();
    await race.getByRole('button', { name: 'Start the race' }).waitFor({ timeout: 50_000 });
    const { columns, rows } = await dataOf(race);
    const [threads, median] = ['threads', 'median, ms'].map((name) => columns.indexOf(name)) as [
      number,
      number,
    ];
    expect(rows).toHaveLength(7 * (4 + 2));
    expect(rows.filter((row) => row[threads] === 2).map(([name]) => name)).toEqual(
      Array.from({ length: 7 }, () => ['attention', 'whole layer']).flat(),
    );
    for (const row of rows) expect(Number(row[median])).toBeGreaterThan(0);
    expect(await race.locator('path.dot[data-threads="2"]').count()).toBe(2 * 7);
    expect(await race.locator('text.curve-label').allTextContents()).toContain('attention, 2 threads');
    expect(await race.locator('p.machine').innerText()).toContain('threads: 1, 2;');
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  });

  test('stops at once, keeps what it has, and forgets it on reset', async () => {
    const { page, race } = await figure(SMALL);
    await race.getByRole('button', { name: 'Start the race' }).focus();
    await page.keyboard.press('Enter');
    await race.locator('path.dot').nth(1).waitFor();
    const before = await race.evaluate(async (element) => {
      const root = element.shadowRoot;
      root?.querySelector<HTMLButtonElement>('.run button')?.click();
      await new Promise((resolve) => requestAnimationFrame(resolve));
      return {
        running: root?.querySelector('progress') !== null,
        dots: root?.querySelectorAll('.dot').length,
      };
    });
    expect(before.running).toBe(false);
    await page.waitForTimeout(600);
    expect(await race.locator('path.dot').count()).toBe(before.dots);
    await race.evaluate((element) => (element as unknown as { reset(): void }).reset());
    await race.locator('path.dot').first().waitFor({ state: 'detached' });
    expect(await race.locator('p.machine').innerText()).toContain('Nothing has been measured yet');
  });

  test('keeps the counts and says so where there are no workers', async () => {
    const { race } = await figure({}, { script: 'delete globalThis.Worker' });
    await race.getByRole('button', { name: 'Start the race' }).click();
    await race.getByText('The race needs web workers').waitFor();
    expect(await race.locator('.counts tbody tr').count()).toBe(4);
    expect(await race.locator('path.series').count()).toBe(4);
  });

  test('takes every setting by keyboard, and the plot by pointer', async () => {
    const { page, race } = await figure();
    for (const [name, key] of [
      ['Tokens n', 'ArrowRight'],
      ['Width d', 'ArrowLeft'],
      ['Kernel size k', 'ArrowRight'],
    ] as const) {
      await race.getByRole('slider', { name }).focus();
      await page.keyboard.press(key);
    }
    expect(await race.locator('.counts thead th').first().innerText()).toBe('n = 512, d = 64, k = 5');
    await race.getByRole('radio', { name: 'n' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await race.getByRole('radio', { name: 'd' }).isChecked()).toBe(true);
    const box = await race.locator('.plot svg').boundingBox();
    await race.locator('.plot').click({ position: { x: 36, y: (box?.height ?? 0) / 2 } });
    expect(await race.locator('.counts thead th').first().innerText()).toBe('n = 512, d = 16, k = 5');
  });

  test.each([320, 390, 1280])('at %i px nothing overflows', async (width) => {
    const { page, race } = await figure({}, { viewport: { width, height: 800 } });
    await race.locator('svg').first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });

  test('axe finds nothing', async () => {
    const { page } = await figure({}, { colorScheme: 'dark' });
    expect(await violationsOf(page, 'complexity-race')).toEqual([]);
  });
});
