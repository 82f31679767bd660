/** What maps say to screen readers, and play. */
import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { sinusoidalEncoding } from '../../../reference/sinusoidalEncoding.js';
import { useBrowser } from '../../browser.js';
import { heard } from '../../heard.js';
import { choose } from '../../shown.js';
import type { HeatMap } from '../../../../web/elements/shared/heat-map/heat-map.js';

const { open } = useBrowser();

const QUERIES = [
  [1, 0, 0, 0],
  [0.25, 0.75, 0, 0],
  [0.2, 0.2, 0.6, 0],
  [0, 0, 0.5, 0.5],
];

/** A map of attention weights with a causal mask, alone in a page that defines it, between two buttons. */
async function weights(more: Partial<HeatMap> = {}): Promise<{ page: Page; plot: Locator; map: Locator }> {
  const page = await open({ path: '/en/models/', figures: [] });
  await page.evaluate(
    async ({ values, more }) => {
      await customElements.whenDefined('heat-map');
      const map = Object.assign(document.createElement('heat-map'), {
        ...{ values, rows: 4, columns: 4, low: 0, high: 1, origin: 1, label: 'weights', rowName: 'query' },
        ...{ columnName: 'key', mask: values.map((_, at) => at % 4 <= Math.floor(at / 4)), ...more },
      });
      map.style.setProperty('--heat-map-width', '20rem');
      document.querySelector('main')!.replaceChildren(map, document.createElement('button'));
    },
    { values: QUERIES.flat(), more },
  );
  const map = page.locator('heat-map');
  return { page, map, plot: map.locator('.plot') };
}

/** What is heard for each key, one after the other. */
async function forKeys(page: Page, keys: readonly string[]): Promise<string[][]> {
  const said: string[][] = [];
  for (const key of keys) said.push(await heard(page, () => page.keyboard.press(key)));
  return said;
}

describe('a heat map', () => {
  test('is read by the row with up and down, by the cell with left and right, once for each key', async () => {
    const { page, map, plot } = await weights({ rowLabels: ['the', 'cat', 'sat', 'on'], columnLabels: ['the', 'cat', 'sat', 'on'] }); // prettier-ignore
    expect(await heard(page, () => plot.focus())).toEqual(['query 1 the, key 1 the: 1.000']);
    const second = 'query 2 cat: strongest key 2 cat: 75%, 1 the: 25%; 2 masked, coming later; entropy 0.8 bits';
    expect(await forKeys(page, ['ArrowDown', 'ArrowRight', 'ArrowRight', 'Home', 'Home', 'End', 'PageUp'])).toEqual([
      [second],
      ['key 2 cat: 0.750'],
      ['key 3 sat: masked, it comes later'],
      ['key 1 the: 0.250'],
      // At the edge, too, a key is answered.
      ['key 1 the: 0.250'],
      ['key 4 on: masked, it comes later'],
      ['query 1 the: only key 1 the: 100%; 3 masked, coming later; entropy 0.0 bits'],
    ]);
    expect(await forKeys(page, ['Control+End', 'Control+Home'])).toEqual([
      ['query 4 on, key 4 on: 0.500'],
      ['query 1 the, key 1 the: 1.000'],
    ]);
    expect(await forKeys(page, ['PageDown', 'ArrowDown', 'Home'])).toEqual([
      ...Array<string[]>(2).fill(['query 4 on: strongest key 3 sat: 50%, 4 on: 50%; entropy 1.0 bits']),
      ['key 1 the: 0'],
    ]);
    expect(await map.locator('.readout').innerText()).toBe('query 4 on, key 1 the: 0');
    // Leaving is silent, and whoever comes back hears the cell again.
    expect(await forKeys(page, ['Tab', 'Shift+Tab'])).toEqual([[], ['query 4 on, key 1 the: 0']]);
  });

  test('shows that a cell is masked in its readout and its table, too', async () => {
    const { page, map, plot } = await weights({ rowLabels: ['the', 'cat', 'sat', 'on'] });
    await plot.press('End');
    expect(await map.locator('.readout').innerText()).toBe('query 1 the, key 4: masked, it comes later');
    await map.locator('summary').click();
    const table = map.getByRole('table', { name: 'weights' });
    expect(await table.getByRole('columnheader').allInnerTexts()).toEqual(['query \\ key', '1', '2', '3', '4']);
    expect(await table.getByRole('rowheader').allInnerTexts()).toEqual(['1 the', '2 cat', '3 sat', '4 on']);
    const cells = await table.getByRole('cell').allInnerTexts();
    expect(cells.slice(4, 8)).toEqual(['0.250', '0.750', 'masked, it comes later', 'masked, it comes later']);
    expect(cells.slice(12, 14)).toEqual(['0', '0']);
    await page.close();
  });

  test('lets a figure say a cell in its own words, seen and heard', async () => {
    const { page, map, plot } = await weights();
    await map.evaluate((element) => {
      (element as HeatMap).cellText = ({ row, column, value }) => `pair ${row}/${column} of ${value}`;
    });
    await plot.focus();
    expect(await forKeys(page, ['ArrowRight'])).toEqual([['pair 0/1 of 0']]);
    expect(await map.locator('.readout').innerText()).toBe('pair 0/1 of 0');
  });

  test('of a figure with signed values says a row’s least and greatest', async () => {
    const page = await open({ figures: ['positional-heatmap'] });
    await page.locator('positional-heatmap heat-map .plot').focus();
    const { data } = sinusoidalEncoding({ length: 60, dim: 32 });
    const row = Array.from(data.slice(10 * 32, 11 * 32));
    const text = (value: number): string => `column ${row.indexOf(value)}: ${value.toFixed(3)}`.replace('-', '−');
    const [[said]] = (await forKeys(page, ['PageDown'])) as [[string]];
    expect(said).toContain(`position 10: least ${text(Math.min(...row))}; greatest ${text(Math.max(...row))}`);
  });
});

