/** What a cell may cost the page: the reader can always stop it. */
import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { useBrowser } from '../../browser.js';
import { cellWith, over, run, verdictOf } from '../../cells.js';

const { open } = useBrowser();

/** Runs a cell to its end; the longest time in milliseconds for which the page did nothing else. */
async function longestWait(cell: Locator): Promise<number> {
  const page = cell.page();
  const watch = await page.evaluateHandle(() => {
    const found = { longest: 0, last: performance.now() };
    setInterval(() => {
      const now = performance.now();
      found.longest = Math.max(found.longest, now - found.last);
      found.last = now;
    }, 20);
    return found;
  });
  await run(cell);
  await over(cell);
  return watch.evaluate(({ longest }) => longest);
}

test('code that takes long to parse stops at its time limit, and the page does not wait for it', async () => {
  const { cell } = await cellWith(open, '(a,\n'.repeat(20_000), { limit: 700 });
  const waited = await longestWait(cell);
  expect(await cell.locator('p.status').innerText()).toBe('Stopped: the code was still running after 0.7 seconds.');
  expect(waited).toBeLessThan(700);
});

test('many outputs are drawn once each', async () => {
  const { page, cell } = await cellWith(open, 'for (let i = 0; i < 100; i++) show([[i, 1], [2, 3]]);');
  const drawn = await page.evaluateHandle(() => {
    const counted = { maps: 0 };
    const { setProperty } = CSSStyleDeclaration.prototype;
    CSSStyleDeclaration.prototype.setProperty = function (...parameters) {
      if (parameters[0] === '--heat-map-aspect') ++counted.maps;
      setProperty.apply(this, parameters);
    };
    return counted;
  });
  expect(await verdictOf(cell)).toBe('Done. Outputs: 100.');
  expect(await cell.locator('heat-map').count()).toBe(100);
  // Once more if the page's width changes meanwhile.
  const { maps } = await drawn.jsonValue();
  expect(maps).toBeGreaterThanOrEqual(100);
  expect(maps).toBeLessThanOrEqual(200);
});

test('outputs that take the page long to draw end the run', async () => {
  const { page, cell } = await cellWith(
    open,
    `const data = Float64Array.from({ length: 218 * 24 }, (_, i) => Math.sin(i));
for (let i = 0; i < 199; i++) show.lines({ data, shape: [218, 24] });`,
    { limit: 60_000 },
  );
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  const said = await verdictOf(cell);
  await session.detach();
  expect(said).toBe('There was more output than fits here. The rest is left out.');
  expect(await cell.locator('.output svg').count()).toBeLessThan(199);
});

test('the longest curve that a cell may show is drawn at once', async () => {
  const { page, cell } = await cellWith(
    open,
    'show.lines({ data: Float64Array.from({ length: 2 ** 18 }, (_, i) => Math.sin(i)), shape: [2 ** 18, 1] });',
  );
  expect(await verdictOf(cell)).toBe('Done. Outputs: 1.');
  const began = Date.now();
  await page.screenshot();
  expect(Date.now() - began).toBeLessThan(5000);
});

test('tables have as many cells as a browser can lay out, and say so', async () => {
  const { cell } = await cellWith(
    open,
    'const data = new Float64Array(2 ** 18);\nshow({ data, shape: [512, 512] });\nshow.lines({ data, shape: [2 ** 18, 1] });',
  );
  expect(await verdictOf(cell)).toBe('Done. Outputs: 2.');
  for (const [place, rows, columns] of [
    ['heat-map', 64, 512],
    ['.picture:has(svg.lines)', 32_768, 1],
  ] as const) {
    const output = cell.locator(place);
    await output.locator('summary').click();
    await output.getByText(`The table holds only the first ${rows} rows and ${columns} columns.`).waitFor();
    expect(await output.locator('tbody tr').count()).toBe(rows);
    await output.locator('summary').click();
  }
});

test('code that changes what the limits are made of shows no more', async () => {
  const { cell } = await cellWith(open, "Math.min = () => 0;\nfor (let i = 0; i < 190; i++) show('x'.repeat(1000));");
  expect(await verdictOf(cell)).toBe('There was more output than fits here. The rest is left out.');
  expect(await cell.locator('.output pre').count()).toBe(100);
});
