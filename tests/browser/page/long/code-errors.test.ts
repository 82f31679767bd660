import { describe, expect, test } from '@jest/globals';
import { useBrowser } from '../../browser.js';
import { cellWith, outputs, over, run, verdictOf } from '../../cells.js';

const { open, expectErrors } = useBrowser();

describe('failing code', () => {
  test('that never ends is stopped at its time limit, and its output stays', async () => {
    const { cell } = await cellWith(open, "show('before');\nwhile (true);", { limit: 700 });
    expect(await verdictOf(cell)).toBe('Stopped: the code was still running after 0.7 seconds.');
    expect(await outputs(cell)).toEqual([{ text: 'before' }]);
  });

  test('stops within half a second of Stop', async () => {
    const { cell } = await cellWith(open, "show('before');\nwhile (true);");
    const stopped = async (): Promise<number> => {
      await run(cell);
      await cell.locator('.output pre').waitFor();
      return cell.evaluate(
        (element) =>
          new Promise<number>((resolve) => {
            const root = element.shadowRoot!;
            const started = performance.now();
            const look = (): void => {
              if (root.querySelector('p.status')?.textContent?.trim() !== 'Stopped.') return;
              observer.disconnect();
              resolve(performance.now() - started);
            };
            const observer = new MutationObserver(look);
            observer.observe(root, { subtree: true, childList: true, characterData: true });
            root.querySelector<HTMLElement>('.run')!.click();
          }),
      );
    };
    // The best of three, because the machine may be busy.
    const times = [await stopped(), await stopped(), await stopped()];
    expect(Math.min(...times)).toBeLessThan(500);
  });

  test('that floods the page with output has it truncated', async () => {
    const { cell } = await cellWith(open, "for (let i = 0; i < 1e5; i++) show('line ' + i);");
    expect(await verdictOf(cell)).toBe('There was more output than fits here. The rest is left out.');
    expect(await cell.locator('.output pre').count()).toBe(200);
  });

  test('cannot insert markup into the page', async () => {
    const { cell } = await cellWith(open, "show('<img src=x><script>1</script>');");
    await run(cell);
    await over(cell);
    expect(await outputs(cell)).toEqual([{ text: '<img src=x><script>1</script>' }]);
    expect(await cell.locator('img, script').count()).toBe(0);
  });

  test('finds no access to the outside in its worker', async () => {
    const { cell } = await cellWith(
      open,
      `const names = ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'indexedDB', 'caches', 'importScripts',
      'BroadcastChannel', 'Worker', 'navigator', 'postMessage', 'close', 'location', 'runCell', 'WebTransport'];
      show(names.filter((name) => globalThis[name] !== undefined || name in Object.getPrototypeOf(self)));`,
    );
    await run(cell);
    await over(cell);
    expect(await outputs(cell)).toEqual([{ text: '[]' }]);
  });
});

test('without workers the cell says so, and its code can still be read', async () => {
  const { cell } = await cellWith(open, 'show(1);', { script: 'delete globalThis.Worker;' });
  expect(await verdictOf(cell)).toMatch(/^The code cannot run here: /);
  expect(await cell.locator('pre').first().innerText()).toContain('show(1);');
});

test('if a policy forbids the worker, the cell says so', async () => {
  const { page, cell } = await cellWith(open, 'show(1);');
  await page.evaluate(() => {
    const meta = document.createElement('meta');
    meta.httpEquiv = 'Content-Security-Policy';
    meta.content = "worker-src 'none'";
    document.head.append(meta);
  });
  expect(await verdictOf(cell)).toMatch(/^The code cannot run here: /);
  expectErrors(/Content Security Policy|worker-src/);
});
