import { describe, expect, test } from '@jest/globals';
import { openAlone, violationsOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { attention } from '../../../support/library.js';
import { maskScene } from '../../../../web/elements/attention-masks/scene.js';
import { blues, picture } from '../../canvas.js';
import { csvOf } from '../../shown.js';

const { open } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]) => openAlone(open, 'attention-masks', options);

describe('attention-masks', () => {
  test('shows the three masks, their conjunction, and the library’s weights under it', async () => {
    const { figure } = await alone();
    const visible = await figure
      .locator('.factors svg')
      .evaluateAll((maps) => maps.map((map) => map.querySelectorAll('.visible').length));
    // 5 of 8 columns; the lower triangle; three diagonals; and their conjunction.
    expect(visible).toEqual([40, 36, 21, 15]);
    expect(await figure.locator('.sign').allInnerTexts()).toEqual(['and', 'and', '=']);
    const given = { valid: 5, causal: true, window: true, left: 2, right: 0, seed: 1 };
    const { weights } = maskScene(attention, given);
    const { cells } = await picture(figure.locator('heat-map canvas.cells'), 8, 8);
    expect(cells).toEqual(Array.from(weights, (weight) => blues(weight, 0, 1)));
    const { rows } = await csvOf(figure);
    expect(rows.map((row) => Math.fround(Number(row.at(-1))))).toEqual(Array.from(weights));
    expect(await figure.locator('.readout').last().innerText()).toContain('Query 8 has no key left: its weights');
  });

  test('on a dark page weights of zero are nearly as dark as the paper', async () => {
    const { figure } = await alone({ colorScheme: 'dark' });
    const { cells } = await picture(figure.locator('heat-map canvas.cells'), 8, 8);
    const brightness = (pixel: string): number => Math.max(...pixel.split(',').slice(0, 3).map(Number));
    // The first query sees one key; the last sees none.
    expect(brightness(cells[0]!)).toBeGreaterThan(200);
    for (const cell of cells.slice(-8)) expect(brightness(cell)).toBeLessThan(64);
  });

  test('works by keyboard alone, and says which masks hide a pair', async () => {
    const { page, figure } = await alone();
    await figure.getByRole('slider', { name: 'Window: keys to the left' }).focus();
    await page.keyboard.press('End');
    await figure.getByRole('slider', { name: 'Window: keys to the right' }).focus();
    await page.keyboard.press('End');
    await figure.getByLabel('causal mask').focus();
    await page.keyboard.press('Space');
    expect(await figure.locator('.factor').last().locator('.visible').count()).toBe(40);
    expect(await figure.locator('.readout').last().innerText()).toContain('Every query sees at least one key');
    await page.keyboard.press('Space');
    await figure.getByRole('application').focus();
    await page.keyboard.press('End');
    expect(await figure.locator('.readout').first().innerText()).toBe(
      'Query 1 does not see key 8 (padding, causal); weight 0',
    );
    await figure.getByRole('slider', { name: 'Valid length' }).focus();
    await page.keyboard.press('Home');
    expect(await figure.locator('.readout').last().innerText()).toContain(
      'No query has a key left: all weights are zero',
    );
  });

  test('frames marked rows in the masks and in the weights', async () => {
    const { figure } = await alone();
    await figure.evaluate((element) => element.setAttribute('marked', '7'));
    const rows = figure.locator('.factors .held');
    expect(await rows.evaluateAll((all) => all.map((row) => row.getAttribute('y')))).toEqual(new Array(4).fill('6'));
    expect(await figure.locator('heat-map .marked').getAttribute('y')).toBe('75%');
  });

  test('axe finds no violations, before and after use', async () => {
    const { page, figure } = await alone({ colorScheme: 'dark' });
    expect(await violationsOf(page, 'attention-masks')).toEqual([]);
    await figure.getByRole('checkbox').nth(1).uncheck();
    expect(await violationsOf(page, 'attention-masks')).toEqual([]);
  });
});
