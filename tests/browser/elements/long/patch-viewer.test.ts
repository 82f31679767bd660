import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { scaleLinear } from 'd3-scale';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { LANGUAGES } from '../../../../web/elements/languages.js';
import type { PatchArrays } from '../../../../web/elements/package-types.js';
import type { PatchViewer } from '../../../../web/elements/shared/patch-viewer/patch-viewer.js';
import { attentionRollout } from '../../../reference/attentionRollout.js';
import { violationsOf, widthOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';
import { heard } from '../../heard.js';
import { picture } from '../../canvas.js';
import { choose, contentOf, csvOf, parsed, save, tableOf } from '../../shown.js';

const folder = mkdtempSync(join(tmpdir(), 'wasm-attention-patches-'));
const { open } = useBrowser({ folder });

beforeAll(() => {
  symlinkSync(join(import.meta.dirname, '../../../../dist'), join(folder, 'dist'));
  for (const language of LANGUAGES)
    writeFileSync(
      join(folder, `${language}.html`),
      `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>Picture</title>
       <meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
       <link rel="icon" href="data:,"><script type="module" src="dist/elements/patch-viewer.js"></script></head>
       <body><main><h1>Picture</h1><patch-viewer silenceable></patch-viewer></main></body></html>`,
    );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Sizes of a model that does not exist. */
interface Sizes {
  readonly layers?: number;
  readonly heads?: number;
  readonly first?: number;
  readonly rows?: number;
  readonly columns?: number;
}

/**
 * Weights (layers, heads, T, T) of a model that does not exist: in layer l, head h gives ¾ to the token l + h − 1 places on,
 * and the rest to all alike.
 */
function weightsOf({ layers, heads, tokens }: { layers: number; heads: number; tokens: number }): number[][][][] {
  const row = (target: number): number[] =>
    Array.from({ length: tokens }, (_, key) => Math.fround(0.25 / tokens) + (key === target ? 0.75 : 0));
  return Array.from({ length: layers }, (_, layer) =>
    Array.from({ length: heads }, (_, head) =>
      Array.from({ length: tokens }, (_, token) => row((token + layer + head + 1) % tokens)),
    ),
  );
}

/** Opens a viewer alone in a page. Its picture is red on the left and blue on the right. */
async function viewer(
  { layers = 2, heads = 3, first = 1, rows = 3, columns = 4 }: Sizes = {},
  { language = 'en', ...options }: Parameters<typeof open>[0] & { language?: string } = {},
): Promise<{ page: Page; figure: Locator; weights: number[][][][] }> {
  const page = await open({ path: `/${language}.html`, still: true, ...options });
  const figure = page.locator('patch-viewer');
  const weights = weightsOf({ layers, heads, tokens: first + rows * columns });
  await figure.evaluate(
    async (element, { weights, patches }) => {
      await customElements.whenDefined('patch-viewer');
      const viewer = element as PatchViewer;
      viewer.addEventListener('head-silence', ({ detail }) => {
        const next = new Set(viewer.silent);
        const key = `${detail.layer}.${detail.head}`;
        if (detail.silent) next.add(key);
        else next.delete(key);
        viewer.silent = next;
      });
      const told: unknown[] = ((window as unknown as { told: unknown[] }).told = []);
      for (const type of ['head-change', 'query-change', 'head-silence'] as const)
        viewer.addEventListener(type, ({ detail }) => void told.push([type, detail]));
      const canvas = new OffscreenCanvas(80, 60);
      const context = canvas.getContext('2d')!;
      context.fillStyle = 'red';
      context.fillRect(0, 0, 40, 60);
      context.fillStyle = 'blue';
      context.fillRect(40, 0, 40, 60);
      viewer.loadArrays({ weights, picture: canvas, patches });
    },
    { weights, patches: { first, rows, columns, size: 16 } },
  );
  await figure.and(page.locator('[drawn]')).waitFor();
  return { page, figure, weights };
}

/** The middle of a patch, in pixels from the picture's corner; `row` and `column` from 1. */
async function middle(figure: Locator, row: number, column: number, rows = 3, columns = 4) {
  const { width, height } = (await figure.locator('.plot').boundingBox())!;
  return { x: ((column - 0.5) / columns) * width, y: ((row - 0.5) / rows) * height };
}

const readout = (figure: Locator): Promise<string> => figure.locator('.readout').innerText();
const name = (figure: Locator): Promise<string> => figure.locator('.large .name').innerText();
const told = (page: Page): Promise<unknown> => page.evaluate(() => (window as unknown as { told: unknown }).told);
/** Waits until what is due is painted. */
const painted = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 5; ++frame) await new Promise(requestAnimationFrame);
  });

