import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { FigureData } from '../../../../web/elements/shared/figure/figure-data.js';
import { useBrowser } from '../../browser.js';
import { heightOf, raceWith, SMALL } from '../../race.js';

const { open } = useBrowser();
/** Headers that isolate the page, so that it has shared memory and threads. */
const isolated = useBrowser({
  headers: { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' },
});

/** The data of CSV and table. */
const dataOf = (race: Locator): Promise<FigureData> =>
  race.evaluate((element) => {
    const figure = element as unknown as {
      data(library: unknown): FigureData;
      renderFigure(library: unknown): unknown;
    };
    // The figure passes its library to `renderFigure`, which is intercepted here.
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

describe('complexity-race', () => {
  test('measures every point in a worker, names the machine, and shows what it measured', async () => {
    const { page, race } = await raceWith(open, SMALL);
    await race.getByRole('button', { name: 'Start the race' }).click();
    await race.getByRole('progressbar').waitFor();
    // The page stays responsive meanwhile, because the work runs in a worker.
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
    const [median, rate, machine] = ['median, ms', '10⁹ multiplications per second', 'machine'].map((name) =>
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
      .evaluateAll((all) => all.map((dot) => Number(/ ([\d.]+)\)/.exec(dot.getAttribute('transform') ?? '')?.[1])));
    const times = rows.filter(([name]) => name === 'RNN').map((row) => Number(row[median]));
    expect(dots).toHaveLength(7);
    // The vertical axes are aligned at 10¹⁰ multiplications per second, 10⁷ per millisecond.
    dots.forEach((dot, at) => expect(Math.abs(dot - height((times[at] ?? NaN) * 1e7))).toBeLessThan(1e-6));
  });

  test('on an isolated page attention and the layer also run on several threads', async () => {
    // As many as the browser reports, which may be more than this machine has.
    const script = "Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { value: 2 })";
    const { page, race } = await raceWith(isolated.open, SMALL, { script });
    await race.getByRole('button', { name: 'Start the race' }).click();
    await race.getByRole('progressbar').waitFor();
    await race.getByRole('button', { name: 'Start the race' }).waitFor({ timeout: 50_000 });
    const { columns, rows } = await dataOf(race);
    const [threads, median] = ['threads', 'median, ms'].map((name) => columns.indexOf(name)) as [number, number];
    expect(rows).toHaveLength(7 * (4 + 2));
    expect(rows.filter((row) => row[threads] === 2).map(([name]) => name)).toEqual(
      Array.from({ length: 7 }, () => ['mixing alone', 'whole layer']).flat(),
    );
    for (const row of rows) expect(Number(row[median])).toBeGreaterThan(0);
    // One for each of the seven sizes, and one before each of the two names.
    expect(await race.locator('path.dot[data-threads="2"]').count()).toBe(2 * 7 + 2);
    expect(await race.locator('text.curve-label').allTextContents()).toContain('mixing alone, 2 threads');
    expect(await race.locator('p.machine').innerText()).toContain('threads: 1, 2;');
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  });
});
