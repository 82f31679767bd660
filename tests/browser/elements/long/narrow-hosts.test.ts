import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useBrowser } from '../../browser.js';

const folder = mkdtempSync(join(tmpdir(), 'wasm-attention-narrow-'));
const { open } = useBrowser({ folder });
const TAGS = [
  'attention-formula',
  'attention-lookup',
  'depth-collapse',
  'position-training',
  'relative-biases',
  'rotary-pairs',
];

beforeAll(() => {
  cpSync(join(import.meta.dirname, '../../../../dist'), join(folder, 'dist'), { recursive: true });
  writeFileSync(
    join(folder, 'column.html'),
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Notes</title><link rel="icon" href="data:,">
<script type="module" src="./dist/elements/index.js"></script></head><body></body></html>`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(TAGS)('%s can be read in a narrow column of a wide window', async (tag) => {
  const page = await open({ path: '/column.html', figures: [] });
  await page.evaluate((tag) => {
    const column = document.createElement('div');
    column.style.width = '420px';
    column.append(document.createElement(tag));
    document.body.append(column);
  }, tag);
  await page.locator(`${tag}[drawn]`).waitFor();
  // Figures that depend on their own width draw a second time.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const { maps, ...wrong } = await page.locator(tag).evaluate((figure) => {
    const within = (root: ParentNode): Element[] =>
      [...root.querySelectorAll('*')].flatMap((each) => [
        each,
        ...(each.shadowRoot === null ? [] : within(each.shadowRoot)),
      ]);
    const all = within(figure.shadowRoot!);
    const labels = all.filter((each) => each instanceof SVGTextElement && each.textContent?.trim() !== '');
    const overlap = (a: DOMRect, b: DOMRect): boolean =>
      Math.min(a.right, b.right) > Math.max(a.left, b.left) && Math.min(a.bottom, b.bottom) > Math.max(a.top, b.top);
    const [boxOf, edge] = [(each: Element) => each.getBoundingClientRect(), figure.getBoundingClientRect()];
    return {
      maps: all.filter((each) => each.matches('canvas.cells')).map((map) => boxOf(map).width),
      tiny: labels.filter((label) => Math.max(boxOf(label).width, boxOf(label).height) < 10).length,
      touching: labels.flatMap((a, at) =>
        labels
          .slice(at + 1)
          .filter((b) => a.parentElement === b.parentElement && overlap(boxOf(a), boxOf(b)))
          .map((b) => `${a.textContent} ${b.textContent}`),
      ),
      cut: all.filter((each) => each.matches('td, th') && each.scrollWidth > each.clientWidth + 1).length,
      outside: all.filter((each) => each.matches('canvas, svg') && boxOf(each).right > edge.right + 1).length,
    };
  });
  expect(wrong).toEqual({ tiny: 0, touching: [], cut: 0, outside: 0 });
  expect(Math.min(...maps, 120)).toBe(120);
});
