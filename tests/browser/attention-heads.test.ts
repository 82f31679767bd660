import { expect, test } from '@jest/globals';
import { openAlone, smallestTarget, violationsOf, widthOf } from './alone.js';
import { useBrowser } from './browser.js';
import { blues, picture } from './canvas.js';

const { open } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]) => openAlone(open, 'attention-heads', options);

test('a valid length for each query is set by keyboard, and its row is even over the keys that it sees', async () => {
  const { page, figure } = await alone();
  await figure.getByLabel('one per sequence').focus();
  await page.keyboard.press('ArrowDown');
  const fields = figure.getByRole('spinbutton');
  expect(await fields.count()).toBe(8);
  await figure.getByLabel('Sequence 1, query 1: valid length').focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await figure.getByLabel('Sequence 1, query 4: valid length').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('0');
  const { cells } = await picture(figure.locator('heat-map canvas.cells').first(), 4, 4);
  const row = (length: number): string[] =>
    [0, 1, 2, 3].map((key) => blues(key < length ? 1 / length : 0, 0, 1));
  expect(cells).toEqual([3, 2, 3, 0].flatMap(row));
});

test('a number out of range, or none, changes nothing and gives way', async () => {
  const { figure } = await alone();
  await figure.getByLabel('one per query').check();
  const field = figure.getByLabel('Sequence 2, query 3: valid length');
  for (const bad of ['7', '-1', '1.5', '']) {
    await field.fill(bad);
    await field.blur();
    expect(await field.inputValue()).toBe('2');
  }
});

test.each([320, 390, 1280])(
  'with lengths per query nothing overflows at %i px, and axe finds nothing',
  async (width) => {
    const { page, figure } = await alone({ viewport: { width, height: 800 } });
    await figure.getByLabel('one per query').check();
    expect(await widthOf(page)).toBe(width);
    expect(await smallestTarget(figure)).toBeGreaterThanOrEqual(24);
    expect(await violationsOf(page, 'attention-heads')).toEqual([]);
  },
);
