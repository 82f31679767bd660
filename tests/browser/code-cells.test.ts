import { describe, expect, test } from '@jest/globals';
import axe from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { cellsOf, readProse } from '../support/proseFiles.js';
import { runCell, type Shown, type ShownTensor } from '../support/runCell.js';
import { useBrowser, type PageOptions } from './browser.js';

const { open, expectComplaints } = useBrowser();
const CELLS = cellsOf(readProse('en'));

/** A page with its cells' element loaded, and all answers open. */
async function withCells(options?: PageOptions): Promise<{ page: Page; cells: Locator }> {
  const page = await open({ figures: [], ...options });
  await page.evaluate(() => document.querySelectorAll('details').forEach((answer) => (answer.open = true)));
  const cells = page.locator('code-cell');
  await cells.first().scrollIntoViewIfNeeded();
  await cells.first().locator('.run').waitFor();
  return { page, cells };
}

/** A cell with this code, and a limit in milliseconds, in place of the page's text. */
async function cellWith(
  code: string,
  limit = 10_000,
  options?: PageOptions,
): Promise<{ page: Page; cell: Locator }> {
  const { page } = await withCells(options);
  await page.evaluate(
    ([code, limit]) => {
      const listing = (text: string): HTMLElement => {
        const pre = document.createElement('pre');
        pre.append(document.createElement('code'));
        pre.firstElementChild!.textContent = text;
        return pre;
      };
      const cell = document.createElement('code-cell');
      cell.setAttribute('limit', String(limit));
      cell.append(listing(`${code}\n`), listing('x = 1\n'));
      document.querySelector('main')!.replaceChildren(cell);
    },
    [code, limit] as const,
  );
  return { page, cell: page.locator('code-cell') };
}

async function run(cell: Locator): Promise<void> {
  await cell.getByRole('button', { name: 'Run' }).click();
}

const status = (cell: Locator): Locator => cell.locator('p.status');
/** Resolves once a run is over: the button says Run again. */
const over = (cell: Locator): Promise<void> =>
  cell.locator('.run', { hasText: 'Run' }).waitFor({ timeout: 20_000 });

/** Runs the code in the page and returns what the cell says about it. */
async function verdictOf(code: string, limit?: number, options?: PageOptions): Promise<string> {
  const { cell } = await cellWith(code, limit, options);
  await run(cell);
  await over(cell);
  return status(cell).innerText();
}

/** The outputs of a cell as the elements hold them. */
function outputs(
  cell: Locator,
): Promise<{ text?: string; shape?: number[]; values?: number[]; curves?: number[] }[]> {
  return cell.locator('.output > *').evaluateAll((items) =>
    items.map((item) => {
      if (item.localName === 'pre') return { text: item.textContent };
      const map = item.querySelector('heat-map');
      if (map !== null) return { shape: [map.rows, map.columns], values: Array.from(map.values) };
      const paths = [...item.querySelectorAll('path.series + text')];
      return { curves: paths.map(({ textContent }) => Number(textContent)) };
    }),
  );
}

/** What Node's run of the same code should look like on the page. */
function expected({ call, value, options }: Shown): unknown {
  if (call === 'lines') return { curves: options?.columns };
  if (Array.isArray(value)) return { text: `[${value.join(', ')}]` };
  if (typeof value !== 'object') return { text: `${value as number}` };
  const { data, shape } = value as ShownTensor;
  return { shape, values: data };
}

