import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { openModel, pixelsOf, type Model, type VisionModel } from 'wasm-attention/models';
import { png } from '../../../support/png.js';
import { violationsOf, widthOf } from '../../alone.js';
import { useBrowser } from '../../browser.js';

const { open } = useBrowser();
const MODELS = join(import.meta.dirname, '../../../fixtures/models');

/** How the small models' pictures of 24 × 24 are prepared. */
const PROCESSOR = { image_processor_type: 'ViTImageProcessor', size: { height: 24, width: 24 } };

interface Upload {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** A model's files; with `null` without preprocessor_config.json. */
function folderOf(name: string, processor: object | null = PROCESSOR): Upload[] {
  const files = ['config.json', 'model.safetensors'].map((file) => ({
    name: file,
    mimeType: 'application/octet-stream',
    buffer: readFileSync(join(MODELS, name, file)),
  }));
  const text = Buffer.from(JSON.stringify(processor ?? {}));
  const prepared = { name: 'preprocessor_config.json', mimeType: 'application/json', buffer: text };
  return processor ? [...files, prepared] : files;
}

/** A picture with a few colours, left half as transparent as `alpha` says. */
function bytesOf(width: number, height: number, alpha = 255): Uint8Array {
  return Uint8Array.from({ length: 4 * width * height }, (_, i) => {
    const [pixel, channel] = [i >> 2, i % 4];
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    if (channel === 3) return x < width / 2 ? alpha : 255;
    return (x * 7 * (channel + 1) + y * 11) & 255;
  });
}

const file = (name: string, data: Uint8Array, width: number, height: number): Upload => ({
  name,
  mimeType: 'image/png',
  buffer: png(data, width, height),
});
const PICTURE = file('picture.png', bytesOf(40, 30), 40, 30);

async function give(figure: Locator, upload: readonly Upload[]): Promise<void> {
  const input = figure.locator('input[multiple]');
  await input.waitFor({ state: 'attached' });
  await input.evaluate((element: HTMLInputElement) => (element.webkitdirectory = false));
  await input.setInputFiles([...upload]);
}

async function explorer(
  upload: readonly Upload[],
  options: Parameters<typeof open>[0] = {},
): Promise<{ page: Page; figure: Locator }> {
  const page = await open({ path: '/en/models/', figures: [], ...options });
  const figure = page.locator('model-explorer');
  await give(figure, upload);
  await figure.locator('.drop.picture').waitFor();
  return { page, figure };
}

const choose = (figure: Locator, picture: Upload): Promise<void> =>
  figure.locator('input[accept="image/*"]').setInputFiles(picture);

const drawn = (figure: Locator): Promise<void> => figure.locator('patch-viewer[drawn]').waitFor();

/** Hands a picture over in an event, as a browser does. */
async function hand(page: Page, target: string, type: 'drop' | 'paste', picture: Upload): Promise<void> {
  const given = { type, name: picture.name, mimeType: picture.mimeType, content: picture.buffer.toString('base64') };
  await page.locator(target).evaluate((element, { type, name, mimeType, content }) => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
    data.items.add(new File([bytes], name, { type: mimeType }));
    const init = { bubbles: true, composed: true, cancelable: true };
    const event =
      type === 'drop'
        ? new DragEvent('drop', { ...init, dataTransfer: data })
        : new ClipboardEvent('paste', { ...init, clipboardData: data });
    element.dispatchEvent(event);
  }, given);
}

/** The names in a list of outcomes, and their shares of 100. */
async function outcome(figure: Locator, label: string): Promise<[names: string[], shares: number[]]> {
  const list = figure.locator(`dl[aria-label="${label}"]`);
  await list.waitFor();
  const shares = await list.locator('dd:not([aria-hidden])').allInnerTexts();
  return [await list.locator('dt').allInnerTexts(), shares.map((share) => parseFloat(share))];
}

function softmax(logits: ArrayLike<number>): number[] {
  const parts = Array.from(logits, Math.exp);
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.map((part) => part / sum);
}