describe('the sound of rows', () => {
  /** Counts the sources that start, with their frequencies, in place of the browser's sound. */
  async function listen(page: Page): Promise<() => Promise<number[]>> {
    await page.evaluate(() => {
      const started: number[] = ((window as unknown as { started: number[] }).started = []);
      const node = { connect: (to: unknown) => to };
      const gain = { setValueAtTime: () => undefined, linearRampToValueAtTime: () => undefined };
      window.AudioContext = class {
        currentTime = 0;
        destination = node;
        resume = (): Promise<void> => Promise.resolve();
        createGain = (): object => ({ ...node, gain });
        createOscillator(): object {
          const frequency = { value: 0 };
          return { ...node, frequency, start: () => void started.push(frequency.value), stop: () => undefined };
        }
      } as unknown as typeof AudioContext;
    });
    return () =>
      page.evaluate(async () => {
        await new Promise((resolve) => setTimeout(resolve, 500));
        return (window as unknown as { started: number[] }).started.splice(0);
      });
  }

  test('is off at first; P plays a row: a tone for each weight, a lower click for what is masked', async () => {
    const { page, plot } = await weights();
    const started = await listen(page);
    await plot.focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
    expect(await started()).toEqual([]);
    expect(await plot.evaluate((element) => element.ariaDescribedByElements?.[0]?.textContent ?? '')).toContain(
      'P plays',
    );
    await page.keyboard.press('p');
    const [first, second, ...clicks] = await started();
    expect(first).toBe(second);
    expect(clicks).toHaveLength(2);
    expect(Math.max(...clicks)).toBeLessThan(first! / 2);
    await page.keyboard.press('Control+End');
    await page.keyboard.press('p');
    // The two zeros of the last row are silent.
    expect(await started()).toHaveLength(2);
  });

  test('is switched on for all figures in the menu of one', async () => {
    const page = await open({ figures: ['attention-masks', 'positional-heatmap'] });
    const started = await listen(page);
    const [masks, encoding] = [page.locator('attention-masks'), page.locator('positional-heatmap')];
    await choose(masks, 'Play rows');
    const plot = encoding.locator('heat-map .plot');
    await plot.focus();
    await page.keyboard.press('ArrowRight');
    expect(await started()).toEqual([]);
    await page.keyboard.press('PageDown');
    const frequencies = await started();
    expect(frequencies.length).toBeGreaterThan(20);
    expect(new Set(frequencies).size).toBe(2);
    await encoding.getByRole('button', { name: /^Tools of/ }).click();
    const tool = encoding.getByRole('button', { name: 'Play rows', pressed: true });
    await tool.click();
    await plot.focus();
    await page.keyboard.press('ArrowDown');
    expect(await started()).toEqual([]);
    await masks.getByRole('button', { name: /^Tools of/ }).click();
    await masks.getByRole('button', { name: 'Play rows', pressed: false }).waitFor();
    expect(await page.locator('binary-positions, positional-curves').getByText('Play rows').count()).toBe(0);
  });
});
