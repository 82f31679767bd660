import { expect, test } from '@jest/globals';
import { sinusoidalEncoding } from '../../../reference/sinusoidalEncoding.js';
import { openAlone } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { choose } from '../../shown.js';

const { open } = useBrowser();

/** The figures below that have maps. */
const MAPS = ['attention-masks', 'positional-heatmap'];

test.each(['attention-masks', 'positional-curves', 'positional-heatmap', 'encoding-rotation'])(
  '%s has the same tools in the same order, each large enough',
  async (tag) => {
    const { figure } = await openAlone(open, tag, { viewport: { width: 390, height: 800 } });
    await figure.getByRole('button', { name: /^Tools of/ }).click();
    const buttons = figure.locator('.tools button');
    expect(await buttons.allTextContents()).toEqual([
      'Reset',
      '…',
      'Copy link',
      'Save drawing (SVG)',
      'Save image (PNG)',
      'Save values (CSV)',
      'Code',
      'Values as a table',
      ...(MAPS.includes(tag) ? ['Play rows'] : []),
      'Full screen',
    ]);
    for (const button of await buttons.all()) {
      const box = await button.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(24);
    }
  },
);

test('every tool works by keyboard alone, and Escape closes the menu', async () => {
  const { page, figure } = await openAlone(open, 'encoding-rotation');
  await figure.getByRole('slider', { name: 'Hand of pair 0' }).focus();
  const focused = (): Promise<string | undefined> =>
    figure.evaluate((element) => element.shadowRoot?.activeElement?.textContent?.trim());
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Reset');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('…');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Copy link');
  await page.keyboard.press('Escape');
  expect(await figure.getByRole('button', { name: '(SVG)' }).isVisible()).toBe(false);
  expect(await focused()).toBe('…');
  await page.keyboard.press('Enter');
  for (let steps = 0; steps < 5; ++steps) await page.keyboard.press('Tab');
  expect(await focused()).toBe('Code');
  await page.keyboard.press('Space');
  expect(
    await figure
      .getByLabel('JavaScript')
      .first()
      .evaluate((radio) => radio.matches(':focus')),
  ).toBe(true);
  expect(await figure.locator('pre').innerText()).toContain("from 'wasm-attention'");
  await figure.getByLabel('PyTorch').first().press('Space');
  expect(await figure.locator('pre').innerText()).toContain('import torch');
});

test('the focus moves to the table that opens', async () => {
  const { figure } = await openAlone(open, 'encoding-rotation');
  await choose(figure, 'Values as a table');
  expect(await figure.locator('.figure-values .scroller').evaluate((table) => table.matches(':focus'))).toBe(true);
});

test('the table is created when opened, follows the sliders, and is removed when closed', async () => {
  const { figure } = await openAlone(open, 'positional-curves');
  expect(await figure.locator('td').count()).toBe(0);
  await choose(figure, 'Values as a table');
  const tool = figure.locator('.menu button', { hasText: 'Values as a table' });
  expect(await tool.getAttribute('aria-expanded')).toBe('true');
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
  await choose(figure, 'Values as a table');
  expect(await tool.getAttribute('aria-expanded')).toBe('false');
  expect(await figure.locator('td').count()).toBe(0);
});

test.each(['light', 'dark'] as const)(
  'a table has a shadow at an edge beyond which it can be scrolled (%s)',
  async (colorScheme) => {
    const viewport = { width: 390, height: 844 };
    const { page, figure } = await openAlone(open, 'attention-masks', { viewport, colorScheme });
    await choose(figure, 'Values as a table');
    const frame = figure.locator('.figure-values .scroller');
    await frame.evaluate((each) => each.scrollIntoView({ block: 'center', behavior: 'instant' }));
    // The lightness of the frame's edge, at a point without a number.
    const shade = async (): Promise<number> => {
      const { x, y, width, height } = (await frame.boundingBox())!;
      const clip = { x: x + width - 4, y: y + height / 2, width: 2, height: 8 };
      const png = await page.screenshot({ clip });
      return page.evaluate(async (base64) => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const canvas = new OffscreenCanvas(1, 1).getContext('2d')!;
        canvas.drawImage(image, 0, 0, 1, 1);
        const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
        return (red + green + blue) / 3;
      }, png.toString('base64'));
    };
    expect(await frame.evaluate((each) => each.scrollWidth > each.clientWidth)).toBe(true);
    const cut = await shade();
    await frame.evaluate((each) => each.scrollTo({ left: each.scrollWidth, behavior: 'instant' }));
    const end = await shade();
    expect(Math.abs(cut - end)).toBeGreaterThan(30);
    await page.setViewportSize({ width: 1280, height: 844 });
    expect(Math.abs((await shade()) - end)).toBeLessThan(2);
  },
);
