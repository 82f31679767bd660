/** `wasm-attention/anywidget` in a page that treats a widget's module as notebooks do. */
import { describe, expect, test } from '@jest/globals';
import { figures, parts } from '../../../../web/elements/registry.js';
import { violationsOf, widthOf } from '../../alone.js';
import { host, showHeads, useNotebook, type Hosting } from '../../notebook.js';

const { open, asked } = useNotebook();

test.each(['light', 'dark'] as const)(
  'shows a model’s attention in the %s scheme, without fetching other files',
  async (colorScheme) => {
    const page = await open({ colorScheme });
    await showHeads(page, 3, 4, 6);
    const viewer = page.locator('head-viewer');
    await viewer.and(page.locator('[drawn]')).waitFor();
    await viewer.getByRole('radio', { name: 'Layer 3, head 2' }).click();
    expect(await host(page, (host) => host.traits(0).settings)).toEqual({ layer: 3, head: 2 });
    expect(await host(page, (host) => host.sent(0))).toBe(1);
    await host(page, (host) => host.change(0, { settings: { layer: 1, head: 4, view: 'lines' } }));
    await page.waitForFunction(() =>
      document.querySelector('head-viewer')!.shadowRoot!.textContent.includes('Layer 1, head 4'),
    );
    // Nothing answers what came from the kernel.
    expect(await host(page, (host) => host.sent(0))).toBe(1);
    expect(await violationsOf(page, 'head-viewer')).toEqual([]);
    expect(asked).toEqual([]);
    await page.close();
  },
);

test('12 by 12 heads of 128 tokens are shown, and the time is printed', async () => {
  const page = await open();
  const took = await page.evaluate(async () => {
    const shape = [12, 12, 128, 128];
    const data = new Float32Array(144 * 128 * 128).fill(1 / 128);
    const weights = { data: new DataView(data.buffer), shape, dtype: 'float32' };
    const began = performance.now();
    await (window as unknown as Hosting).host.show({ weights });
    const viewer = document.querySelector<HTMLElement & { updateComplete: Promise<unknown> }>('head-viewer')!;
    await viewer.updateComplete;
    while (!viewer.hasAttribute('drawn')) await new Promise(requestAnimationFrame);
    return performance.now() - began;
  });
  console.debug(`12 x 12 heads of 128 tokens: ${Math.round(took)} ms`);
  expect(await page.locator('head-viewer .thumbnail').count()).toBe(144);
  await page.close();
});

test('every figure works as a widget, several in one notebook, from copies of the module', async () => {
  const page = await open();
  for (const [i, tag] of Object.keys(figures).entries()) {
    await page.evaluate(([tag, fresh]) => (window as unknown as Hosting).host.show({ figure: tag }, fresh), [
      tag,
      i < 3,
    ] as const);
    await page.locator(tag).evaluate((figure) => figure.scrollIntoView());
    await page.locator(`${tag}[drawn]`).waitFor({ state: 'attached' });
  }
  expect(asked).toEqual([]);
  expect(await widthOf(page)).toBeLessThanOrEqual(1280);
  await page.close();
}, 120_000);

test('the language model generates text', async () => {
  const page = await open();
  await page.evaluate(() => (window as unknown as Hosting).host.show({ figure: 'language-model' }));
  await page.locator('language-model .teller:not([inert])').waitFor();
  await page.locator('language-model .story', { hasText: 'named Lily' }).waitFor();
  expect(asked).toEqual([]);
  await page.close();
}, 60_000);

