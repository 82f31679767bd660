import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import type { HeadViewer } from '../../../../web/elements/shared/head-viewer/head-viewer.js';
import { violationsOf, widthOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { heard } from '../../heard.js';

const { open, leave } = useBrowser();

/** Opens a viewer, alone in the models page, which defines it. Head h attends to the token h places back. */
async function viewer(
  { layers = 3, heads = 4, length = 6, isCausal = false } = {},
  options: Parameters<typeof open>[0] = {},
): Promise<{ page: Page; figure: Locator }> {
  const page = await open({ path: '/en/models/', figures: [], ...options });
  await page.evaluate(async () => {
    await customElements.whenDefined('head-viewer');
    document.querySelector('main')!.replaceChildren(document.createElement('head-viewer'));
  });
  const figure = page.locator('head-viewer');
  await figure.evaluate(
    (element, { layers, heads, length, isCausal }) => {
      const data = new Float32Array(layers * heads * length * length);
      for (let map = 0; map < layers * heads; ++map) {
        for (let t = 0; t < length; ++t) data[(map * length + t) * length + Math.max(0, t - (map % heads))] = 1;
      }
      const tokens = Array.from({ length }, (_, i) => `w${i + 1}`);
      const viewer = element as HeadViewer;
      viewer.silenceable = true;
      viewer.addEventListener('head-silence', ({ detail }) => {
        const next = new Set(viewer.silent);
        const key = `${detail.layer}.${detail.head}`;
        if (detail.silent) next.add(key);
        else next.delete(key);
        viewer.silent = next;
      });
      viewer.loadArrays({ weights: { data, shape: [layers, heads, length, length] }, tokens, isCausal });
    },
    { layers, heads, length, isCausal },
  );
  await figure.getByRole('radio', { name: `Layer ${layers}, head ${heads}` }).waitFor();
  return { page, figure };
}

const name = (figure: Locator): Promise<string> => figure.locator('.large .name').innerText();

describe('head-viewer', () => {
  test('shows the clicked head, and moves by arrow keys', async () => {
    const { page, figure } = await viewer();
    expect(await figure.locator('.thumbnail').count()).toBe(12);
    await figure.getByRole('radio', { name: 'Layer 2, head 3' }).click();
    expect(await name(figure)).toBe('Layer 2, head 3 mean 0.0 bits');
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowDown', 'Home']) await page.keyboard.press(key);
    expect(await name(figure)).toContain('Layer 3, head 1');
    expect(await figure.locator('.thumbnail:focus').getAttribute('aria-label')).toBe(
      'Layer 3, head 1: mean entropy 0.0 bits',
    );
    await page.keyboard.press('End');
    expect(await name(figure)).toContain('Layer 3, head 4');
  });

  test('reads the weight of a pair', async () => {
    const { figure } = await viewer();
    await figure.getByRole('radio', { name: 'Layer 1, head 2' }).click();
    await figure.locator('heat-map .plot').focus();
    for (const key of ['Home', 'ArrowDown', 'ArrowDown', 'ArrowRight'])
      await figure.locator('heat-map .plot').press(key);
    expect(await figure.locator('.readout').innerText()).toBe('Query w3 gives key w2 the weight 1.000');
  });

  test('hatches the keys that a decoder masks, and says so', async () => {
    const { figure } = await viewer({ isCausal: true });
    expect(await figure.locator('heat-map .overlay [fill="url(#hatch)"]').count()).toBe(5);
    const plot = figure.locator('heat-map .plot');
    await plot.press('ArrowRight');
    expect(await figure.locator('.readout').innerText()).toBe(
      'Query w1 gives key w2 the weight 0 (masked, it comes later)',
    );
    await plot.press('ArrowDown');
    expect(await figure.locator('.readout').innerText()).toMatch(/1\.000$/);
  });

  test('draws lines, or those of one query, by keys and pointer', async () => {
    const { page, figure } = await viewer();
    await figure.getByRole('radio', { name: 'Layer 1, head 2' }).click();
    await figure.getByLabel('Lines').check();
    expect(await figure.locator('.line').count()).toBe(6);
    await figure.locator('.lines').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    expect(await figure.locator('.line').count()).toBe(1);
    expect(await figure.locator('.readout').innerText()).toContain('w3 attends most to w2 1.00');
    await figure.locator('.lines').hover({ position: { x: 30, y: 18 * 4 + 9 } });
    expect(await figure.locator('.readout').innerText()).toContain('w5 attends most to w4');
  });

  test('says each thing once: a head with its entropy, a query and its keys, nothing for the pointer', async () => {
    const { page, figure } = await viewer({ isCausal: true });
    await figure.evaluate((element) => {
      const [a, b] = [0.25, 0.75];
      const data = [1, 0, 0, a, b, 0, 0, 0.5, 0.5];
      (element as HeadViewer).loadArrays({
        weights: {
          data: [...data, ...data.map((each) => each ** 0)].map((each, i) => (i > 8 ? each / 3 : each)),
          shape: [2, 3, 3],
        },
        tokens: ['the', 'cat', 'sat'],
        isCausal: true,
      });
    });
    // (0 + 0.811 + 1) / 3 bits, and log₂ 3 bits.
    await figure.getByRole('radio', { name: 'Layer 1, head 1: mean entropy 0.6 bits', exact: true }).waitFor();
    await figure.getByRole('radio', { name: 'Layer 1, head 2: mean entropy 1.6 bits', exact: true }).waitFor();
    const press = (key: string): Promise<string[]> => heard(page, () => page.keyboard.press(key));
    const silence = figure.getByLabel('Silence this head');
    expect(await heard(page, () => silence.check())).toEqual([]);
    await figure.getByRole('radio', { name: 'Layer 1, head 1, silent: mean entropy 0.6 bits', exact: true }).focus();
    // What is chosen has the focus, which says its name.
    expect(await press('ArrowRight')).toEqual([]);
    expect(await press('ArrowLeft')).toEqual([]);
    const second = 'query 2 cat: strongest key 2 cat: 75%, 1 the: 25%; 1 masked, coming later; entropy 0.8 bits';
    await figure.locator('heat-map .plot').focus();
    expect(await press('ArrowDown')).toEqual([second]);
    expect(await press('End')).toEqual(['key 3 sat: masked, it comes later']);
    await figure.getByLabel('Lines').check();
    await figure.locator('.lines').focus();
    await press('ArrowDown');
    expect(await press('ArrowDown')).toEqual([second]);
    expect(await press('Home')).toEqual([
      'query 1 the: only key 1 the: 100%; 2 masked, coming later; entropy 0.0 bits',
    ]);
    expect(await press('ArrowUp')).toHaveLength(1);
    expect(await press('Shift+Tab')).toEqual([]);
    expect(await press('Tab')).toEqual(['query 1 the: only key 1 the: 100%; 2 masked, coming later; entropy 0.0 bits']);
    expect(await heard(page, () => figure.locator('.lines').hover({ position: { x: 30, y: 40 } }))).toEqual([]);
  });

  test('keeps the lines of a tapped query', async () => {
    const { figure } = await viewer({}, { hasTouch: true });
    await figure.getByRole('radio', { name: 'Layer 1, head 2' }).click();
    await figure.getByLabel('Lines').check();
    await figure.locator('.lines').tap({ position: { x: 30, y: 18 * 4 + 9 } });
    expect(await figure.locator('.line').count()).toBe(1);
    expect(await figure.locator('.readout').innerText()).toContain('w5 attends most to w4');
  });

  test.each([6, 60])('is as high with lines as with a map of %i tokens', async (length) => {
    for (const width of [390, 1280]) {
      const { page, figure } = await viewer({ length }, { viewport: { width, height: 800 } });
      const height = (): Promise<number> => figure.evaluate((element) => element.getBoundingClientRect().height);
      const before = await height();
      await figure.getByLabel('Lines').check();
      expect(await height()).toBeCloseTo(before, 1);
      // Nothing is cut off: lines that do not fit can be scrolled to.
      const [lines, readout] = [figure.locator('.lines'), figure.locator('.readout')];
      await lines.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      const [{ y, height: high }, below] = [(await lines.boundingBox())!, (await readout.boundingBox())!];
      expect(y + high).toBeLessThanOrEqual(below.y);
      await figure.getByLabel('Map').check();
      expect(await height()).toBeCloseTo(before, 1);
      await leave(page);
    }
  });

  test.each([
    [6, 1280],
    [60, 1280],
    [60, 390],
  ])(
    'shows the lines of %i tokens, and that the head is silent, one below the other at %i px',
    async (length, width) => {
      const { figure } = await viewer({ length }, { viewport: { width, height: 800 } });
      await figure.getByLabel('Lines').check();
      await figure.getByLabel('Silence this head').check();
      const parts = figure.locator('.as-lines > *:not(:empty)');
      await parts.getByText('This head is silent').waitFor();
      const boxes = await parts.evaluateAll((all) => all.map((part) => part.getBoundingClientRect()));
      expect(boxes.length).toBeGreaterThan(3);
      for (const [at, { top }] of boxes.entries())
        expect(top).toBeGreaterThanOrEqual((boxes[at - 1]?.bottom ?? 0) - 0.5);
    },
  );

  test('tells the page which heads to silence', async () => {
    const { figure } = await viewer();
    await figure.getByRole('radio', { name: 'Layer 2, head 1' }).click();
    await figure.getByLabel('Silence this head').check();
    await figure.getByRole('radio', { name: 'Layer 2, head 1, silent' }).waitFor();
    const note = figure.getByText('This head is silent');
    expect(await note.isVisible()).toBe(true);
    await figure.getByRole('radio', { name: /^Layer 1, head 1:/ }).click();
    expect(await note.count()).toBe(0);
    await figure.getByRole('radio', { name: 'Layer 2, head 1, silent' }).click();
    await figure.getByLabel('Silence this head').uncheck();
    await figure.getByRole('radio', { name: /^Layer 2, head 1:/ }).waitFor();
    expect(await note.count()).toBe(0);
  });

  test('does not change when it rejects arrays', async () => {
    const { figure } = await viewer();
    const message = await figure.evaluate((element) => {
      try {
        (element as HeadViewer).loadArrays({ weights: { data: [1], shape: [2, 2] } });
        return '';
      } catch (error) {
        return String(error);
      }
    });
    expect(message).toContain('expected 4 numbers');
    expect(await figure.locator('.thumbnail').count()).toBe(12);
  });

  test('draws a part of a million heads, and goes on at its edges', async () => {
    const { page, figure } = await viewer();
    const took = await figure.evaluate(async (element) => {
      const viewer = element as HeadViewer;
      const began = performance.now();
      viewer.loadArrays({ weights: { data: new Float32Array(1e6).fill(1), shape: [1000, 1000, 1, 1] } });
      await viewer.updateComplete;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      return performance.now() - began;
    });
    expect(took).toBeLessThan(5000);
    const hint = figure.locator('.overview .hint');
    expect(await figure.locator('.thumbnail').count()).toBe(64 * 64);
    expect(await hint.innerText()).toContain('Drawn here: layers 1–64 of 1,000, heads 1–64 of 1,000.');
    await figure.getByRole('radio', { name: /^Layer 1, head 64:/ }).click();
    expect(await hint.innerText()).toContain('layers 1–64 of 1,000, heads 32–95 of 1,000.');
    expect(await figure.locator('.numbers.of-heads span').last().innerText()).toBe('95');
    const focused = (): Promise<string | null> => figure.locator('.thumbnail:focus').getAttribute('aria-label');
    expect(await focused()).toBe('Layer 1, head 64: mean entropy 0.0 bits');
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe('Layer 1, head 65: mean entropy 0.0 bits');
    await page.keyboard.press('End');
    expect(await focused()).toBe('Layer 1, head 1000: mean entropy 0.0 bits');
    expect(await name(figure)).toContain('Layer 1, head 1000');
    expect(await hint.innerText()).toContain('heads 937–1,000 of 1,000.');
    await figure.evaluate((element) => ((element as HeadViewer).layer = 500));
    expect(await hint.innerText()).toContain('layers 468–531 of 1,000');
  });

  test('keeps the browser free while 12 layers of 12 heads over 300 tokens are drawn', async () => {
    const { figure } = await viewer();
    const { longest, colours } = await figure.evaluate(async (element) => {
      const viewer = element as HeadViewer;
      const [layers, heads, length] = [12, 12, 300];
      const data = Float32Array.from({ length: layers * heads * length ** 2 }, (_, i) => (i % 97) / 97);
      const longest: number[] = [];
      for (let run = 0; run < 3; ++run) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        let most = 0;
        const observer = new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) most = Math.max(most, duration);
        });
        observer.observe({ entryTypes: ['longtask'] });
        viewer.loadArrays({ weights: { data, shape: [layers, heads, length, length] } });
        await new Promise((resolve) => setTimeout(resolve, 1500));
        observer.disconnect();
        longest.push(most);
      }
      const canvas = viewer.shadowRoot!.querySelector<HTMLCanvasElement>('.thumbnails')!;
      const { width, height } = canvas;
      const last = canvas.getContext('2d')!.getImageData(width - 20, height - 20, 10, 10).data;
      return { longest, colours: new Set(new Uint32Array(last.buffer)).size };
    });
    // Tasks of a machine that is busy are longer now and then. Those that take less than 50 ms are not listed.
    expect(Math.min(...longest)).toBeLessThan(200);
    expect(colours).toBeGreaterThan(1);
  }, 60_000);

  test('draws so many tokens as a browser can, and says so', async () => {
    const { figure } = await viewer();
    await figure.evaluate((element) => {
      const data = new Float32Array(1e6).fill(1);
      (element as HeadViewer).loadArrays({ weights: { data, shape: [1_000_000, 1] }, isCausal: true });
    });
    const note = figure.getByText('There are too many tokens to draw each of them');
    await note.waitFor();
    expect(await figure.locator('.entropies').count()).toBe(0);
    await figure.getByLabel('Lines').check();
    expect(await figure.locator('.lines text').count()).toBe(2048 + 1);
    expect(await note.count()).toBe(1);
  });

  test.each([390, 1280])('does not overflow, and axe finds no violations, at %i px', async (width) => {
    const { page, figure } = await viewer({ layers: 12, heads: 12, length: 40 }, { viewport: { width, height: 844 } });
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    const sizes = await figure
      .locator('.thumbnail')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(20);
    expect(await violationsOf(page, 'head-viewer')).toEqual([]);
    await figure.getByLabel('Lines').check();
    expect(await violationsOf(page, 'head-viewer')).toEqual([]);
  });
});
