import { expect, test } from '@jest/globals';
import { openAlone, violationsOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { choose } from '../../shown.js';

const { open } = useBrowser();

test.each([390, 1280])(
  'a figure’s code opens as a cell with its settings, runs, and closes, at %i px',
  async (width) => {
    const { page, figure } = await openAlone(open, 'attention-lookup', { viewport: { width, height: 844 } });
    await figure.getByLabel('Valid keys').fill('2');
    await choose(figure, 'Code');
    await figure.getByRole('button', { name: 'Edit and run' }).press('Enter');
    const cell = page.locator('code-cell');
    await cell.locator('.run:focus').waitFor();
    expect(await cell.locator('> pre').first().textContent()).toContain('validLens: [2]');
    await page.keyboard.press('Enter');
    const weights = cell.locator('.output pre').nth(1);
    await weights.waitFor();
    const numbers = (await weights.innerText()).split(' ').map(Number);
    // The third key is not valid.
    expect(numbers).toHaveLength(3);
    expect(numbers[2]).toBe(0);
    expect(numbers[0]! + numbers[1]!).toBeCloseTo(1, 5);
    expect(await violationsOf(page, 'code-cell')).toEqual([]);
    await choose(figure, 'Code');
    expect(await cell.count()).toBe(0);
  },
);

test('Escape first leaves the editor, then closes the code and focuses its button', async () => {
  const { page, figure } = await openAlone(open, 'attention-masks');
  const focused = (): Promise<string | null | undefined> =>
    figure.evaluate((element) => element.shadowRoot?.activeElement?.ariaLabel);
  await choose(figure, 'Code');
  await figure.locator('.panel pre').focus();
  await page.keyboard.press('Escape');
  expect(await figure.locator('.panel').count()).toBe(0);
  expect(await focused()).toMatch(/^Tools of /);
  await choose(figure, 'Code');
  await figure.getByRole('button', { name: 'Edit and run' }).press('Enter');
  const cell = figure.locator('code-cell');
  await cell.getByRole('button', { name: 'Edit' }).click();
  await cell.locator('.cm-content').waitFor();
  await page.keyboard.press('Escape');
  expect(await cell.locator('.cm-content').isVisible()).toBe(true);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Escape');
  expect(await cell.count()).toBe(0);
  expect(await focused()).toMatch(/^Tools of /);
});

test('code runs in full screen, too', async () => {
  const { figure } = await openAlone(open, 'attention-masks');
  await choose(figure, 'Full screen');
  await figure.getByRole('button', { name: 'Leave full screen' }).waitFor();
  await choose(figure, 'Code');
  await figure.getByRole('button', { name: 'Edit and run' }).click();
  const cell = figure.locator('code-cell');
  await cell.locator('.run').click();
  await cell.locator('.output pre').first().waitFor();
});

test('code that a cell cannot run stays a listing', async () => {
  const { figure } = await openAlone(open, 'language-model');
  await choose(figure, 'Code');
  await figure.locator('.panel pre').waitFor();
  expect(await figure.getByRole('button', { name: 'Edit and run' }).count()).toBe(0);
});
