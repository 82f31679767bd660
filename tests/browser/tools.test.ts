import { describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Download, Locator, Page } from 'playwright-core';
import { sinusoidalEncoding } from '../reference/sinusoidalEncoding.js';
import { attention } from '../support/library.js';
import { useBrowser } from './browser.js';
import { blues } from './canvas.js';

const { open, origin } = useBrowser();
const FIGURES = ['attention-heads', 'positional-curves', 'positional-heatmap', 'encoding-rotation'];
const HEATMAP = ['positional-heatmap'];

/** Saves a figure as a kind of file. */
async function save(figure: Locator, kind: 'SVG' | 'PNG' | 'CSV'): Promise<Download> {
  await figure.getByRole('button', { name: 'Save', exact: true }).click();
  const downloads = figure.page().waitForEvent('download');
  await figure.getByRole('button', { name: `(${kind})` }).click();
  return downloads;
}

async function contentOf(download: Download): Promise<Buffer> {
  return readFile(await download.path());
}

/** Reads an SVG with the browser's strict parser: its errors, its root's viewBox, its rectangles and its texts. */
function parsed(
  page: Page,
  svg: string,
): Promise<{
  error: string;
  viewBox: string;
  title: string;
  cells: string[];
  texts: string[];
  foreign: number;
}> {
  return page.evaluate((text) => {
    const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
    const all = (selector: string): Element[] => [...root.querySelectorAll(selector)];
    return {
      error: root.querySelector('parsererror')?.textContent ?? '',
      viewBox: root.getAttribute('viewBox') ?? '',
      title: root.querySelector('title')?.textContent ?? '',
      cells: all('svg[preserveAspectRatio=none] > rect').map((rect) =>
        ['x', 'y', 'width', 'height', 'fill'].map((name) => rect.getAttribute(name)).join(),
      ),
      texts: all('text').map((element) => element.textContent ?? ''),
      foreign: all('foreignObject, image, script, style').length,
    };
  }, svg);
}

/** `r,g,b,a` as `#rrggbb`. */
function hex(pixel: string): string {
  const channels = pixel.split(',').slice(0, 3).map(Number);
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

test.each(FIGURES)('%s has the same tools in the same order, each big enough', async (tag) => {
  const page = await open({ figures: [tag], viewport: { width: 390, height: 800 } });
  const buttons = page.locator(tag).locator('.tools > button');
  expect((await buttons.allInnerTexts()).map((text) => text.trim())).toEqual([
    'Reset',
    'Copy link',
    'Save',
    'Code',
    'Full screen',
    'Values as a table',
  ]);
  for (const button of await buttons.all()) {
    const box = await button.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(24);
  }
});

test('the SVG of the heat map has a rectangle of the right colour for every cell, and its words', async () => {
  const page = await open({ figures: HEATMAP });
  await page.locator('positional-heatmap').getByLabel('Length n').fill('8');
  const download = await save(page.locator('positional-heatmap'), 'SVG');
  expect(download.suggestedFilename()).toBe('fig-heatmap.svg');
  const { error, cells, texts, title, foreign } = await parsed(page, (await contentOf(download)).toString());
  expect([error, foreign]).toEqual(['', 0]);
  expect(title).toMatch(/\?$/);
  const { data } = attention.sinusoidalEncoding({ length: 8, dim: 32 });
  const colours = new Array<string>(8 * 32).fill('');
  // Beside the 256 steps of the legend, which is as high as one cell.
  for (const cell of cells.slice(0, -256)) {
    const [x = NaN, y = NaN, width = NaN, height = NaN] = cell.split(',').map(Number);
    const colour = cell.slice(cell.lastIndexOf(',') + 1);
    // With gaps between cells a rectangle is a little smaller than its cells.
    for (let row = Math.floor(y); row < Math.round(y + height); ++row) {
      for (let column = Math.floor(x); column < Math.round(x + width); ++column)
        colours[row * 32 + column] = colour;
    }
  }
  expect(colours).toEqual(Array.from(data, (value) => hex(blues(value, -1, 1))));
  for (const text of ['position', 'column', '0', '7', '30', '−1', '1']) expect(texts).toContain(text);
  for (const text of ['Length n', 'Save', 'Values as a table']) expect(texts).not.toContain(text);
});

test('the SVG of the curves is as wide as what is shown, with every curve and label in its colours', async () => {
  const page = await open({ figures: ['positional-curves'], colorScheme: 'dark' });
  const figure = page.locator('positional-curves');
  const shown = await figure
    .locator('path.series')
    .evaluateAll((paths) => paths.map((path) => path.getAttribute('d')));
  const svg = (await contentOf(await save(figure, 'SVG'))).toString();
  for (const path of shown) expect(svg).toContain(`d="${path}"`);
  const { error, texts, viewBox } = await parsed(page, svg);
  expect(error).toBe('');
  for (const column of [6, 7, 8, 9]) expect(texts).toContain(`col ${column}`);
  const width = await figure.evaluate((element) => element.getBoundingClientRect().width);
  // What is drawn, and eight pixels of paper on each side; labels may reach a little further than their figure.
  expect(Math.abs(Number(viewBox.split(' ')[2]) - width - 16)).toBeLessThanOrEqual(12);
  expect(svg).toMatch(/<rect [^>]*fill="#14181d"/);
  expect(svg).toContain('stroke="#7ab8f5"');
  expect(svg).toMatch(/stroke-dasharray="7px, 4px"/);
});

test.each(FIGURES)(
  'the PNG of %s decodes, two pixels for each of the drawing, and is not empty',
  async (tag) => {
    const page = await open({ figures: [tag] });
    const svg = (await contentOf(await save(page.locator(tag), 'SVG'))).toString();
    const png = await contentOf(await save(page.locator(tag), 'PNG'));
    const { viewBox, error } = await parsed(page, svg);
    expect(error).toBe('');
    const [, , width = NaN, height = NaN] = viewBox.split(' ').map(Number);
    const decoded = await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      context?.drawImage(bitmap, 0, 0);
      const pixels = new Uint32Array(
        context?.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer ?? [],
      );
      return { width: bitmap.width, height: bitmap.height, colours: new Set(pixels).size };
    }, png.toString('base64'));
    expect([decoded.width, decoded.height]).toEqual([2 * width, 2 * height]);
    expect(decoded.colours).toBeGreaterThan(20);
  },
);