describe('the cells of the page', () => {
  test('all show what they show in Node', async () => {
    const { cells } = await withCells();
    expect(await cells.count()).toBe(CELLS.length);
    for (const [index, { javascript }] of CELLS.entries()) {
      const cell = cells.nth(index);
      await run(cell);
      await over(cell);
      expect(await status(cell).innerText()).toBe('');
      expect(await outputs(cell)).toEqual((await runCell(javascript)).map(expected));
    }
  });

  test('have the values of curves as a table', async () => {
    const { cells } = await withCells();
    const cell = cells.nth(3);
    await run(cell);
    await over(cell);
    await cell.getByText('Values as a table').click();
    const rows = cell.locator('.output tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(60);
    const seventh = await rows.nth(7).locator('td').allInnerTexts();
    // Columns 6 to 9 of 32: sines and cosines of position 7 over 10000^(6/32) and 10000^(8/32).
    const expected = [6, 6, 8, 8].map((column, i) =>
      (i % 2 === 0 ? Math.sin : Math.cos)(7 / 10000 ** (column / 32)).toFixed(3),
    );
    expect(seventh.map((text) => text.trim().replace('−', '-'))).toEqual(expected);
  });

  test('are listings in both languages where there are no scripts', async () => {
    const page = await open({ still: true, javaScriptEnabled: false });
    for (const listing of await page.locator('main > code-cell').first().locator('pre').all()) {
      expect(await listing.isVisible()).toBe(true);
    }
  });

  test('print both listings and no buttons', async () => {
    const { page, cells } = await withCells();
    await page.emulateMedia({ media: 'print' });
    const cell = cells.first();
    for (const listing of await cell.locator(':scope > pre').all())
      expect(await listing.isVisible()).toBe(true);
    for (const button of await cell.getByRole('button').all()) expect(await button.isVisible()).toBe(false);
  });

  test('do not fetch runtime or editor before they are asked for', async () => {
    const { page, cells } = await withCells();
    const fetched = (): Promise<string[]> =>
      page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
    const names = async (): Promise<string> => (await fetched()).join('\n');
    await page.waitForTimeout(300);
    expect(await names()).not.toMatch(/editor-|prepare-run-/);
    await run(cells.first());
    await over(cells.first());
    expect(await names()).toMatch(/prepare-run-/);
    expect(await names()).not.toMatch(/editor-/);
    await cells.first().getByRole('button', { name: 'Edit' }).click();
    await cells.first().locator('.cm-content').waitFor();
    expect(await names()).toMatch(/editor-/);
  });

  test.each([
    [390, 'light'],
    [1280, 'light'],
    [390, 'dark'],
    [1280, 'dark'],
  ] as const)('are accessible and no wider than the page at %d px, %s', async (width, colorScheme) => {
    const { page, cells } = await withCells({ viewport: { width, height: 800 }, colorScheme });
    for (const index of [0, 3]) {
      await run(cells.nth(index));
      await over(cells.nth(index));
    }
    await cells.first().getByRole('button', { name: 'Edit' }).click();
    await cells.first().locator('.cm-content').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    for (const button of await cells.first().getByRole('button').all()) {
      const box = await button.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(24);
    }
    // The policy forbids a script element of the test's own.
    await page.evaluate(axe.source);
    const violations = await page.evaluate(async () => {
      const { axe } = window as unknown as { axe: typeof import('axe-core') };
      const { violations } = await axe.run('code-cell');
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    });
    expect(violations).toEqual([]);
  });
});

describe('code that goes wrong', () => {
  test('and never ends is stopped when its time is over, with what it had shown', async () => {
    const { cell } = await cellWith("show('before');\nwhile (true);", 700);
    await run(cell);
    await over(cell);
    expect(await status(cell).innerText()).toBe('Stopped: the code was still running after 0.7 seconds.');
    expect(await outputs(cell)).toEqual([{ text: 'before' }]);
  });

  test('stops within half a second of Stop', async () => {
    const { cell } = await cellWith("show('before');\nwhile (true);");
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
    // The best of three: others may be at work on this machine as well.
    const times = [await stopped(), await stopped(), await stopped()];
    expect(Math.min(...times)).toBeLessThan(500);
  });

  test.each([
    ['throws', "\n\nthrow new RangeError('too far');", 'Line 3: RangeError: too far'],
    ['throws no error', "throw 'a word';", 'a word'],
    [
      'throws in a function, named by its line',
      'const f = () => {\n  null.x;\n};\nf();',
      "Line 2: TypeError: Cannot read properties of null (reading 'x')",
    ],
    [
      'lets the library throw, named by the line that called it',
      "import { load } from 'wasm-attention';\nconst { sinusoidalEncoding } = await load();\n\nsinusoidalEncoding({ length: -1, dim: 4 });",
      /^Line 4: RangeError: sinusoidalEncoding: /,
    ],
    [
      'throws later',
      'setTimeout(() => {\n  x();\n});\nawait new Promise(() => {});',
      'Line 2: ReferenceError: x is not defined',
    ],
    [
      'rejects alone',
      '\nPromise.reject(new Error("no"));\nawait new Promise(() => {});',
      'Line 2: Error: no',
    ],
    ['is no JavaScript', 'show(1);\nlet x = ;', "Line 2: SyntaxError: Unexpected token ';'"],
    ['ends too early', 'show(1);\nif (true) {', /^Line 2: SyntaxError: /],
    [
      'declares twice',
      "import { load } from 'wasm-attention';\nconst a = 1;\nconst a = 2;",
      "Line 3: SyntaxError: Identifier 'a' has already been declared",
    ],
    [
      'shows what cannot be shown',
      '\nshow(undefined);',
      /^Line 2: TypeError: show: expected .*, got undefined$/,
    ],
    [
      'imports something else',
      "\nimport fs from 'node:fs';",
      'Line 2: only “wasm-attention” can be imported here, not “node:fs”.',
    ],
    [
      'imports something else later',
      "await import('./main.js');",
      'Line 1: only “wasm-attention” can be imported here, not “./main.js”.',
    ],
    [
      'imports a name that is not there',
      "import { attend } from 'wasm-attention';",
      "Line 1: SyntaxError: The requested module 'wasm-attention' does not provide an export named 'attend'",
    ],
    ['posts something else', "postMessage('x');", 'Line 1: ReferenceError: postMessage is not defined'],
    ['fetches', "await fetch('/');", 'Line 1: ReferenceError: fetch is not defined'],
  ])('and %s is told what and where', async (_, code, message) => {
    const said = await verdictOf(code, 3000);
    if (typeof message === 'string') expect(said).toBe(message);
    else expect(said).toMatch(message);
  });

  test('and floods the page with output has the rest left out', async () => {
    const { cell } = await cellWith("for (let i = 0; i < 1e5; i++) show('line ' + i);");
    await run(cell);
    await over(cell);
    expect(await status(cell).innerText()).toBe(
      'There was more output than fits here. The rest is left out.',
    );
    expect(await cell.locator('.output pre').count()).toBe(200);
  });

  test.each([
    ['lists', 'const kept = [];\nfor (;;) kept.push(new Array(1e6).fill(kept.length));'],
    ['objects', 'const kept = [];\nfor (;;) kept.push({ a: kept.length });'],
    ['typed arrays', 'const kept = [];\nfor (;;) kept.push(new Float32Array(2 ** 27));'],
  ])('and takes memory without end, as %s, is stopped, and the page lives', async (_, code) => {
    const { page, cell } = await cellWith(code);
    await run(cell);
    await over(cell);
    expect(await status(cell).innerText()).toMatch(
      /^(Line 2: RangeError: expected at most [14] GB of memory in one run, got more|Line 2: RangeError: Array buffer allocation failed|Stopped: the code was still running after 10 seconds\.)$/,
    );
    expect(await page.evaluate(() => document.readyState)).toBe('complete');
  });

  test('finds nothing in its worker that reaches outside', async () => {
    const { cell } =
      await cellWith(`const names = ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'indexedDB', 'caches', 'importScripts',
      'BroadcastChannel', 'Worker', 'navigator', 'postMessage', 'close', 'location', 'runCell', 'WebTransport'];
      show(names.filter((name) => globalThis[name] !== undefined || name in Object.getPrototypeOf(self)));`);
    await run(cell);
    await over(cell);
    expect(await outputs(cell)).toEqual([{ text: '[]' }]);
  });
});

describe('a worker that lies', () => {
  /** Pages whose workers post this in place of what they were made for. */
  const lying = (statement: string): PageOptions => ({
    script: `const Real = Worker;
      window.Worker = class extends Real {
        constructor() { super(URL.createObjectURL(new Blob([${JSON.stringify(statement)}]))); }
      };`,
  });

  test.each([
    ['is no object', "postMessage('done')"],
    ['is of no known type', "postMessage({ type: 'html', text: '<b>' })"],
    ['has text that is none', "postMessage({ type: 'text', text: { toString: 1 } })"],
    ['has text without end', "postMessage({ type: 'text', text: 'x'.repeat(1e6) })"],
    [
      'has too few values',
      "postMessage({ type: 'heatmap', values: new Float32Array(3), rows: 2, columns: 2 })",
    ],
    [
      'has values without end',
      "postMessage({ type: 'heatmap', values: new Float32Array(2 ** 20), rows: 1024, columns: 1024 })",
    ],
    ['has no numbers', "postMessage({ type: 'heatmap', values: ['a'], rows: 1, columns: 1 })"],
    [
      'has columns that are not there',
      "postMessage({ type: 'lines', values: new Float32Array(4), rows: 2, columns: 2, shown: [2] })",
    ],
    ['comes without end', "for (let i = 0; i < 1000; i++) postMessage({ type: 'text', text: 'x' })"],
  ])('is stopped where its message %s', async (_, statement) => {
    expect(await verdictOf('show(1);', 3000, lying(statement))).toBe(
      'Stopped: the code sent something that is no output.',
    );
  });

  test('does not get its markup into the page', async () => {
    const { cell } = await cellWith("show('<img src=x><script>1</script>');");
    await run(cell);
    await over(cell);
    expect(await outputs(cell)).toEqual([{ text: '<img src=x><script>1</script>' }]);
    expect(await cell.locator('img, script').count()).toBe(0);
  });
});

test('where there are no workers the cell says so, and its code can still be read', async () => {
  const { cell } = await cellWith('show(1);', 3000, { script: 'delete window.Worker;' });
  await run(cell);
  await over(cell);
  expect(await status(cell).innerText()).toMatch(/^The code cannot run here: /);
  expect(await cell.locator('pre').first().innerText()).toContain('show(1);');
});

test('where a policy forbids the worker the cell says so', async () => {
  const { cell } = await cellWith('show(1);', 3000, {
    script: `document.addEventListener('DOMContentLoaded', () => {
      const meta = document.createElement('meta');
      meta.httpEquiv = 'Content-Security-Policy';
      meta.content = "worker-src 'none'";
      document.head.append(meta);
    });`,
  });
  await run(cell);
  await over(cell);
  expect(await status(cell).innerText()).toMatch(/^The code cannot run here: /);
  expectComplaints(/Content Security Policy|worker-src/);
});

describe('the editor', () => {
  const editor = (cell: Locator): Locator => cell.locator('.cm-content');

  test('opens by the keyboard, runs what is written, and gives the original back', async () => {
    const { page, cell } = await cellWith('show(1);');
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

  test('opens by a click, with the cursor there', async () => {
    const { page, cell } = await cellWith('show(1);');
    const box = await cell.locator('pre code').first().boundingBox();
    await page.mouse.click((box?.x ?? 0) + 1, (box?.y ?? 0) + 8);
    await editor(cell).waitFor();
    await page.keyboard.type('//');
    expect(await editor(cell).innerText()).toBe('//show(1);');
  });

  test('indents with Tab, and is left with Escape and Tab, as it says', async () => {
    const { page, cell } = await cellWith('show(1);');
    await cell.getByRole('button', { name: 'Edit' }).click();
    await editor(cell).waitFor();
    const help = await editor(cell).getAttribute('aria-describedby');
    expect(await cell.locator(`#${help}`).textContent()).toContain('Press Escape, then Tab, to leave');
    const inside = (): Promise<boolean> =>
      cell.evaluate(
        (element) => element.shadowRoot?.activeElement?.classList.contains('cm-content') ?? false,
      );
    await page.keyboard.press('Tab');
    expect([await editor(cell).innerText(), await inside()]).toEqual(['  show(1);', true]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await inside()).toBe(false);
  });

  test('types over a selection of several lines without a complaint, and composes over it', async () => {
    // Lines of several colours, which Chromium would join with their looks in style attributes.
    const code = "const a = 'b'; // c\nconst d = 1;\nshow(a, d);";
    const { page, cell } = await cellWith(code);
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

  test.each([390, 1280])('breaks long lines, as the listing does, at %i px', async (width) => {
    const { cell } = await cellWith(`show(1); // ${'word '.repeat(60)}`, 10_000, {
      viewport: { width, height: 800 },
    });
    const fits = (part: Locator): Promise<boolean> =>
      part.evaluate((box) => box.scrollWidth <= box.clientWidth && box.clientHeight > 60);
    expect(await fits(cell.locator('pre').first())).toBe(true);
    await cell.getByRole('button', { name: 'Edit' }).click();
    await editor(cell).waitFor();
    expect(await fits(cell.locator('.cm-scroller'))).toBe(true);
  });

  test('is one of two tabs, which the arrow keys change', async () => {
    const { page, cell } = await cellWith('show(1);');
    await cell.getByRole('tab', { name: 'JavaScript' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await cell.getByRole('tab', { name: 'PyTorch' }).getAttribute('aria-selected')).toBe('true');
    expect(await cell.locator('pre').nth(1).isVisible()).toBe(true);
    expect(await cell.locator('pre').first().isVisible()).toBe(false);
    expect(await cell.getByRole('button', { name: 'Run' }).count()).toBe(0);
    await page.keyboard.press('ArrowLeft');
    expect(await cell.getByRole('button', { name: 'Run' }).isVisible()).toBe(true);
  });

  test('copies the code as it stands', async () => {
    const { page, cell } = await cellWith('show(1);', 3000, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
    await cell.getByRole('button', { name: 'Edit' }).click();
    await editor(cell).waitFor();
    await page.keyboard.type('//');
    await cell.getByRole('button', { name: 'Copy' }).click();
    await cell.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await clipboard()).toBe('//show(1);');
  });
});
