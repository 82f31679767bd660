/** The outputs that code cells show before they are run. */
import { describe, expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { violationsOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { textsOf } from '../../../support/proseFiles.js';
import { outputs, withCells } from '../../cells.js';
import { laidOut } from '../../place.js';

const { open } = useBrowser();

/** What a cell shows below its code: texts, numbers as displayed, and where they come from. */
async function below(cell: Locator): Promise<{ texts: string[]; numbers: string[]; origin: string }> {
  return {
    texts: await cell.locator('.output > pre').allInnerTexts(),
    numbers: await cell.locator('.output td').allInnerTexts(),
    origin: (await cell.locator('.origin').allInnerTexts()).join(),
  };
}

/** Runs a cell to its end and returns all heights that it had meanwhile. */
async function heightsOfRun(cell: Locator): Promise<number[]> {
  return cell.evaluate(async (element) => {
    const heights = new Set<number>();
    const measure = (): unknown => heights.add(element.getBoundingClientRect().height);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    const button = element.shadowRoot!.querySelector<HTMLElement>('.run')!;
    const rest = button.textContent;
    button.click();
    while (button.textContent === rest) await new Promise(requestAnimationFrame);
    while (button.textContent !== rest) await new Promise(requestAnimationFrame);
    for (let frames = 0; frames < 2; ++frames) await new Promise(requestAnimationFrame);
    measure();
    observer.disconnect();
    return [...heights];
  });
}

test.each([
  ['en/', 1280],
  ['ko/further/', 1280],
  ['en/further/', 390],
  ['ko/', 390],
] as const)('at /%s at %i px a cell is as high before its element is loaded', async (path, width) => {
  const page = await open({ figures: [], path: '/', hasTouch: width === 390, viewport: { width, height: 844 } });
  const heights = (): Promise<number[]> =>
    page
      .locator('code-cell')
      .evaluateAll((cells) => cells.map((cell) => Math.round(cell.getBoundingClientRect().height)));
  let goOn = (): void => undefined;
  const wait = new Promise<void>((resolve) => (goOn = resolve));
  await page.route('**/assets/code-cell-*.js', async (route) => {
    await wait;
    await route.continue();
  });
  await page.goto(new URL(`/${path}`, page.url()).href);
  await page.evaluate(() => document.querySelectorAll('details').forEach((answer) => (answer.open = true)));
  await laidOut(page);
  for (const picture of await page.locator('.printed img').all()) await picture.scrollIntoViewIfNeeded();
  const before = await heights();
  expect(before.length).toBeGreaterThan(2);
  goOn();
  for (const cell of await page.locator('code-cell').all()) {
    await cell.scrollIntoViewIfNeeded();
    await cell.locator('.output > *').first().waitFor();
  }
  // Curves and maps are drawn at their width.
  await page.waitForTimeout(300);
  const after = await heights();
  expect(before.map((height, cell) => Math.abs(height - after[cell]!)).filter((moved) => moved > 2)).toEqual([]);
});

test.each([
  ['en', '/en/'],
  ['ko', '/ko/further/'],
] as const)('in %s at %s a run does not change any cell’s output or height', async (language, path) => {
  const words = textsOf(language).cells;
  const { cells } = await withCells(open, { path });
  const count = await cells.count();
  expect(count).toBeGreaterThan(0);
  for (let index = 0; index < count; ++index) {
    const cell = cells.nth(index);
    // Cells are drawn one after another, and tables when they are opened.
    await cell.locator('.output').locator('pre, summary').first().waitFor();
    for (const table of await cell.locator('.output details').all()) {
      await table.locator('summary').click();
      await table.locator('td').first().waitFor();
    }
    const before = await below(cell);
    expect(before.texts.length + before.numbers.length).toBeGreaterThan(0);
    expect(before.origin).toBe(words['cell.printed']);
    expect(await heightsOfRun(cell)).toHaveLength(1);
    expect(await below(cell)).toEqual({ ...before, origin: words['cell.ran'] });
  }
});

test('an edit marks the output as outdated, and Reset restores it', async () => {
  const { page, cells } = await withCells(open);
  const cell = cells.nth(2);
  const origin = cell.locator('.origin');
  const before = await outputs(cell);
  await cell.getByRole('button', { name: 'Edit' }).click();
  await cell.locator('.cm-content').waitFor();
  await page.keyboard.type("show('new');\n");
  expect(await origin.innerText()).toBe('Output of the code before your changes');
  expect(await outputs(cell)).toEqual(before);
  await heightsOfRun(cell);
  expect(await origin.innerText()).toBe('Output of your run');
  expect(await outputs(cell)).toEqual([{ text: 'new' }, ...before]);
  await cell.getByRole('button', { name: 'Reset' }).click();
  expect(await origin.innerText()).toBe('Output, computed in advance');
  expect(await outputs(cell)).toEqual(before);
});

test.each([390, 1280])(
  'at %i px a cell’s buttons keep their places after a run and while it is edited',
  async (width) => {
    const { cells } = await withCells(open, { viewport: { width, height: 800 } });
    const cell = cells.nth(2);
    const places = (): Promise<number[]> =>
      Promise.all(
        ['Run', 'Edit', 'Copy'].map(async (name) => {
          const { x, width } = (await cell.getByRole('button', { name, exact: true }).boundingBox())!;
          return x + width;
        }),
      );
    await cell.getByRole('button', { name: 'Edit' }).scrollIntoViewIfNeeded();
    const before = await places();
    await heightsOfRun(cell);
    expect(await cell.getByRole('button', { name: 'Reset' }).isVisible()).toBe(true);
    expect(await places()).toEqual(before);
    await cell.getByRole('button', { name: 'Edit' }).click();
    await cell.locator('.cm-content').waitFor();
    expect(await places()).toEqual(before);
  },
);

test('the PyTorch code has no output', async () => {
  const { cells } = await withCells(open);
  await cells.first().getByRole('tab', { name: 'PyTorch' }).click();
  for (const part of ['.origin', '.output']) expect(await cells.first().locator(part).isVisible()).toBe(false);
});

test('code that cannot run leaves the output unchanged', async () => {
  const { cells } = await withCells(open, { script: 'delete globalThis.Worker;' });
  const before = await below(cells.first());
  await heightsOfRun(cells.first());
  expect(await cells.first().locator('.status').innerText()).toMatch(/^The code cannot run here: /);
  expect(await below(cells.first())).toEqual(before);
});

describe('without scripts', () => {
  test.each([
    [390, 'light'],
    [1280, 'dark'],
  ] as const)('the output is between the listings at %d px, %s', async (width, colorScheme) => {
    const page = await open({
      path: '/en/further/',
      still: true,
      javaScriptEnabled: false,
      viewport: { width, height: 800 },
      colorScheme,
    });
    const cells = page.locator('main > code-cell');
    expect(await cells.first().locator('.printed pre').count()).toBe(2);
    const cell = cells.nth(2);
    const picture = cell.locator('.printed img');
    await picture.scrollIntoViewIfNeeded();
    const listings = cell.locator('> pre');
    const [above, box, next] = await Promise.all(
      [listings.first(), picture, listings.last()].map((part) => part.boundingBox()),
    );
    expect(box!.height).toBeGreaterThan(100);
    expect(box!.width).toBeLessThan(width);
    expect(box!.y).toBeGreaterThan(above!.y + above!.height);
    expect(next!.y).toBeGreaterThan(box!.y + box!.height);
  });
});

test('on paper the output is below the JavaScript', async () => {
  const { page, cells } = await withCells(open);
  await page.emulateMedia({ media: 'print' });
  const output = cells.first().locator('.output');
  expect(await output.locator('pre').first().innerText()).toBe('[2, 4, 100]');
  expect((await output.boundingBox())!.y).toBeLessThan((await cells.first().locator('> pre').last().boundingBox())!.y);
});

test.each(['light', 'dark'] as const)('axe finds no violations, %s', async (colorScheme) => {
  const { page } = await withCells(open, { colorScheme });
  expect(await violationsOf(page, 'code-cell')).toEqual([]);
});
