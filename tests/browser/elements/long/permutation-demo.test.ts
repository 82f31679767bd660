import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { openAlone, violationsOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { numberOf } from '../../shown.js';

const { open } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]) => openAlone(open, 'permutation-demo', options);
const after = async (figure: Locator): Promise<string> => (await figure.locator('.after').allInnerTexts()).join(' ');
/** The largest difference of two outputs, in the original order none. */
async function residual(figure: Locator): Promise<number> {
  const text = await figure.locator('.readout').innerText();
  return numberOf(/(?:at most|up to) ([\d.]+(?: × 10[⁻\d⁰¹²³⁴⁵⁶⁷⁸⁹]+)?)[).]/.exec(text)?.[1] ?? '0');
}

describe('permutation-demo', () => {
  test('moves the outputs with the tokens, unless order matters', async () => {
    const { figure } = await alone();
    expect(await after(figure)).toBe('the man bit the dog');
    expect(await residual(figure)).toBeLessThan(1e-5);
    expect(await residual(figure)).toBeGreaterThan(0);
    expect(await figure.locator('.links .changed').count()).toBe(0);
    for (const name of ['positional encoding', 'causal mask']) {
      await figure.getByLabel(name).check();
      expect(await residual(figure)).toBeGreaterThan(0.01);
      expect(await figure.locator('.links .changed').count()).toBeGreaterThan(0);
      expect(await figure.locator('.readout').innerText()).toContain('Order matters');
      await figure.getByLabel(name).uncheck();
    }
  });

  test('keys move a token, and the focus moves with it', async () => {
    const { page, figure } = await alone();
    await figure.getByRole('button', { name: 'Move “man” (place 2) down' }).focus();
    await page.keyboard.press('Enter');
    expect(await after(figure)).toBe('the bit man the dog');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await after(figure)).toBe('the bit the dog man');
    const focused = figure.getByRole('button', { name: 'Move “man” (place 5) up' });
    expect(await focused.evaluate((button) => button.matches(':focus'))).toBe(true);
    await page.keyboard.press('ArrowUp');
    expect(await after(figure)).toBe('the bit the man dog');
  });

  test('shuffles to another order each time, and back to the original one', async () => {
    const { figure } = await alone();
    const shuffle = figure.getByRole('button', { name: 'Shuffle' });
    for (let press = 0; press < 6; ++press) {
      const before = await figure.locator('.links path').evaluateAll((all) => all.map((p) => p.getAttribute('d')));
      await shuffle.press('Enter');
      const now = await figure.locator('.links path').evaluateAll((all) => all.map((p) => p.getAttribute('d')));
      expect(now).not.toEqual(before);
      expect(await residual(figure)).toBeLessThan(1e-5);
    }
    await figure.getByRole('button', { name: 'Original order' }).press('Enter');
    expect(await after(figure)).toBe('the dog bit the man');
    expect(await residual(figure)).toBe(0);
  });

  test('axe finds no violations, before and after use', async () => {
    const { page, figure } = await alone({ colorScheme: 'dark' });
    expect(await violationsOf(page, 'permutation-demo')).toEqual([]);
    await figure.getByRole('checkbox').nth(1).check();
    expect(await violationsOf(page, 'permutation-demo')).toEqual([]);
  });
});
