import { expect, test } from '@jest/globals';
import { attention } from '../../../support/library.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { signed } from '../../canvas.js';
import { contentOf, parsed, save } from '../../shown.js';

const { open } = useBrowser();
const HEATMAP = ['positional-heatmap'];

/** `r,g,b,a` as `#rrggbb`. */
function hex(pixel: string): string {
  const channels = pixel.split(',').slice(0, 3).map(Number);
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

test('the SVG of the heat map has a rectangle of the right colour for every cell, and its texts', async () => {
  const page = await open({ figures: HEATMAP });
  await page.locator('positional-heatmap').getByLabel('Length n').fill('8');
  const download = await save(page.locator('positional-heatmap'), 'SVG');
  expect(download.suggestedFilename()).toBe('fig-heatmap.svg');
  const { error, cells, texts, title, foreign } = await parsed(page, (await contentOf(download)).toString());
  expect([error, foreign]).toEqual(['', 0]);
  expect(title).toMatch(/\?$/);
  const { data } = attention.sinusoidalEncoding({ length: 8, dim: 32 });
  const colours = new Array<string>(8 * 32).fill('');
  // In addition to the 256 steps of the legend, which is as high as a cell.
  for (const cell of cells.slice(0, -256)) {
    const [x = NaN, y = NaN, width = NaN, height = NaN] = cell.split(',').map(Number);
    const colour = cell.slice(cell.lastIndexOf(',') + 1);
    // With gaps between cells, rectangles are slightly smaller than cells.
    for (let row = Math.floor(y); row < Math.round(y + height); ++row) {
      for (let column = Math.floor(x); column < Math.round(x + width); ++column) colours[row * 32 + column] = colour;
    }
  }
  expect(colours).toEqual(Array.from(data, (value) => hex(signed(value, 1))));
  for (const text of ['position', 'column', '0', '7', '30', '−1', '1']) expect(texts).toContain(text);
  for (const text of ['Length n', '…', 'Values as a table']) expect(texts).not.toContain(text);
});

test('the SVG of the curves is as wide as shown, with every curve and label in its colour', async () => {
  const { page, figure } = await openAlone(open, 'positional-curves', { colorScheme: 'dark' });
  const shown = await figure.locator('path.series').evaluateAll((paths) => paths.map((path) => path.getAttribute('d')));
  const svg = (await contentOf(await save(figure, 'SVG'))).toString();
  for (const path of shown) expect(svg).toContain(`d="${path}"`);
  const { error, texts, viewBox } = await parsed(page, svg);
  expect(error).toBe('');
  for (const column of [6, 7, 8, 9]) expect(texts).toContain(`col ${column}`);
  const width = await figure.evaluate((element) => element.getBoundingClientRect().width);
  // The drawing with margins of eight pixels; labels may extend slightly beyond their figure.
  expect(Math.abs(Number(viewBox.split(' ')[2]) - width - 16)).toBeLessThanOrEqual(12);
  expect(svg).toMatch(/<rect [^>]*fill="#14181d"/);
  expect(svg).toContain('stroke="#7ab8f5"');
  expect(svg).toMatch(/stroke-dasharray="5px, 3px"/);
});

test.each(['attention-masks', 'positional-curves', 'positional-heatmap', 'encoding-rotation'])(
  'the PNG of %s can be decoded, has twice the drawing’s resolution, and is not empty',
  async (tag) => {
    const { page, figure } = await openAlone(open, tag);
    const svg = (await contentOf(await save(figure, 'SVG'))).toString();
    const png = await contentOf(await save(figure, 'PNG'));
    const { viewBox, error } = await parsed(page, svg);
    expect(error).toBe('');
    const [, , width = NaN, height = NaN] = viewBox.split(' ').map(Number);
    const decoded = await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      context?.drawImage(bitmap, 0, 0);
      const pixels = new Uint32Array(context?.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer ?? []);
      return { width: bitmap.width, height: bitmap.height, colours: new Set(pixels).size };
    }, png.toString('base64'));
    expect([decoded.width, decoded.height]).toEqual([2 * width, 2 * height]);
    expect(decoded.colours).toBeGreaterThan(20);
  },
);

test('a picture saved on a phone has no gap in the place of the controls', async () => {
  const { page, figure } = await openAlone(open, 'depth-collapse', { viewport: { width: 390, height: 844 } });
  const { viewBox } = await parsed(page, (await contentOf(await save(figure, 'SVG'))).toString());
  const boxOf = async (part: string): Promise<{ y: number; height: number }> =>
    (await figure.locator(part).boundingBox())!;
  const [stage, legend, readout] = [await boxOf('.stage'), await boxOf('.inside > .legend'), await boxOf('.readout')];
  const shown = legend.y + legend.height - stage.y + readout.height;
  const [, , , height = NaN] = viewBox.split(' ').map(Number);
  // The height of the title above the picture, and its margins.
  expect(height - shown).toBeGreaterThan(0);
  expect(height - shown).toBeLessThan(60);
});

test('the CSV has every float32 value of P', async () => {
  const page = await open({ figures: HEATMAP });
  const download = await save(page.locator('positional-heatmap'), 'CSV');
  expect(download.suggestedFilename()).toBe('fig-heatmap.csv');
  const [head = '', ...rows] = (await contentOf(download)).toString().trimEnd().split('\r\n');
  expect(head.split(',')).toEqual(['position \\ column', ...Array.from({ length: 32 }, (_, column) => String(column))]);
  const values = rows.flatMap((row) =>
    row
      .split(',')
      .slice(1)
      .map((text) => Math.fround(Number(text))),
  );
  expect(values).toEqual([...attention.sinusoidalEncoding({ length: 60, dim: 32 }).data]);
});