test('the CSV holds every value of P as float32 has it', async () => {
  const page = await open({ figures: HEATMAP });
  const download = await save(page.locator('positional-heatmap'), 'CSV');
  expect(download.suggestedFilename()).toBe('fig-heatmap.csv');
  const [head = '', ...rows] = (await contentOf(download)).toString().trimEnd().split('\r\n');
  expect(head.split(',')).toEqual([
    'position \\ column',
    ...Array.from({ length: 32 }, (_, column) => String(column)),
  ]);
  const values = rows.flatMap((row) =>
    row
      .split(',')
      .slice(1)
      .map((text) => Math.fround(Number(text))),
  );
  expect(values).toEqual([...attention.sinusoidalEncoding({ length: 60, dim: 32 }).data]);
});

test('the link brings a figure back as it was, and reset takes it to how the page had it', async () => {
  const page = await open({
    figures: ['encoding-rotation'],
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const figure = page.locator('encoding-rotation');
  await figure.getByLabel('Offset δ').fill('-7');
  await figure.getByRole('button', { name: 'Copy link' }).click();
  await figure.getByRole('button', { name: 'Link copied' }).waitFor();
  const address = await page.evaluate(() => navigator.clipboard.readText());
  expect(address).toBe(`${origin()}/en/?fig-rotation=offset%3D-7#fig-rotation`);
  await page.goto('about:blank');
  await page.goto(address);
  await figure.locator('.residual').waitFor();
  expect(await figure.getByLabel('Offset δ').inputValue()).toBe('-7');
  await figure.getByRole('button', { name: 'Reset' }).click();
  expect(await figure.getByLabel('Offset δ').inputValue()).toBe('6');
  await page.waitForURL(`${origin()}/en/#fig-rotation`);
});

test('without a clipboard the address stands selected below the figure', async () => {
  const script = "Object.defineProperty(navigator, 'clipboard', { value: undefined });";
  const page = await open({ figures: ['encoding-rotation'], script });
  const figure = page.locator('encoding-rotation');
  await figure.getByLabel('Position i').fill('3');
  await figure.getByRole('button', { name: 'Copy link' }).click();
  const field = figure.getByLabel('Address of the figure');
  expect(await field.inputValue()).toBe(`${origin()}/en/?fig-rotation=position%3D3#fig-rotation`);
  const selected = await field.evaluate((input: HTMLInputElement) => [
    input.selectionStart,
    input.selectionEnd,
  ]);
  expect(selected).toEqual([0, (await field.inputValue()).length]);
});

test('the page’s address follows the figures, keeps what else is in it, and does not scroll', async () => {
  const page = await open({ path: '/en/?from=mail', figures: ['positional-curves', 'positional-heatmap'] });
  const curves = page.locator('positional-curves');
  await curves.getByLabel('Length n').scrollIntoViewIfNeeded();
  const before = await page.evaluate(() => scrollY);
  for (const length of ['20', '30', '40']) await curves.getByLabel('Length n').fill(length);
  await page.waitForURL(`${origin()}/en/?from=mail&P=length%3D40`);
  expect(await page.evaluate(() => scrollY)).toBe(before);
  // The other figure of the group is in the same state, and says so in the same place.
  await page.locator('positional-heatmap').getByLabel('Width d').fill('16');
  await page.waitForURL(`${origin()}/en/?from=mail&P=length%3D40%26width%3D16`);
});

test('a link with nonsense leaves every figure as the page has it', async () => {
  const nonsense = new URLSearchParams({
    P: `length=NaN&width=1e9&base=<b>&columns=${'9 '.repeat(900)}&__proto__=1`,
    'fig-heads': 'valid-lens=9&input=constructor&seed=-1',
    'fig-rotation': '%',
  });
  const page = await open({ path: `/en/?${nonsense.toString()}`, figures: FIGURES });
  expect(await page.locator('positional-curves').getByLabel('Length n').inputValue()).toBe('60');
  expect(await page.locator('attention-heads').getByLabel('Sequence 1: valid length').inputValue()).toBe('3');
  expect(await page.locator('encoding-rotation').getByLabel('Offset δ').inputValue()).toBe('6');
});

test('every tool works by keyboard alone, and Escape closes the menu', async () => {
  const page = await open({ figures: ['encoding-rotation'] });
  const figure = page.locator('encoding-rotation');
  await figure.getByLabel('Width d').focus();
  const focused = (): Promise<string | undefined> =>
    figure.evaluate((element) => element.shadowRoot?.activeElement?.textContent?.trim());
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Reset');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Save');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Drawing (SVG)');
  await page.keyboard.press('Escape');
  expect(await figure.getByRole('button', { name: '(SVG)' }).isVisible()).toBe(false);
  expect(await focused()).toBe('Save');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Code');
  await page.keyboard.press('Space');
  expect(await figure.locator('pre').innerText()).toContain("from 'wasm-attention'");
  await figure.getByLabel('PyTorch').first().press('Space');
  expect(await figure.locator('pre').innerText()).toContain('import torch');
});

test('the table is made when it is opened, follows the sliders, and goes when it is closed', async () => {
  const page = await open({ figures: ['positional-curves'] });
  const figure = page.locator('positional-curves');
  expect(await figure.locator('td').count()).toBe(0);
  const toggle = figure.getByRole('button', { name: 'Values as a table' });
  await toggle.click();
  expect(await toggle.getAttribute('aria-expanded')).toBe('true');
  expect(await figure.getByRole('columnheader').allTextContents()).toEqual([
    'position',
    'col 6',
    'col 7',
    'col 8',
    'col 9',
  ]);
  await figure.getByLabel('Length n').fill('5');
  const { data } = sinusoidalEncoding({ length: 5, dim: 32 });
  const wanted = Array.from({ length: 20 }, (_, k) => data[Math.floor(k / 4) * 32 + 6 + (k % 4)] ?? NaN);
  expect(await figure.locator('td').allTextContents()).toEqual(
    wanted.map((value) => (value === 0 ? '0' : value.toFixed(3))),
  );
  await toggle.click();
  expect(await figure.locator('td').count()).toBe(0);
});

test('a figure fills the screen and comes back', async () => {
  const page = await open({ figures: ['encoding-rotation'] });
  const figure = page.locator('encoding-rotation');
  await figure.getByRole('button', { name: 'Full screen' }).click();
  await figure.getByRole('button', { name: 'Leave full screen' }).waitFor();
  expect(await page.evaluate(() => document.fullscreenElement?.localName)).toBe('encoding-rotation');
  await figure.getByRole('button', { name: 'Leave full screen' }).click();
  await figure.getByRole('button', { name: 'Full screen', exact: true }).waitFor();
});

describe('on the full screen', () => {
  const enter = async (page: Page, tag: string): Promise<Locator> => {
    const figure = page.locator(tag);
    await figure.getByRole('button', { name: 'Full screen' }).click();
    await figure.getByRole('button', { name: 'Leave full screen' }).waitFor();
    // A few frames to find out how large it can be.
    await page.waitForTimeout(500);
    return figure;
  };

  test.each([
    ['attention-lookup', 'wide'],
    ['complexity-race', 'high'],
    ['encoding-similarity', 'high'],
  ] as const)('%s is as %s as the screen', async (tag, side) => {
    const viewport = { width: 1280, height: 800 };
    const page = await open({ figures: [tag], viewport });
    const before = await page.locator(tag).evaluate((element) => element.clientWidth);
    const figure = await enter(page, tag);
    const { width, height, scrolls } = await figure.evaluate((element) => {
      const parts = [...(element.shadowRoot?.querySelectorAll('.stage, .tools') ?? [])];
      const boxes = parts.map((part) => part.getBoundingClientRect());
      return {
        width: boxes[0]?.width ?? 0,
        height: Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top)),
        scrolls: element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight,
      };
    });
    expect(scrolls).toBe(false);
    expect(side === 'wide' ? width / viewport.width : height / viewport.height).toBeGreaterThan(0.88);
    await figure.getByRole('button', { name: 'Leave full screen' }).click();
    await figure.getByRole('button', { name: 'Full screen', exact: true }).waitFor();
    expect(await figure.evaluate((element) => element.clientWidth)).toBe(before);
    expect(await figure.evaluate((element) => getComputedStyle(element).zoom)).toBe('1');
  });

  test('a click on a plot hits what it points at, the menu opens at its button, and a file is as in the page', async () => {
    const page = await open({ figures: ['complexity-race'], viewport: { width: 1280, height: 1000 } });
    const inPage = (await contentOf(await save(page.locator('complexity-race'), 'SVG'))).toString();
    const figure = await enter(page, 'complexity-race');
    expect(await figure.evaluate((element) => Number(getComputedStyle(element).zoom))).toBeGreaterThan(1.2);
    const inFull = (await contentOf(await save(figure, 'SVG'))).toString();
    expect((await parsed(page, inFull)).viewBox).toBe((await parsed(page, inPage)).viewBox);
    const tick = figure.locator('.plot text', { hasText: /^1,024$/ });
    const box = await tick.boundingBox();
    await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) - 60);
    expect(await figure.getByRole('slider', { name: 'Tokens n' }).getAttribute('aria-valuetext')).toBe(
      '1,024',
    );
    const button = figure.getByRole('button', { name: 'Save', exact: true });
    await button.click();
    const [menu, below] = [await figure.locator('.save').boundingBox(), await button.boundingBox()];
    expect(Math.abs((menu?.x ?? 0) - (below?.x ?? 0))).toBeLessThan(2);
  });
});

