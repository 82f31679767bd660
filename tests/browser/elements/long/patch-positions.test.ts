import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { openAlone, violationsOf, widthOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open, expectErrors } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]) => openAlone(open, 'patch-positions', options);

const answer = (figure: Locator): Promise<string> => figure.locator('.name').innerText();
const shares = (figure: Locator): Promise<string[]> => figure.locator('.next dd:not([aria-hidden])').allInnerTexts();
const reason = (figure: Locator): Promise<string> => figure.locator('.readout').first().innerText();
const attention = (figure: Locator): Promise<string> => figure.locator('.readout').last().innerText();
/** Row and column of the framed patch, from 0. */
const framed = (figure: Locator): Promise<[row: number, column: number]> =>
  figure
    .locator('.picture .cursor')
    .evaluate((rect) => [Number(rect.getAttribute('y')) / 8, Number(rect.getAttribute('x')) / 8]);
/** The weights in the map of a head. */
const weights = (figure: Locator, head: number): Promise<number[]> =>
  figure
    .locator('heat-map')
    .nth(head - 1)
    .evaluate((map) => Array.from((map as unknown as { values: Float32Array }).values));
/** The middle of a patch, in the window. */
async function middle(figure: Locator, row: number, column: number): Promise<{ x: number; y: number }> {
  const box = (await figure.locator('.picture').boundingBox())!;
  return { x: box.x + ((column + 0.5) * box.width) / 6, y: box.y + ((row + 0.5) * box.height) / 6 };
}

describe('patch-positions', () => {
  test('fetches its models only with the figure', async () => {
    const page = await open({ path: '/en/further/', figures: [] });
    const fetched = (): Promise<number> =>
      page.evaluate(
        () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('model-files')).length,
      );
    expect(await fetched()).toBe(0);
    await page.locator('patch-positions').scrollIntoViewIfNeeded();
    await page.locator('patch-positions[drawn]').waitFor();
    expect(await fetched()).toBe(1);
  });

  test('without positions shuffling changes nothing but places, with positions it does', async () => {
    const { figure } = await alone();
    expect(await answer(figure)).toMatch(/^Whole circles: 2. The model’s answer: 2 \(99/);
    const shuffle = figure.getByRole('button', { name: 'Shuffle' });
    await shuffle.click();
    expect(await answer(figure)).toMatch(/^Whole circles: 0. The model’s answer: 0 /);
    expect(await reason(figure)).toContain('In the original order it answered 2.');
    await figure.getByRole('button', { name: 'Original order' }).click();

    await figure.getByLabel('positional encoding').uncheck();
    const [before, row] = [await shares(figure), (await weights(figure, 2)).sort()];
    expect(await answer(figure)).toMatch(/^Whole circles: 2. The model’s answer: 1 \(38/);
    expect(await reason(figure)).toContain('it can only guess');
    for (let press = 0; press < 3; ++press) {
      const place = await framed(figure);
      await shuffle.click();
      // The frame moves with its patch.
      expect(await framed(figure)).not.toEqual(place);
      expect(await answer(figure)).toMatch(/^Whole circles: \d. The model’s answer: 1 \(38/);
      expect(await shares(figure)).toEqual(before);
      const now = (await weights(figure, 2)).sort();
      expect(Math.max(...now.map((weight, i) => Math.abs(weight - row[i]!)))).toBeLessThan(1e-6);
      expect(await reason(figure)).toContain('this is the same picture');
    }
  });

  test('shows where the patch that one points at looks', async () => {
    const { page, figure } = await alone();
    expect(await attention(figure)).toMatch(/^In head \d, the framed quarter gives (9\d|100)% /);
    const before = await weights(figure, 1);
    const { x, y } = await middle(figure, 5, 0);
    await page.mouse.move(x, y);
    expect(await framed(figure)).toEqual([5, 0]);
    expect(await attention(figure)).toMatch(/^The framed patch attends most to row \d, column \d: \d+% in head \d\.$/);
    expect(await weights(figure, 1)).not.toEqual(before);
    // Beside the picture nothing changes.
    await page.mouse.move(x, y + 200);
    expect(await framed(figure)).toEqual([5, 0]);
    const sums = await Promise.all(
      [1, 2, 3, 4].map(async (head) => (await weights(figure, head)).reduce((a, b) => a + b)),
    );
    for (const sum of sums) expect(Math.abs(sum - 1)).toBeLessThan(1e-5);
  });

  test('arrow keys choose a patch', async () => {
    const { page, figure } = await alone();
    await figure.locator('.picture').focus();
    expect(await framed(figure)).toEqual([0, 1]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    expect(await framed(figure)).toEqual([1, 2]);
    await page.keyboard.press('Control+End');
    expect(await framed(figure)).toEqual([5, 5]);
    await page.keyboard.press('ArrowRight');
    expect(await framed(figure)).toEqual([5, 5]);
    await page.keyboard.press('Home');
    expect(await framed(figure)).toEqual([5, 0]);
  });

  test('a finger chooses a patch', async () => {
    const { page, figure } = await alone({ viewport: { width: 390, height: 844 }, hasTouch: true });
    await figure.locator('.picture').scrollIntoViewIfNeeded();
    const { x, y } = await middle(figure, 2, 3);
    await page.touchscreen.tap(x, y);
    expect(await framed(figure)).toEqual([2, 3]);
  });

  test('draws other pictures', async () => {
    const { figure } = await alone();
    const path = (): Promise<string | null> => figure.locator('.picture .quarter').getAttribute('d');
    const first = await path();
    await figure.getByRole('button', { name: 'Shuffle' }).click();
    await figure.getByRole('button', { name: 'Another picture' }).click();
    expect(await path()).not.toBe(first);
    expect(await reason(figure)).toContain('It knows where each patch lies');
    await figure.getByRole('button', { name: 'Reset' }).click();
    expect(await path()).toBe(first);
  });

  test('says so if its models cannot be fetched', async () => {
    const page = await open({ path: '/en/further/', figures: [] });
    await page.route('**/model-files-*', (route) => route.abort());
    await page.locator('patch-positions').scrollIntoViewIfNeeded();
    await page.locator('patch-positions .failure').waitFor();
    expectErrors(/model-files|ERR_FAILED/);
  });

  test.each([390, 1280])('does not overflow, and axe finds no violations, at %i px', async (width) => {
    const path = '/en/patch-positions?patch-positions=positions%3Dno%26order%3D3';
    const { page, figure } = await alone({ viewport: { width, height: 844 }, colorScheme: 'dark', path });
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    expect(await violationsOf(page, 'patch-positions')).toEqual([]);
    await figure.getByLabel('positional encoding').check();
    expect(await violationsOf(page, 'patch-positions')).toEqual([]);
  });
});
