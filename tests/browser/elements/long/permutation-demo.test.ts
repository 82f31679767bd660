import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { openAlone, smallestTarget, violationsOf, widthOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { numberOf } from '../../shown.js';

const { open } = useBrowser();
const alone = (options?: Parameters<typeof openAlone>[2]) => openAlone(open, 'permutation-demo', options);
const after = async (figure: Locator): Promise<string> => (await figure.locator('.after').allInnerTexts()).join(' ');
async function residual(figure: Locator): Promise<number> {
  return numberOf(await figure.locator('.readout strong').innerText());
}

describe('permutation-demo', () => {
  test('moves the outputs along with the tokens, until order counts', async () => {
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

  test('a token goes where the keys take it, and the focus goes with it', async () => {
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

  test('shuffles to another order each time, and back to the first', async () => {
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

  test.each([320, 390, 1280])('at %i px nothing overflows, and targets are large enough', async (width) => {
    for (const language of ['en', 'ko', 'tr', 'id']) {
      const { page, figure } = await alone({ language, viewport: { width, height: 800 } });
      expect(await widthOf(page)).toBe(width);
      expect(await smallestTarget(figure)).toBeGreaterThanOrEqual(24);
    }
  });

  test('a phone shows all four matrices, with entries that can be told apart', async () => {
    const { figure } = await alone({ viewport: { width: 390, height: 844 } });
    for (const matrix of ['x', 'y', 'z', 'px']) {
      const rows = figure.locator(`.${matrix} .squares`);
      expect(await rows.count()).toBe(5);
      // Eight entries in a row.
      const { width = 0, height = 0 } = (await rows.first().boundingBox()) ?? {};
      expect(width / 8).toBeGreaterThan(14);
      expect(height).toBeGreaterThan(14);
    }
  });

  test('on a phone a finger hits the arrows', async () => {
    const { figure } = await alone({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
    const sizes = await figure.locator('.move button').evaluateAll((all) =>
      all.map((button) => {
        const { width, height } = button.getBoundingClientRect();
        return Math.min(width, height);
      }),
    );
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(40);
    // Eight entries in a row.
    expect((await figure.locator('.x .squares').first().boundingBox())!.width / 8).toBeGreaterThan(14);
  });

  test('axe finds nothing, before and after use', async () => {
    const { page, figure } = await alone({ colorScheme: 'dark' });
    expect(await violationsOf(page, 'permutation-demo')).toEqual([]);
    await figure.getByRole('checkbox').nth(1).check();
    expect(await violationsOf(page, 'permutation-demo')).toEqual([]);
  });
});