describe('settings', () => {
  test('are synced in both directions, under Python and JavaScript names', async () => {
    const page = await open();
    await page.evaluate(() =>
      (window as unknown as Hosting).host.show({ figure: 'path-lengths', settings: { length: 9 } }),
    );
    const figure = page.locator('path-lengths');
    await figure.and(page.locator('[drawn]')).waitFor();
    await figure.getByRole('slider', { name: 'kernel' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await host(page, (host) => host.sent(0))).toBe(1);
    const settings = (await host(page, (host) => host.traits(0).settings)) as Record<string, unknown>;
    expect(settings).toMatchObject({ length: 9, kernel: 4 });
    await host(page, (host, settings) => host.change(0, { settings }), { ...settings, kernel: 6 });
    await page.waitForFunction(
      () => (document.querySelector('path-lengths') as unknown as { kernel: number }).kernel === 6,
    );
    expect(await host(page, (host) => host.sent(0))).toBe(1);
    await page.close();
  });

  test('that are wrong leave the figure unchanged, and an unknown figure is reported', async () => {
    const page = await open();
    await page.evaluate(() => (window as unknown as Hosting).host.show({ figure: 'script' }));
    expect(await page.getByRole('alert').innerText()).toContain('expected figure to be one of');
    await host(page, (host) =>
      host.change(0, { figure: 'positional-heatmap', settings: { dim: 'x', onclick: 'alert(1)' } }),
    );
    await page.locator('positional-heatmap[drawn]').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.close();
  });
});

describe('data does not become code:', () => {
  const hostile = {
    onfocus: 'document.title = "taken"',
    onclick: 'document.title = "taken"',
    onpointerenter: 'document.title = "taken"',
    style: 'position: fixed; inset: 0',
    class: 'x',
    slot: 'x',
    is: 'x',
    contenteditable: '',
    tabindex: 0,
    autofocus: '',
  };

  test.each([
    'attention-masks',
    'head-viewer',
    'heat-map',
    'lens-viewer',
    'patch-viewer',
    'ramp-legend',
    'positional-curves',
  ])('%s gets no attribute but its own', async (figure) => {
    const page = await open();
    await page.evaluate(([figure, settings]) => (window as unknown as Hosting).host.show({ figure, settings }), [
      figure,
      { ...hostile, lang: 'tr', group: 'P' },
    ] as const);
    await host(page, (host, settings) => host.change(0, { settings }), {
      ...hostile,
      lang: 'tr',
      group: 'P',
      low: 0,
    });
    const element = page.locator(figure);
    await element.dispatchEvent('focus');
    await element.dispatchEvent('click');
    const names = await element.evaluate((element) => element.getAttributeNames());
    expect(names).toEqual(expect.arrayContaining(['group', 'lang']));
    const own = new Set(['group', 'lang', 'low', 'drawn', 'style']);
    expect(names.filter((name) => !own.has(name))).toEqual([]);
    expect(await element.evaluate(({ style }) => style.position)).toBe('');
    expect(await page.title()).toBe('Notebook');
    expect(await page.evaluate(() => document.activeElement?.localName)).toBe('body');
    await page.close();
  });
});

test('arrays that do not fit are reported, and the figure does not change', async () => {
  const page = await open();
  await showHeads(page, 2, 2, 4);
  await page.locator('head-viewer[drawn]').waitFor();
  await host(page, (host) => host.change(0, { weights: [[1, 2], [3]] }));
  expect(await page.getByRole('alert').innerText()).toBe('loadArrays: expected lists of one length at each level');
  expect(await page.locator('head-viewer .thumbnail').count()).toBe(4);
  await host(page, (host) =>
    host.change(0, {
      tokens: null,
      weights: [
        [0.5, 0.5],
        [1, 0],
      ],
    }),
  );
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.close();
});

test('a matrix of the notebook is shown as a heat map', async () => {
  const page = await open({ width: 390 });
  await page.evaluate(() =>
    (window as unknown as Hosting).host.show({
      figure: 'heat-map',
      values: [
        [0, 1, -2],
        [0.5, 0, 2],
      ],
      tokens: ['a', 'b'],
      settings: { label: 'Queries', row_name: 'token', columnName: 'feature' },
    }),
  );
  const map = page.locator('heat-map');
  await map.getByRole('application', { name: 'Queries' }).focus();
  await page.keyboard.press('ArrowRight');
  expect(await map.evaluate((element) => (element as unknown as { low: number }).low)).toBe(-2);
  expect(await map.locator('.column-name').innerText()).toBe('feature');
  expect(await violationsOf(page, 'heat-map')).toEqual([]);
  expect(await widthOf(page)).toBeLessThanOrEqual(390);
  await page.close();
});

test('a picture of the notebook is shown under its patches’ weights, and the chosen token is synced', async () => {
  const page = await open({ width: 390 });
  await page.evaluate(() => {
    const data = new Float32Array(2 * 3 * 13 * 13).fill(1 / 13);
    const picture = Uint8Array.from({ length: 6 * 8 * 3 }, (_, i) => [200, 100, 0][i % 3]!);
    return (window as unknown as Hosting).host.show({
      figure: 'patch-viewer',
      weights: { data: new DataView(data.buffer), shape: [2, 3, 13, 13], dtype: 'float32' },
      picture: { data: new DataView(picture.buffer), shape: [6, 8, 3], dtype: 'uint8' },
      patches: { first: 1, rows: 3, columns: 4 },
      region: null,
      tokens: ['class'],
      settings: { layer: 2, query: 5, strength: 0 },
    });
  });
  const viewer = page.locator('patch-viewer[drawn]');
  await viewer.getByText('Layer 2, head 1').waitFor();
  expect(await viewer.locator('.readout').innerText()).toContain('From row 2, column 1');
  const pixel = await viewer.locator('canvas.picture').evaluate((canvas: HTMLCanvasElement) => {
    const copy = new OffscreenCanvas(1, 1).getContext('2d')!;
    copy.drawImage(canvas, 0, 0, 1, 1);
    return copy.getImageData(0, 0, 1, 1).data.join();
  });
  expect(pixel).toBe('200,100,0,255');
  await viewer.locator('.plot').press('ArrowRight');
  await viewer.getByRole('radio', { name: 'Layer 2, head 3' }).click();
  expect(await host(page, (host) => host.traits(0).settings)).toEqual({ layer: 2, head: 3, query: 6, strength: 0 });
  await host(page, (host) => host.change(0, { patches: { first: 1, rows: 5, columns: 4 } }));
  expect(await page.getByRole('alert').innerText()).toContain('expected weights of 21 by 21 tokens');
  expect(await violationsOf(page, 'patch-viewer')).toEqual([]);
  expect(await widthOf(page)).toBeLessThanOrEqual(390);
  expect(asked).toEqual([]);
  await page.close();
});

test('logits of the notebook are shown through the lens, and the token that the reader follows is synced', async () => {
  const page = await open({ width: 390 });
  await page.evaluate(() =>
    (window as unknown as Hosting).host.show({
      figure: 'lens-viewer',
      logits: { data: new DataView(Float32Array.of(0, 1, 2, 3, 2, 1).buffer), shape: [2, 1, 3], dtype: 'float32' },
      ablated: [[[0, 0, 5]], [[5, 0, 0]]],
      tokens: ['the'],
      vocabulary: ['a', 'b', 'c'],
      settings: { followed: 1 },
    }),
  );
  const viewer = page.locator('lens-viewer[drawn]');
  await viewer.getByText('Rank of “b”: 2 of 3').first().waitFor();
  expect(await viewer.locator('heat-map').count()).toBe(2);
  await viewer.getByRole('button', { name: /^c / }).first().click();
  await viewer.getByText('Rank of “c”: 3 of 3').first().waitFor();
  expect(await host(page, (host) => host.traits(0).settings)).toEqual({ followed: 2 });
  await host(page, (host) => host.change(0, { ablated: [[[0, 0, 5]]] }));
  expect(await page.getByRole('alert').first().innerText()).toContain('expected ablated of 2 layers');
  expect(await violationsOf(page, 'lens-viewer')).toEqual([]);
  expect(await widthOf(page)).toBeLessThanOrEqual(390);
  expect(asked).toEqual([]);
  await page.close();
});

test('follows the notebook’s theme, and removes everything at the end', async () => {
  const page = await open();
  await showHeads(page, 1, 2, 4);
  const viewer = page.locator('head-viewer[drawn]');
  const pixels = () =>
    viewer.evaluate((element) => element.shadowRoot!.querySelector<HTMLCanvasElement>('.thumbnails')!.toDataURL());
  await viewer.waitFor();
  const light = await pixels();
  await page.evaluate(() => {
    document.body.style.cssText = 'background: #111; color: #eee';
    document.body.dataset.jpThemeLight = 'false';
  });
  await page.waitForFunction(() => document.querySelector<HTMLElement>('head-viewer')!.style.colorScheme === 'dark');
  expect(await pixels()).not.toEqual(light);
  await page.evaluate(() => {
    document.body.style.cssText = '';
    document.body.dataset.jpThemeLight = 'true';
  });
  await page.waitForFunction(() => document.querySelector<HTMLElement>('head-viewer')!.style.colorScheme === '');
  expect(await pixels()).toEqual(light);
  await host(page, (host) => host.remove(0));
  expect(await host(page, (host) => host.listeners(0))).toBe(0);
  expect(await page.locator('head-viewer').count()).toBe(0);
  await page.close();
});

test('knows each part', () => {
  expect(Object.keys(parts)).toEqual(['head-viewer', 'heat-map', 'lens-viewer', 'patch-viewer', 'ramp-legend']);
});