describe('patch-viewer', () => {
  test('shows the class token’s attention, and that of the patch under the pointer; a click keeps it', async () => {
    const { page, figure } = await viewer();
    expect(await name(figure)).toBe('Layer 1, head 1 entropy 1.6 bits');
    expect(await readout(figure)).toBe(
      'From class token, most attention goes to row 1, column 1 (0.769); class token (0.019); row 1, column 2 (0.019); to all patches together, 98%.',
    );
    expect(await figure.getByRole('radio', { name: 'class token' }).isChecked()).toBe(true);
    await figure.locator('.plot').hover({ position: await middle(figure, 2, 3) });
    expect(await readout(figure)).toContain('From row 2, column 3, most attention goes to row 2, column 4 (0.769);');
    expect(await figure.locator('.overlay .cursor').count()).toBe(1);
    await page.mouse.move(0, 0);
    expect(await readout(figure)).toContain('From class token');
    expect(await told(page)).toEqual([]);
    await figure.locator('.plot').click({ position: await middle(figure, 3, 4) });
    await page.mouse.move(0, 0);
    // The last token goes on with the first, the class token.
    expect(await readout(figure)).toContain('From row 3, column 4, most attention goes to class token (0.769);');
    expect(await readout(figure)).toContain('to all patches together, 23%.');
    expect(await figure.getByRole('radio', { name: 'a patch' }).isChecked()).toBe(true);
    expect(await told(page)).toEqual([['query-change', { query: 12 }]]);
    await figure.getByRole('radio', { name: 'class token' }).check();
    expect(await readout(figure)).toContain('From class token');
    await figure.getByRole('radio', { name: 'a patch' }).check();
    expect(await readout(figure)).toContain('From row 3, column 4');
  });

  test('moves by keys, up to the tokens that are not patches, and says what it shows once the reader pauses', async () => {
    const { page, figure } = await viewer({ first: 2 });
    const plot = figure.getByRole('application', { name: 'Picture of 3 × 4 patches. Layer 1, head 1' });
    await plot.focus();
    const at = async (key: string): Promise<string | undefined> => {
      await page.keyboard.press(key);
      return /From (.*), most/.exec(await readout(figure))?.[1];
    };
    expect(await at('ArrowRight')).toBe('token 2');
    expect(await at('ArrowDown')).toBe('row 1, column 3');
    expect(await at('End')).toBe('row 1, column 4');
    expect(await at('PageDown')).toBe('row 3, column 4');
    expect(await at('Control+Home')).toBe('row 1, column 1');
    expect(await at('ArrowUp')).toBe('class token');
    const spoken = figure.locator('.spoken');
    const said = await figure.evaluate(async (element) => {
      const all: string[] = [];
      const status = element.shadowRoot!.querySelector('.spoken')!;
      new MutationObserver(() => void all.push(status.textContent)).observe(status, { childList: true, subtree: true, characterData: true }); // prettier-ignore
      const plot = element.shadowRoot!.querySelector('.plot')!;
      for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown', 'ArrowRight'])
        plot.dispatchEvent(new KeyboardEvent('keydown', { key }));
      while (all.at(-1) === undefined || all.at(-1) === '') await new Promise(requestAnimationFrame);
      return all.filter((text) => text !== '');
    });
    expect(said).toEqual([`${await readout(figure)} entropy 1.6 bits`]);
    expect(await spoken.getAttribute('role')).toBe('status');
  });

  test('says each thing once: a head with its entropy, and where a patch looks', async () => {
    const { page, figure } = await viewer();
    const press = (key: string): Promise<string[]> => heard(page, () => page.keyboard.press(key));
    expect(await heard(page, () => figure.getByLabel('Silence this head').check())).toEqual([]);
    await figure.getByRole('radio', { name: 'Layer 1, head 1, silent: entropy 1.6 bits', exact: true }).focus();
    expect(await press('ArrowRight')).toEqual([]);
    expect(await press('ArrowLeft')).toEqual([]);
    await figure.locator('.plot').focus();
    await page.keyboard.press('ArrowDown');
    const [said, ...more] = await press('ArrowRight');
    expect(more).toEqual([]);
    expect(said).toBe(`${await readout(figure)} entropy 1.6 bits`);
    // At the edge, too, a key is answered; who leaves hears no more.
    await page.keyboard.press('End');
    expect(await press('End')).toHaveLength(1);
    expect(await press('Shift+Tab')).toEqual([]);
    expect(await press('Tab')).toHaveLength(1);
  });

  test('has sliders for layer, row and column', async () => {
    const { page, figure } = await viewer();
    await figure.getByLabel('Layer', { exact: true }).fill('2');
    expect(await name(figure)).toContain('Layer 2, head 1');
    await figure.getByLabel('Row', { exact: true }).fill('1');
    expect(await readout(figure)).toContain('From row 1, column 3, most attention goes to row 2, column 1 (0.769);');
    await figure.getByLabel('Column', { exact: true }).fill('4');
    expect(await readout(figure)).toContain('From row 1, column 4');
    expect(await told(page)).toEqual([
      ['head-change', { layer: 2, head: 1 }],
      ['query-change', { query: 3 }],
      ['query-change', { query: 4 }],
    ]);
  });

  test('shows the head of the clicked small map, and moves by arrow keys', async () => {
    const { page, figure } = await viewer({ heads: 5 });
    expect(await figure.locator('.map').count()).toBe(5);
    await figure.getByRole('radio', { name: 'Layer 1, head 2' }).click();
    expect(await name(figure)).toContain('Layer 1, head 2');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowLeft']) await page.keyboard.press(key);
    expect(await name(figure)).toContain('Layer 1, head 4');
    expect(await figure.locator('.map:focus').getAttribute('aria-label')).toBe('Layer 1, head 4: entropy 1.6 bits');
    await page.keyboard.press('Home');
    expect(await name(figure)).toContain('Layer 1, head 1');
    expect((await told(page)) as unknown[]).toHaveLength(4);
  });

  test('rolls attention out over the layers, and names the source', async () => {
    const { figure, weights } = await viewer({ layers: 4 });
    await figure.getByLabel('attention rollout').check();
    expect(await figure.locator('.map').count()).toBe(4);
    expect(await figure.locator('cite').innerText()).toBe(
      'Abnar & Zuidema (2020), “Quantifying Attention Flow in Transformers”',
    );
    const [, , third] = attentionRollout(weights);
    await figure.getByRole('radio', { name: 'Rollout up to layer 3' }).click();
    expect(await name(figure)).toContain('Rollout up to layer 3');
    const place = (token: number): string =>
      token === 0 ? 'class token' : `row ${Math.ceil(token / 4)}, column ${((token - 1) % 4) + 1}`;
    for (const token of [0, 6]) {
      if (token > 0) await figure.locator('.plot').click({ position: await middle(figure, 2, 2) });
      const [strongest] = third![token]!.map((weight, key) => ({ weight, key })).sort((a, b) => b.weight - a.weight);
      expect(await readout(figure)).toContain(
        `From ${place(token)}, most attention goes to ${place(strongest!.key)} (${strongest!.weight.toFixed(3)});`,
      );
    }
    const { columns, rows } = await csvOf(figure);
    expect(columns).toEqual(['key', 'Row', 'Column', ...[1, 2, 3, 4].map((layer) => `Rollout up to layer ${layer}`)]);
    const found = rows.map((row) => row.slice(3).map(Number));
    const expected = attentionRollout(weights).map((after) => after[6]!);
    // See tests/elements/patch-viewer.test.ts: the layers' means are float32.
    const tolerance = 2 * 4 * (3 + 1) * 2 ** -24;
    for (const [layer, row] of expected.entries())
      for (const [key, weight] of row.entries())
        expect(Math.abs(found[key]![layer]! - weight)).toBeLessThanOrEqual(tolerance * weight);
  });

  test('tells the page which heads to silence, and leaves them out of the rollout', async () => {
    const { page, figure } = await viewer();
    await figure.getByLabel('Silence this head').check();
    await figure.getByRole('radio', { name: 'Layer 1, head 1, silent' }).waitFor();
    expect(await told(page)).toEqual([['head-silence', { layer: 1, head: 1, silent: true }]]);
    expect(await figure.getByText('This head is silent').isVisible()).toBe(true);
    await figure.getByLabel('attention rollout').check();
    // Half of the residual connection, and half of heads 2 and 3, which look two and three tokens on.
    expect(await readout(figure)).toMatch(
      /class token \(0\.510\); row 1, column 2 \(0\.197\); row 1, column 3 \(0\.197\)/,
    );
    expect(await figure.getByText('This head is silent').count()).toBe(0);
    await figure.getByLabel('heads of a layer').check();
    await figure.getByLabel('Silence this head').uncheck();
    await figure.getByRole('radio', { name: /^Layer 1, head 1:/ }).waitFor();
  });

  test('is chosen by a finger, which can also scroll the page', async () => {
    const { page, figure } = await viewer({}, { hasTouch: true, viewport: { width: 390, height: 600 } });
    await figure.locator('.plot').tap({ position: await middle(figure, 2, 3) });
    expect(await readout(figure)).toContain('From row 2, column 3');
    expect(await told(page)).toEqual([['query-change', { query: 7 }]]);
    const { x, y } = (await figure.locator('.plot').boundingBox())!;
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints });
    await touch('touchStart', { x: x + 100, y: y + 150 });
    for (let step = 1; step <= 10; ++step) await touch('touchMove', { x: x + 100, y: y + 150 - 12 * step });
    await touch('touchEnd');
    await page.waitForFunction(() => scrollY > 50);
    expect(await readout(figure)).toContain('From row 2, column 3');
  });

  test.each([1, 1.5, 3])('is sharp at %d device pixels per pixel', async (deviceScaleFactor) => {
    const { page, figure, weights } = await viewer({}, { deviceScaleFactor });
    await painted(page);
    const stops = '000004 1b0c41 4a0c6b 781c6d a52c60 cf4446 ed6925 fb9b06 f7d13d fcffa4'.split(' ');
    const ramp = scaleLinear<string>(stops.map((stop) => `#${stop}`)).domain(
      stops.map((_, i) => i / (stops.length - 1)),
    );
    const row = weights[0]![0]![0]!.slice(1);
    const most = Math.max(...row);
    const expected = row.map((weight) =>
      ramp(Math.round((weight / most) * 255) / 255)
        .match(/\d+/g)!
        .map(Number)
        .concat(255),
    );
    for (const canvas of [figure.locator('canvas.heat'), figure.locator('.map canvas').first()]) {
      const { width, height, boxWidth, boxHeight, cells, line } = await picture(canvas, 3, 4);
      expect(Math.abs(width - boxWidth)).toBeLessThan(1);
      expect(Math.abs(height - boxHeight)).toBeLessThan(1);
      // d3 does not round as the ramp does.
      const off = cells.flatMap((cell, i) =>
        cell.split(',').map((channel, c) => Math.abs(Number(channel) - expected[i]![c]!)),
      );
      expect(Math.max(...off)).toBeLessThanOrEqual(1);
      // Between cells there is nothing but a gap.
      expect(new Set(line).size).toBeLessThanOrEqual(3);
    }
    const photo = await picture(figure.locator('canvas.picture'), 1, 2);
    expect(Math.abs(photo.width - photo.boxWidth)).toBeLessThan(1);
  });

  test('shows the region that the model has seen, in every form of a picture', async () => {
    const { page, figure } = await viewer();
    const colours = await figure.evaluate(async (element) => {
      const viewer = element as PatchViewer;
      viewer.strength = 0;
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width: 8, height: 6 });
      const context = canvas.getContext('2d', { willReadFrequently: true })!;
      context.fillStyle = 'rgb(200 100 0)';
      context.fillRect(0, 0, 8, 6);
      context.fillStyle = 'rgb(0 50 250)';
      context.fillRect(5, 2, 3, 4);
      const image = new Image();
      image.src = canvas.toDataURL();
      await image.decode();
      const data = context.getImageData(0, 0, 8, 6);
      const seeThrough = data.data.map((byte, i) => (i % 4 === 3 ? 0 : byte));
      const rgb = Uint8Array.from(data.data.filter((_, i) => i % 4 !== 3));
      const offscreen = new OffscreenCanvas(8, 6);
      offscreen.getContext('2d')!.drawImage(canvas, 0, 0);
      const forms: Record<string, PatchArrays['picture']> = {
        canvas,
        image,
        offscreen,
        bitmap: await createImageBitmap(canvas),
        imageData: data,
        transparent: { data: seeThrough, width: 8, height: 6 },
        rgb: { data: rgb, width: 8, height: 6 },
        array: { data: rgb, shape: [6, 8, 3] },
      };
      const found: Record<string, string[]> = {};
      for (const [name, picture] of Object.entries(forms)) {
        // The last one is larger than the picture.
        const regions = {
          whole: undefined,
          part: { x: 5, y: 2, width: 3, height: 4 },
          more: { x: -8, y: 0, width: 16, height: 6 },
        };
        for (const [kind, region] of Object.entries(regions)) {
          const weights = [[1, 0], [0, 1]]; // prettier-ignore
          viewer.loadArrays({
            weights,
            picture,
            patches: { first: 1, rows: 1, columns: 1 },
            ...(region && { region }),
          });
          await viewer.updateComplete;
          for (let frame = 0; frame < 3; ++frame) await new Promise(requestAnimationFrame);
          const shown = viewer.shadowRoot!.querySelector<HTMLCanvasElement>('canvas.picture')!;
          const copy = new OffscreenCanvas(2, 2).getContext('2d')!;
          copy.imageSmoothingEnabled = false;
          copy.drawImage(shown, 0, 0, 2, 2);
          const pixels = copy.getImageData(0, 0, 2, 2).data;
          found[`${name} ${kind}`] = [0, 3].map((at) => pixels.slice(4 * at, 4 * at + 4).join());
        }
      }
      return found;
    });
    for (const [name, [first, last]] of Object.entries(colours)) {
      const orange = '200,100,0,255';
      const blue = '0,50,250,255';
      const expected = name.endsWith('part') ? blue : name.endsWith('more') ? '0,0,0,255' : orange;
      expect([name, first, last]).toEqual([name, expected, name.endsWith('more') ? orange : blue]);
    }
    expect(Object.keys(colours)).toHaveLength(24);
    await painted(page);
  });

  test('does not change when it rejects arrays or a picture', async () => {
    const { figure } = await viewer();
    const messages = await figure.evaluate((element) => {
      const viewer = element as PatchViewer;
      const weights = [[1, 0], [0, 1]]; // prettier-ignore
      const patches = { first: 1, rows: 1, columns: 1 };
      const picture = { data: new Uint8Array(3), width: 1, height: 1 };
      return [
        { weights, patches, picture: new Image() },
        { weights, patches, picture: new OffscreenCanvas(0, 5) },
        { weights, patches: { ...patches, rows: 2 }, picture },
        { weights, patches, picture, region: { x: 1, y: 0, width: 2, height: 1 } },
      ].map((arrays) => {
        try {
          viewer.loadArrays(arrays);
          return '';
        } catch (error) {
          return String(error);
        }
      });
    });
    expect(messages.map((message) => message.replace('RangeError: loadArrays: expected ', ''))).toEqual([
      'picture to have pixels, got 0 × 0; await decode() of an image',
      'picture to have pixels, got 0 × 5; await decode() of an image',
      'weights of 3 by 3 tokens for 2 × 1 patches after 1 others, got 2 by 2',
      'region to have pixels of 1 × 1, got { x: 1, y: 0, width: 2, height: 1 }',
    ]);
    expect(await figure.locator('.map').count()).toBe(3);
    expect(await readout(figure)).toContain('From class token');
  });

  test('keeps what the reader has chosen when the weights change, as far as it exists', async () => {
    const { figure } = await viewer({ layers: 3, heads: 4 });
    await figure.evaluate((element) => Object.assign(element, { layer: 3, head: 4, query: 12 }));
    expect(await name(figure)).toContain('Layer 3, head 4');
    const load = (layers: number, heads: number, tokens: number, columns: number): Promise<void> =>
      figure.evaluate(
        async (element, { weights, columns }) => {
          const viewer = element as PatchViewer;
          const picture = { data: new Uint8Array(3), width: 1, height: 1 };
          viewer.loadArrays({ weights, picture, patches: { first: 1, rows: 3, columns } });
          await viewer.updateComplete;
        },
        { weights: weightsOf({ layers, heads, tokens }), columns },
      );
    await load(3, 4, 13, 4);
    expect(await name(figure)).toContain('Layer 3, head 4');
    expect(await readout(figure)).toContain('From row 3, column 4');
    await load(1, 2, 4, 1);
    expect(await name(figure)).toContain('Layer 1, head 2');
    expect(await readout(figure)).toContain('From row 3, column 1');
  });

  test('has the weights as a table, and saves what it shows', async () => {
    const { page, figure, weights } = await viewer({}, { colorScheme: 'dark' });
    await figure.locator('.plot').click({ position: await middle(figure, 1, 2) });
    await page.mouse.move(0, 0);
    const row = weights[0]![0]![2]!;
    const table = await tableOf(figure);
    expect(table).toEqual(
      [0, 1, 2].map((r) => [String(r + 1), ...row.slice(1 + 4 * r, 5 + 4 * r).map((weight) => weight.toFixed(3))]),
    );
    await choose(figure, 'Values as a table');
    expect(await figure.locator('caption').innerText()).toBe('Layer 1, head 1: row 1, column 2; class token 0.019');

    const { columns, rows } = await csvOf(figure);
    expect(columns).toEqual(['key', 'Row', 'Column', 'Layer 1, head 1', 'Layer 1, head 2', 'Layer 1, head 3']);
    expect(rows[0]!.slice(0, 3)).toEqual(['class token', '', '']);
    expect(rows[12]!.slice(0, 3)).toEqual(['row 3, column 4', '3', '4']);
    for (const [head, map] of weights[0]!.entries())
      expect(rows.map((each) => Math.fround(Number(each[3 + head])))).toEqual(map[2]!.map(Math.fround));

    const svg = (await contentOf(await save(figure, 'SVG'))).toString();
    const { error, title, cells, texts, foreign } = await parsed(page, svg);
    expect(error).toBe('');
    expect(title).toBe('Layer 1, head 1: row 1, column 2');
    // One image, the picture; maps are drawn as rectangles: the large one, the small ones and the legend.
    expect(foreign).toBe(1);
    expect(svg.match(/<image [^>]*data:image\/png;base64,/g)).toHaveLength(1);
    expect(cells.length).toBeGreaterThanOrEqual(12 * 4 + 256);
    for (const text of ['Layer 1, head 1', '1', '2', '3']) expect(texts).toContain(text);
    for (const text of ['…', 'Layer', 'Map opacity']) expect(texts).not.toContain(text);
    expect(svg).toMatch(/<g opacity="0\.6">/);

    const png = await contentOf(await save(figure, 'PNG'));
    const colours = await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!;
      context.drawImage(bitmap, 0, 0);
      return new Set(new Uint32Array(context.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)).size;
    }, png.toString('base64'));
    expect(colours).toBeGreaterThan(20);
  });

  test('says so if the browser does not let it save a picture of another site', async () => {
    const { page, figure } = await viewer();
    // A canvas that may not be read, as one is that has drawn a picture of another site.
    await page.evaluate(() => {
      HTMLCanvasElement.prototype.toDataURL = () => {
        throw new DOMException('tainted', 'SecurityError');
      };
    });
    await choose(figure, /SVG/);
    expect(await figure.getByRole('alert').innerText()).toBe('This browser could not create the file.');
  });

  test.each(LANGUAGES)('is written in %s', async (language) => {
    const { page, figure } = await viewer({ first: 2 }, { language });
    const texts = async (): Promise<string> =>
      figure.evaluate((element) => {
        const root = element.shadowRoot!;
        const names = [...root.querySelectorAll('[aria-label], [title]')].flatMap((each) => [
          each.getAttribute('aria-label'),
          each.getAttribute('title'),
        ]);
        const cited = root.querySelector('cite')?.textContent ?? '';
        return [root.querySelector('.stage')!.textContent.replace(cited, ''), ...names].join('\n');
      });
    await figure.locator('.choices input[name=view]').nth(1).check();
    const all = await texts();
    const english = /\b(layer|head|row|column|class token|attention of|rollout up to|opacity|picture|map)\b/i;
    expect(english.test(all)).toBe(language === 'en');
    expect(all).not.toMatch(/[{}]/);
    expect(await violationsOf(page, 'patch-viewer')).toEqual([]);
    expect(await widthOf(page)).toBeLessThanOrEqual(1280);
  });

  test.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('does not overflow, and axe finds no violations, at %i px, %s', async (width, colorScheme) => {
    const sizes = { layers: 4, heads: 12, first: 5, rows: 6, columns: 7 };
    const { page, figure } = await viewer(sizes, { viewport: { width, height: 844 }, colorScheme });
    // axe takes a page without a background for white.
    await page.evaluate(() => (document.documentElement.style.background = 'Canvas'));
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    const small = await figure
      .locator('.map')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
    expect(Math.min(...small)).toBeGreaterThanOrEqual(24);
    expect(await violationsOf(page, 'patch-viewer')).toEqual([]);
    // Nothing moves when the text changes.
    const height = (): Promise<number> => figure.evaluate((element) => element.getBoundingClientRect().height);
    const before = await height();
    await figure.evaluate((element) => ((element as PatchViewer).query = 30));
    expect(await height()).toBe(before);
    await figure.getByLabel('attention rollout').check();
    await choose(figure, 'Values as a table');
    expect(await violationsOf(page, 'patch-viewer')).toEqual([]);
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
  });

  test('covers nothing that has the focus with the slider that sticks to a phone’s window', async () => {
    const { page, figure } = await viewer({ heads: 12 }, { viewport: { width: 390, height: 700 } });
    await page.locator('body').press('Tab');
    for (let stop = 0; stop < 12; ++stop) {
      const hidden = await figure.evaluate((element) => {
        const focused = element.shadowRoot!.activeElement;
        if (focused === null) return false;
        const { left, top, width, height } = focused.getBoundingClientRect();
        const at = element.shadowRoot!.elementFromPoint(left + width / 2, Math.min(innerHeight - 1, top + height / 2));
        return at?.closest('.sliders') != null && !focused.closest('.sliders');
      });
      expect(hidden).toBe(false);
      await page.keyboard.press('Tab');
    }
  });

  test('keeps the browser free while many layers and heads are drawn and rolled out', async () => {
    const { page, figure } = await viewer();
    // Tasks of a machine that is busy are longer now and then, so the best of five counts.
    const longest = await figure.evaluate(async (element) => {
      const viewer = element as PatchViewer;
      const [layers, heads, side] = [24, 16, 24];
      const tokens = 1 + side * side;
      // Layers share their numbers: a model's would be 511 MB.
      const layer = {
        data: new Float32Array(heads * tokens * tokens).fill(1 / tokens),
        shape: [1, heads, tokens, tokens],
      };
      const picture = new OffscreenCanvas(1600, 1200);
      picture.getContext('2d')!.fillRect(0, 0, 1600, 1200);
      const frames = async (count: number): Promise<void> => {
        for (let frame = 0; frame < count; ++frame) await new Promise(requestAnimationFrame);
      };
      const found: number[] = [];
      for (let run = 0; run < 5; ++run) {
        let most = 0;
        const observer = new PerformanceObserver((list) => {
          for (const { duration } of list.getEntries()) most = Math.max(most, duration);
        });
        observer.observe({ entryTypes: ['longtask'] });
        viewer.loadArrays({ weights: Array(2).fill(layer), picture, patches: { first: 1, rows: side, columns: side } });
        await frames(5);
        viewer.heads = {
          ...viewer.heads,
          layers,
          mapOf: (_, head) => layer.data.subarray((head - 1) * tokens ** 2, head * tokens ** 2),
        };
        viewer.layer = layers;
        await frames(10);
        viewer.view = 'rollout';
        while (viewer.shadowRoot!.querySelector('.readout')!.textContent === '') await frames(1);
        for (let query = 0; query < 20; ++query) {
          viewer.query = query;
          await frames(1);
        }
        viewer.view = 'heads';
        await frames(10);
        observer.disconnect();
        found.push(most);
      }
      return Math.min(...found);
    });
    console.debug(`24 × 16 heads of 577 tokens: longest task ${Math.round(longest)} ms`);
    expect(longest).toBeLessThan(200);
    expect(await figure.locator('.map').count()).toBe(16);
    await painted(page);
  }, 60_000);
});