test('a page loads no figure before its reader comes near', async () => {
  const page = await open({ figures: [], viewport: { width: 1280, height: 600 } });
  const defined = (): Promise<boolean> =>
    page.evaluate(() => customElements.get('encoding-rotation') !== undefined);
  expect(await defined()).toBe(false);
  await page.locator('#fig-rotation').evaluate((element) => element.scrollIntoView({ behavior: 'instant' }));
  await page.locator('encoding-rotation[drawn]').waitFor();
  expect(await defined()).toBe(true);
});

test('on paper heat maps are drawings, and on the screen bitmaps again', async () => {
  const page = await open({ figures: HEATMAP });
  const map = page.locator('positional-heatmap');
  await page.waitForTimeout(2500);
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  expect(await map.locator('svg.cells > rect').count()).toBeGreaterThan(1000);
  expect(await map.locator('canvas.cells').isVisible()).toBe(false);
  await page.emulateMedia({ media: 'print' });
  expect(await map.locator('.tools').isVisible()).toBe(false);
  expect(await map.locator('.controls').isVisible()).toBe(false);
  expect(await map.locator('svg.cells').boundingBox()).toEqual(await map.locator('.plot').boundingBox());
  await page.emulateMedia({ media: 'screen' });
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  expect(await map.locator('svg.cells').count()).toBe(0);
  expect(await map.locator('canvas.cells').isVisible()).toBe(true);
});

test('the gallery shows every element, live, with its markup and its attributes', async () => {
  const page = await open({ path: '/gallery/', figures: [] });
  await page.locator('#ramp-legend').waitFor();
  for (const tag of [...FIGURES, 'heat-map']) {
    const section = page.locator('section').filter({ has: page.locator(`#about-${tag}`) });
    expect(await section.locator('pre').first().innerText()).toContain(`<${tag}`);
    expect(await section.locator(`figure > ${tag}`).count()).toBe(1);
  }
  const rotation = page.locator('section').filter({ has: page.locator('#about-encoding-rotation') });
  expect(await rotation.locator('tbody td:first-child').allInnerTexts()).toEqual([
    'position',
    'offset',
    'width',
  ]);
});