async function model<M extends Model | VisionModel>(name: string, part?: 'vision' | 'text'): Promise<M> {
  const config: unknown = JSON.parse(readFileSync(join(MODELS, name, 'config.json'), 'utf8'));
  const weights = new Uint8Array(readFileSync(join(MODELS, name, 'model.safetensors')));
  return openModel<M>({ config, weights, ...(part && { part }) });
}

/** Waits until something is so. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`never true: ${String(isSo)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Whether a list shows these shares: it has one digit behind the point. */
const shows = async (figure: Locator, label: string, expected: readonly number[]): Promise<boolean> => {
  const [, shares] = await outcome(figure, label);
  return shares.length === expected.length && shares.every((share, i) => Math.abs(share - 100 * expected[i]!) < 0.051);
};

const CLASSES = 'Most likely classes';
const FIT = 'How well each text fits the picture';
const descending = (shares: readonly number[]): number[] => [...shares].sort((a, b) => b - a);
const pixelsIn = (data: Uint8Array, width: number, height: number, processor: object = PROCESSOR) =>
  pixelsOf({ data, width, height }, processor);

describe('the models page with a model that reads pictures', () => {
  test('shows the classes and the maps of a picture, which silent heads and lost positions change', async () => {
    const { page, figure } = await explorer(folderOf('vit'));
    expect(await figure.locator('.status').innerText()).toMatch(/vit, layers: 2, heads per layer: 3/);
    const asked = page.waitForEvent('filechooser');
    await figure.getByRole('button', { name: 'Choose a picture' }).press('Enter');
    await (await asked).setFiles(PICTURE);
    await drawn(figure);
    const vit = await model<VisionModel>('vit');
    const pixels = pixelsIn(bytesOf(40, 30), 40, 30);
    const classes = (options: object): number[] => softmax(vit.forward(pixels, options).logits!.data);
    const expected = classes({});
    expect(await shows(figure, CLASSES, descending(expected))).toBe(true);
    const [names] = await outcome(figure, CLASSES);
    expect(names.map((name) => expected[vit.labels!.indexOf(name)])).toEqual(descending(expected));
    for (const head of [1, 2, 3]) {
      await figure.getByRole('radio', { name: `Layer 1, head ${head}:` }).click();
      await figure.getByLabel('Silence this head').check();
    }
    const silent = descending(classes({ ablate: [0, 1, 2].map((head) => [0, head]) }));
    await until(() => shows(figure, CLASSES, silent));
    expect(new URL(page.url()).searchParams.get('silent')).toBe('1.1 1.2 1.3');
    await figure.getByRole('button', { name: 'Switch all heads on again (3 silent)' }).click();
    await until(() => shows(figure, CLASSES, descending(expected)));
    await figure.getByLabel('Use the positions of the patches').uncheck();
    await until(() => shows(figure, CLASSES, descending(classes({ positions: 'none' }))));
    vit.dispose();
  });

  test('compares a picture with texts, whose heads change how well they fit', async () => {
    const texts = ['58 7 12 3 40 59', '58 9 44 6 17 59', '58 23 5 59'];
    const { page, figure } = await explorer(folderOf('clip'), {
      path: `/en/models/?text=${encodeURIComponent(texts.slice(0, 2).join('\n'))}`,
    });
    await figure.getByText('There is no tokenizer.json').waitFor();
    await choose(figure, PICTURE);
    await drawn(figure);
    const [vision, text] = [await model<VisionModel>('clip', 'vision'), await model<Model>('clip', 'text')];
    const pixels = pixelsIn(bytesOf(40, 30), 40, 30);
    const fits = (count: number, options: object = {}): number[] => {
      const unit = (data: Float32Array): number[] => Array.from(data, (value) => value / Math.hypot(...data));
      const image = unit(vision.forward(pixels, options).embeds!.data);
      const scores = texts.slice(0, count).map((line) => {
        const { embeds } = text.forward([line.split(' ').map(Number)]);
        return Math.exp(vision.logitScale!) * unit(embeds!.data).reduce((sum, value, i) => sum + value * image[i]!, 0);
      });
      return softmax(scores);
    };
    await until(() => shows(figure, FIT, fits(2)));
    await figure.getByLabel('Texts to compare with the picture').fill(`${texts.join('\n')}\n\n`);
    await until(() => shows(figure, FIT, fits(3)));
    expect((await outcome(figure, FIT))[0]).toEqual(texts);
    await figure.getByRole('radio', { name: /^Layer 1, head 2:/ }).click();
    await figure.getByLabel('Silence this head').check();
    await until(() => shows(figure, FIT, fits(3, { ablate: [[0, 1]] })));
    expect(new URL(page.url()).searchParams.get('text')).toBe(`${texts.join('\n')}\n\n`);
    vision.dispose();
    text.dispose();
  });

  test('opens a model of pictures whose texts cannot be read', async () => {
    const { figure } = await explorer(folderOf('siglip'));
    await choose(figure, PICTURE);
    await drawn(figure);
    expect(await figure.locator('#texts').count()).toBe(0);
  });

  test('opens the part for texts alone, which predicts no tokens', async () => {
    const [config, weights] = folderOf('clip') as [Upload, Upload];
    const { text_config } = JSON.parse(config.buffer.toString()) as { text_config: object };
    const buffer = Buffer.from(JSON.stringify({ ...text_config, architectures: ['CLIPTextModelWithProjection'] }));
    const page = await open({ path: '/en/models/?text=58+7+12+59', figures: [] });
    const figure = page.locator('model-explorer');
    await give(figure, [{ ...config, buffer }, weights]);
    await figure.locator('head-viewer[drawn]').waitFor();
    expect(await figure.locator('.row-ticks text').allTextContents()).toEqual(['58', '7', '12', '59']);
    expect(await figure.getByRole('button', { name: 'Continue the text' }).count()).toBe(0);
  });

  test('takes pictures that are dropped, also where models are, and pasted', async () => {
    const { page, figure } = await explorer(folderOf('vit'));
    const vit = await model<VisionModel>('vit');
    const others = [1, 2, 3].map((i) => bytesOf(20 + 9 * i, 31));
    const expected = others.map((data, i) => {
      const { logits } = vit.forward(pixelsIn(data, 29 + 9 * i, 31));
      return descending(softmax(logits!.data));
    });
    const [dropped, beside, pasted] = others.map((data, i) => file(`${i}.png`, data, 29 + 9 * i, 31)) as [
      Upload,
      Upload,
      Upload,
    ];
    await hand(page, 'model-explorer .drop.picture', 'drop', dropped);
    await drawn(figure);
    await until(() => shows(figure, CLASSES, expected[0]!));
    await hand(page, 'model-explorer .drop:not(.picture)', 'drop', beside);
    await until(() => shows(figure, CLASSES, expected[1]!));
    await hand(page, 'body', 'paste', pasted);
    await until(() => shows(figure, CLASSES, expected[2]!));
    vit.dispose();
  });

  test('takes the picture in the clipboard, and says so if there is none', async () => {
    const { page, figure } = await explorer(folderOf('vit'));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const paste = figure.getByRole('button', { name: 'Paste a picture' });
    await page.evaluate(() => navigator.clipboard.writeText('words'));
    await paste.click();
    await figure.getByText('There is no picture in the clipboard.').waitFor();
    await page.evaluate(async (content) => {
      const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': new Blob([bytes], { type: 'image/png' }) })]);
    }, PICTURE.buffer.toString('base64'));
    await paste.click();
    await drawn(figure);
    expect(await figure.getByText('There is no picture in the clipboard.').count()).toBe(0);
  });

  test('reads the colours of transparent pixels as they are in the file', async () => {
    const { figure } = await explorer(folderOf('vit'));
    const data = bytesOf(40, 30, 3);
    await choose(figure, file('transparent.png', data, 40, 30));
    await drawn(figure);
    const vit = await model<VisionModel>('vit');
    const shares = (bytes: Uint8Array): number[] =>
      descending(softmax(vit.forward(pixelsIn(bytes, 40, 30)).logits!.data));
    expect(await shows(figure, CLASSES, shares(data))).toBe(true);
    // Multiplied by their alpha, they would be others.
    const rounded = data.map((value, i) =>
      data[i | 3] === 3 && i % 4 < 3 ? 85 * Math.round((value * 3) / 255) : value,
    );
    expect(await shows(figure, CLASSES, shares(rounded))).toBe(false);
    vit.dispose();
  });

  test('reads a large picture in parts', async () => {
    const { figure } = await explorer(folderOf('vit'));
    // More than 2 ^ 22 pixels.
    const [width, height] = [2500, 1800];
    const data = bytesOf(width, height);
    await choose(figure, file('large.png', data, width, height));
    await drawn(figure);
    const vit = await model<VisionModel>('vit');
    const expected = descending(softmax(vit.forward(pixelsIn(data, width, height)).logits!.data));
    await until(() => shows(figure, CLASSES, expected));
    vit.dispose();
  });

  test('shows black around a picture that is smaller than its crop', async () => {
    const crop = { do_resize: false, do_center_crop: true, crop_size: { height: 48, width: 48 } };
    const { figure } = await explorer(folderOf('vit', { image_processor_type: 'ViTImageProcessor', ...crop }));
    const white = new Uint8Array(4 * 40 * 30).fill(255);
    await choose(figure, file('white.png', white, 40, 30));
    await drawn(figure);
    const colours = await figure.locator('patch-viewer').evaluate((viewer) => {
      const { picture } = (viewer as HTMLElement & { heads: { picture: HTMLCanvasElement } }).heads;
      const { data } = picture.getContext('2d')!.getImageData(24, 0, 1, 48);
      return [data[4 * 2], data[4 * 24]];
    });
    expect(colours).toEqual([0, 255]);
  });

  test('marks what is of other settings, and is not held up by a broken picture', async () => {
    const { figure } = await explorer(folderOf('vit'));
    await choose(figure, PICTURE);
    await drawn(figure);
    await figure.getByLabel('Use the positions of the patches').uncheck();
    expect(await figure.locator('.stale').count()).toBe(1);
    await choose(figure, { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
    await figure.locator('.stale').waitFor({ state: 'detached' });
    const vit = await model<VisionModel>('vit');
    const { logits } = vit.forward(pixelsIn(bytesOf(40, 30), 40, 30), { positions: 'none' });
    expect(await shows(figure, CLASSES, descending(softmax(logits!.data)))).toBe(true);
    vit.dispose();
  });

  test('opens DINOv2, whose layers are scaled', async () => {
    const { figure } = await explorer(folderOf('dinov2'));
    await choose(figure, PICTURE);
    await drawn(figure);
  });

  test('says what is wrong with a file, and shows another afterwards', async () => {
    const { figure } = await explorer(folderOf('vit'));
    await choose(figure, { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
    await figure.getByText('This could not be read as a picture.').waitFor();
    await choose(figure, PICTURE);
    await drawn(figure);
    expect(await figure.locator('.remark[role=status]').innerText()).toMatch(/^Most likely classes: /);
  });

  test('prepares pictures as is usual where the folder does not say how, and names what it cannot do', async () => {
    const bare = await explorer(folderOf('vit', null));
    await bare.figure.getByText('pictures are prepared as is usual for vit.').waitFor();
    await choose(bare.figure, PICTURE);
    await drawn(bare.figure);
    const odd = await explorer(folderOf('vit', { ...PROCESSOR, resample: 1 }));
    await choose(odd.figure, PICTURE);
    await odd.figure.getByText(/could not be processed.*imageConfig\.resample/).waitFor();
  });

  test.each([
    ['en', 390],
    ['en', 1280],
    ['ko', 390],
    ['tr', 390],
    ['pt', 390],
    ['id', 390],
  ])('does not overflow, and axe finds no violations, in %s at %i px', async (language, width) => {
    const { page, figure } = await explorer(folderOf('clip'), {
      path: `/${language}/models/?text=${encodeURIComponent('58 7 59\n58 12 40 59')}`,
      viewport: { width, height: 844 },
    });
    await choose(figure, PICTURE);
    await drawn(figure);
    await figure.locator('.outcome dl').waitFor();
    expect(await widthOf(page)).toBeLessThanOrEqual(width);
    expect(await violationsOf(page, 'body')).toEqual([]);
  });
});
