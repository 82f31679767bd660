import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { useBrowser } from '../browser.js';

const { open } = useBrowser();

/** Opens the page with formulas in its own font, whatever fonts the machine has. */
async function openInOwnFont(width: number, path = '/en/'): Promise<Page> {
  const page = await open({ path, viewport: { width, height: 800 }, figures: [] });
  await page.evaluate(async () => {
    document.documentElement.style.setProperty('--math', 'Formulas');
    for (const element of document.querySelectorAll<HTMLElement>('main, main *'))
      element.style.contentVisibility = 'visible';
    await document.fonts.load('18px Formulas', 'x𝑥');
  });
  return page;
}

test.each(['/en/', '/en/further/'])(
  'on %s a root is as wide as its radicand, and brackets are as high as their contents',
  async (path) => {
    const page = await openInOwnFont(1280, path);
    const { holes, tall, low } = await page.evaluate(() => {
      const roots = Array.from(document.querySelectorAll('msqrt'), (root) => {
        const [whole, inside] = [root.getBoundingClientRect(), root.firstElementChild!.getBoundingClientRect()];
        const size = parseFloat(getComputedStyle(root).fontSize);
        return { hole: whole.right - inside.right, height: inside.height / size };
      });
      const brackets = [...document.querySelectorAll('mo[fence=true]:first-child')].map((bracket) => {
        const inside = Array.from(bracket.parentElement!.children, (part) => part.getBoundingClientRect());
        return bracket.getBoundingClientRect().height - Math.max(...inside.map(({ height }) => height));
      });
      return {
        holes: roots.map(({ hole }) => Math.round(hole)),
        // The font's only root is 1.3 em high.
        tall: roots.filter(({ height }) => height > 1.2),
        low: brackets.filter((missing) => missing < -1),
      };
    });
    expect(holes).toHaveLength(3);
    expect({ holes: holes.filter((hole) => hole !== 0), tall, low }).toEqual({ holes: [], tall: [], low: [] });
  },
);

test('a letter with a descender has its subscript as low as other letters', async () => {
  const page = await openInOwnFont(1280);
  const bottoms = await page
    .locator('#eq-self-attention msub > :last-child')
    .evaluateAll((indices) =>
      indices.filter(({ textContent }) => textContent === 'i').map((i) => i.getBoundingClientRect().bottom),
    );
  expect(bottoms).toHaveLength(2);
  expect(bottoms[0]).toBe(bottoms[1]);
});

test('every formula fits on a narrow phone', async () => {
  const page = await openInOwnFont(320);
  const wide = await page
    .locator('.equation')
    .evaluateAll((boxes) =>
      boxes.filter((box) => box.scrollWidth > box.clientWidth).map(({ id, scrollWidth }) => [id, scrollWidth]),
    );
  expect(wide).toEqual([]);
});
