import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { useBrowser } from '../../browser.js';
import { cellWith, outputs, over, run } from '../../cells.js';
import { CLIPBOARD } from '../../shown.js';

const { open } = useBrowser();

describe('the editor', () => {
  const editor = (cell: Locator): Locator => cell.locator('.cm-content');

  test('opens by keyboard, runs the edited code, and restores the original', async () => {
    const { page, cell } = await cellWith(open, 'show(1);');
    await cell.getByRole('button', { name: 'Edit' }).press('Enter');
    await editor(cell).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('show(6 * 7);');
    await page.keyboard.press('Control+Enter');
    await cell.locator('.output pre').waitFor();
    await over(cell);
    expect(await outputs(cell)).toEqual([{ text: '42' }]);
    expect(await editor(cell).innerText()).toBe('show(6 * 7);');
    expect(await cell.locator('pre').first().textContent()).toBe('show(6 * 7);');
    await cell.getByRole('button', { name: 'Reset' }).click();
    expect(await editor(cell).innerText()).toBe('show(1);');
    expect(await outputs(cell)).toEqual([]);
    await run(cell);
    await over(cell);
    expect(await outputs(cell)).toEqual([{ text: '1' }]);
  });

  test('edited code is remembered on the device, until it is reset', async () => {
    const { page, cell } = await cellWith(open, 'show(1);');
    const fresh = async (): Promise<Locator> => {
      // The cell is made anew, as on the next visit.
      await page.evaluate(() => {
        const cell = document.querySelector('code-cell')!;
        const again = document.createElement('code-cell');
        again.innerHTML = '<pre><code class="language-js">show(1);</code></pre>';
        cell.replaceWith(again);
      });
      await cell.getByRole('button', { name: 'Run' }).waitFor();
      return cell;
    };
    await cell.getByRole('button', { name: 'Edit' }).press('Enter');
    await editor(cell).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('show(6 * 7);');
    const listing = (await fresh()).locator('pre').first();
    expect(await listing.textContent()).toBe('show(6 * 7);');
    await run(cell);
    await over(cell);
    expect(await outputs(cell)).toEqual([{ text: '42' }]);
    await cell.getByRole('button', { name: 'Reset' }).click();
    expect(await listing.textContent()).toBe('show(1);');
    expect(await (await fresh()).locator('pre').first().textContent()).toBe('show(1);');
  });

  test('opens by a click, with the cursor where it was', async () => {
    const { page, cell } = await cellWith(open, 'show(1);');
    const box = await cell.locator('pre code').first().boundingBox();
    await page.mouse.click((box?.x ?? 0) + 1, (box?.y ?? 0) + 8);
    await editor(cell).waitFor();
    await page.keyboard.type('//');
    expect(await editor(cell).innerText()).toBe('//show(1);');
  });

  test('indents with Tab; Escape and then Tab leave it, as its description says', async () => {
    const { page, cell } = await cellWith(open, 'show(1);');
    await cell.getByRole('button', { name: 'Edit' }).click();
    await editor(cell).waitFor();
    const help = await editor(cell).getAttribute('aria-describedby');
    expect(await cell.locator(`#${help}`).textContent()).toContain('Press Escape, then Tab, to leave');
    const inside = (): Promise<boolean> =>
      cell.evaluate((element) => element.shadowRoot?.activeElement?.classList.contains('cm-content') ?? false);
    await page.keyboard.press('Tab');
    expect([await editor(cell).innerText(), await inside()]).toEqual(['  show(1);', true]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await inside()).toBe(false);
  });

  test('typing and composing replace a selection of several lines without an error', async () => {
    // Chromium would join highlighted lines with style attributes, which the policy forbids.
    const code = "const a = 'b'; // c\nconst d = 1;\nshow(a, d);";
    const { page, cell } = await cellWith(open, code);
    await cell.getByRole('button', { name: 'Edit' }).click();
    await editor(cell).waitFor();
    const selectTwoLines = async (): Promise<void> => {
      await page.keyboard.press('Control+Home');
      await page.keyboard.press('ArrowRight');
      for (let line = 0; line < 2; ++line) await page.keyboard.press('Shift+ArrowDown');
    };
    await selectTwoLines();
    await page.keyboard.type('x(');
    expect(await editor(cell).innerText()).toBe('cx(how(a, d);');
    for (let undo = 0; undo < 2; ++undo) await page.keyboard.press('Control+z');
    expect((await editor(cell).innerText()).replace(/\n+/g, '\n')).toBe(code);
    await selectTwoLines();
    const session = await page.context().newCDPSession(page);
    for (const text of ['ㅎ', '하', '한'])
      await session.send('Input.imeSetComposition', { text, selectionStart: 1, selectionEnd: 1 });
    await session.send('Input.insertText', { text: '한' });
    await page.keyboard.type('글');
    expect(await editor(cell).innerText()).toBe('c한글how(a, d);');
  });

  test.each([390, 1280])('wraps long lines, as the listing does, at %i px', async (width) => {
    const { cell } = await cellWith(open, `show(1); // ${'word '.repeat(60)}`, {
      viewport: { width, height: 800 },
    });
    const fits = (part: Locator): Promise<boolean> =>
      part.evaluate((box) => box.scrollWidth <= box.clientWidth && box.clientHeight > 60);
    expect(await fits(cell.locator('pre').first())).toBe(true);
    await cell.getByRole('button', { name: 'Edit' }).click();
    await editor(cell).waitFor();
    expect(await fits(cell.locator('.cm-scroller'))).toBe(true);
  });

  test('is one of two tabs, which arrow keys switch', async () => {
    const { page, cell } = await cellWith(open, 'show(1);');
    await cell.getByRole('tab', { name: 'JavaScript' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await cell.getByRole('tab', { name: 'PyTorch' }).getAttribute('aria-selected')).toBe('true');
    expect(await cell.locator('pre').nth(1).isVisible()).toBe(true);
    expect(await cell.locator('pre').first().isVisible()).toBe(false);
    expect(await cell.getByRole('button', { name: 'Run' }).count()).toBe(0);
    await page.keyboard.press('ArrowLeft');
    expect(await cell.getByRole('button', { name: 'Run' }).isVisible()).toBe(true);
  });

  test('copies the edited code', async () => {
    const { page, cell } = await cellWith(open, 'show(1);', CLIPBOARD);
    const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
    await cell.getByRole('button', { name: 'Edit' }).click();
    await editor(cell).waitFor();
    await page.keyboard.type('//');
    await cell.getByRole('button', { name: 'Copy' }).click();
    await cell.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await cell.getByRole('status').filter({ hasText: 'Copied' }).count()).toBe(1);
    expect(await clipboard()).toBe('//show(1);');
  });
});
