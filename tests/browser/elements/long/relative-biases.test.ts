import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { alibiBias } from '../../../reference/alibiBias.js';
import { bucketOf } from '../../../reference/t5RelativeBuckets.js';
import { openAlone, violationsOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { heard } from '../../heard.js';
import { picture, signed } from '../../canvas.js';
import { addressOf, CLIPBOARD, csvOf, numberOf } from '../../shown.js';

const { open } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]) => openAlone(open, 'relative-biases', options);

const N = 24;
const EMPTY = '0,0,0,0';
const pairs = Array.from({ length: N * N }, (_, at) => [Math.floor(at / N), at % N] as const);
const cellsOf = async (figure: Locator): Promise<readonly string[]> =>
  (await picture(figure.locator('heat-map canvas.cells'), N, N)).cells;
const slider = (figure: Locator, name: string): Locator => figure.getByRole('slider', { name });

describe('relative-biases', () => {
  test('paints ALiBi’s biases of all heads on one scale, and leaves masked cells empty', async () => {
    const { figure } = await alone();
    for (const head of [1, 4]) {
      await slider(figure, 'Head t').fill(String(head));
      const bias = alibiBias({ numHeads: 8, queryLength: N, isCausal: true }).data;
      const own = Array.from(bias).slice((head - 1) * N * N, head * N * N);
      expect(await cellsOf(figure)).toEqual(own.map((value) => (value === -Infinity ? EMPTY : signed(value, 11.5))));
      expect(await figure.locator('.readout').innerText()).toContain(`head ${head} of 8: the slope is ${2 ** -head},`);
    }
    // The masked half of the bars is hatched, beyond offset 0.
    const hatched = figure.locator('.chart rect[fill="url(#hatch)"]');
    const [zero, end] = await Promise.all(
      [figure.locator('.chart .bar').last(), hatched].map((each) => each.boundingBox()),
    );
    expect(end!.x - (zero!.x + zero!.width)).toBeCloseTo(0.75, 1);
    await figure.getByLabel('causal mask').uncheck();
    expect(await hatched.count()).toBe(0);
    const both = alibiBias({ numHeads: 8, queryLength: N, symmetric: true }).data;
    const own = Array.from(both).slice(3 * N * N, 4 * N * N);
    expect(await cellsOf(figure)).toEqual(own.map((value) => signed(value, 11.5)));
  });

  test('limits the head to the number of heads', async () => {
    const { figure } = await alone();
    await slider(figure, 'Head t').fill('8');
    await slider(figure, 'Heads h').fill('4');
    expect(await slider(figure, 'Head t').inputValue()).toBe('4');
    expect(await slider(figure, 'Head t').getAttribute('max')).toBe('4');
    expect(await figure.locator('.readout').innerText()).toContain('head 4 of 4: the slope is 0.00391,');
  });

  test('T5: cells have the same colour exactly if they share a bucket, and the bar under the cursor is marked', async () => {
    const { page, figure } = await alone();
    await figure.getByRole('radio', { name: 'T5' }).check();
    await figure.getByLabel('causal mask').uncheck();
    for (const bidirectional of [true, false]) {
      await figure.getByLabel('separate buckets').setChecked(bidirectional);
      const cells = await cellsOf(figure);
      const buckets = pairs.map(([i, j]) => bucketOf(j - i, { bidirectional, numBuckets: 8, maxDistance: 16 }));
      const colours = new Map(buckets.map((bucket, at) => [bucket, cells[at]]));
      expect(cells).toEqual(buckets.map((bucket) => colours.get(bucket)));
      expect(new Set(colours.values()).size).toBe(colours.size);
      expect(await figure.locator('.readout').innerText()).toContain(`${colours.size} of the table’s 8 rows`);
    }
    await figure.getByRole('application').focus();
    await page.keyboard.press('ArrowRight');
    expect(await figure.locator('.readout').innerText()).toMatch(
      /^Query 0, key 1, offset 1: bucket 0, which adds 0.236/,
    );
    // Later keys share the bucket of distance 0, so their bar is the widest.
    const widths = await figure
      .locator('.bar')
      .evaluateAll((all) => all.map((bar) => [bar.getAttribute('class'), Number(bar.getAttribute('width'))] as const));
    expect(widths.filter(([name]) => name?.includes('held'))).toHaveLength(1);
    expect(widths.at(-1)?.[0]).toContain('held');
    expect(Math.max(...widths.map(([, width]) => width))).toBe(widths.at(-1)?.[1]);
  });

  test('Shaw: shows the clipped offset of each key’s vector, and its row', async () => {
    const { page, figure } = await alone({ colorScheme: 'dark' });
    await figure.getByRole('radio', { name: 'Shaw' }).check();
    await figure.getByLabel('causal mask').uncheck();
    await slider(figure, 'Clip distance').fill('3');
    expect(await cellsOf(figure)).toEqual(pairs.map(([i, j]) => signed(Math.max(-3, Math.min(3, j - i)), 3, true)));
    await figure.getByRole('application').focus();
    await page.keyboard.press('End');
    // The figure may still speak of its settings.
    const [said] = await heard(page, () => page.keyboard.press('ArrowDown'));
    expect(said).toBe('Query 1, key 23, offset 22: row 6 of the table, a₃');
    expect(await figure.locator('.readout').innerText()).toBe(said);
    await figure.getByLabel('causal mask').check();
    expect(await figure.locator('.readout').innerText()).toContain('hidden by the causal mask');
    expect(await figure.locator('#shown').textContent()).toContain('4 of the table’s 7 rows');
  });

  test('a mouse reads a cell: ALiBi’s slope times the distance', async () => {
    const { page, figure } = await alone();
    const box = (await figure.locator('heat-map canvas.cells').boundingBox())!;
    await page.mouse.move(box.x + (5.5 / N) * box.width, box.y + (9.5 / N) * box.height);
    expect(await figure.locator('.readout').innerText()).toBe('Query 9, key 5, offset −4: −0.5 × 4 = −2');
    expect(await figure.locator('.bar.held').count()).toBe(1);
  });

  test('works by keyboard alone; a link restores it, and the file has the map', async () => {
    const { page, figure } = await alone(CLIPBOARD);
    await figure.getByRole('radio', { name: 'ALiBi' }).focus();
    for (const key of ['ArrowRight', 'Tab', 'Home', 'Tab', 'End', 'Tab', 'Space', 'Tab', 'Space'])
      await page.keyboard.press(key);
    const { figure: again } = await alone({ path: await addressOf(figure) });
    const settings = await again.evaluate((element) => {
      const figure = element as unknown as Record<string, unknown>;
      return ['scheme', 'buckets', 'distance', 'causal', 'bidirectional'].map((name) => figure[name]);
    });
    expect(settings).toEqual(['t5', 4, 24, false, false]);
    expect(await cellsOf(again)).toEqual(await cellsOf(figure));
    const { rows } = await csvOf(again);
    const values = rows.flatMap((row) => row.slice(1).map(numberOf));
    const invented = [0, 1, 2, 3].map((row) => 2 * (((row + 1) * 0.618034) % 1) - 1);
    const options = { bidirectional: false, numBuckets: 4, maxDistance: 24 };
    pairs.forEach(([i, j], at) => expect(values[at]).toBeCloseTo(invented[bucketOf(j - i, options)]!, 6));
  });

  test('axe finds no violations in any scheme', async () => {
    const { page, figure } = await alone();
    for (const scheme of ['ALiBi', 'T5', 'Shaw']) {
      await figure.getByRole('radio', { name: scheme }).check();
      expect(await violationsOf(page, 'relative-biases')).toEqual([]);
    }
  });
});
