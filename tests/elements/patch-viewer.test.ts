import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { pixelsOf } from 'wasm-attention/models';
import type { PatchArrays } from '../../web/elements/package-types.js';
import { tokenBy } from '../../web/elements/shared/patch-viewer/large-map.js';
import { gridOf, regionOf, type PatchHeads } from '../../web/elements/shared/patch-viewer/patch-heads.js';
import { cropOf, opaque, sourceOf } from '../../web/elements/shared/patch-viewer/picture.js';
import { Rollout } from '../../web/elements/shared/patch-viewer/rollout.js';
import { acrossOf, numberBy } from '../../web/elements/shared/patch-viewer/small-maps.js';
import { tokenName, type PatchWords } from '../../web/elements/shared/patch-viewer/words.js';
import { openPictures, pictureCheckpoint } from '../models/pictures/fixtures.js';
import { attentionRollout } from '../reference/attentionRollout.js';
import { npy } from '../support/npy.js';

/** Weights of random heads, whose rows sum to 1: (layers, heads, T, T) in float32. */
const weights = (layers: number, heads: number, tokens: number): fc.Arbitrary<Float32Array> =>
  fc
    .array(fc.integer({ min: 0, max: 50 }), {
      minLength: layers * heads * tokens * tokens,
      maxLength: layers * heads * tokens * tokens,
    })
    .map((numbers) => {
      const data = new Float32Array(numbers.length);
      for (let row = 0; row < numbers.length; row += tokens) {
        const sum = numbers.slice(row, row + tokens).reduce((all, each) => all + each, 0);
        for (let i = row; i < row + tokens; ++i) data[i] = sum === 0 ? 1 / tokens : numbers[i]! / sum;
      }
      return data;
    });

const cases = fc
  .record({
    layers: fc.integer({ min: 1, max: 5 }),
    heads: fc.integer({ min: 1, max: 4 }),
    rows: fc.integer({ min: 1, max: 3 }),
    columns: fc.integer({ min: 1, max: 3 }),
    first: fc.integer({ min: 0, max: 2 }),
  })
  .chain((sizes) =>
    weights(sizes.layers, sizes.heads, sizes.first + sizes.rows * sizes.columns).map((data) => ({ ...sizes, data })),
  );

describe('attention rollout', () => {
  /** All rows after each layer. */
  const rolledOut = (heads: Pick<PatchHeads, 'layers' | 'heads' | 'mapOf'>, tokens: number, silent: string[] = []) => {
    const rollout = new Rollout(heads, tokens, new Set(silent));
    return Array.from({ length: heads.layers }, (_, i) => {
      expect(rollout.isReady(i + 1)).toBe(false);
      while (rollout.prepare(i + 1));
      expect(rollout.isReady(i + 1)).toBe(true);
      return Array.from({ length: tokens }, (_, token) => [...rollout.rowOf(i + 1, token)]);
    });
  };
  const lists = ({ layers, heads, mapOf }: Pick<PatchHeads, 'layers' | 'heads' | 'mapOf'>, tokens: number) =>
    Array.from({ length: layers }, (_, layer) =>
      Array.from({ length: heads }, (_, head) => {
        const map = Array.from(mapOf(layer + 1, head + 1));
        return Array.from({ length: tokens }, (_, row) => map.slice(row * tokens, (row + 1) * tokens));
      }),
    );

  test('is the product of the layers’ matrices', () => {
    fc.assert(
      fc.property(cases, ({ layers, heads, rows, columns, first, data }) => {
        const tokens = first + rows * columns;
        const shape = [layers, heads, tokens, tokens];
        const grid = gridOf({ weights: { data, shape }, patches: { first, rows, columns } });
        const expected = attentionRollout(lists(grid, tokens)).flat(2);
        const found = rolledOut(grid, tokens).flat(2);
        // All terms are positive, so relative errors add up: a layer's mean has a float32 rounding for each head.
        const tolerance = 2 * layers * (heads + 1) * 2 ** -24;
        const differences = expected.map((value, i) => Math.abs(found[i]! - value) / (value || 1));
        expect(Math.max(...differences)).toBeLessThanOrEqual(tolerance);
        // Rows of shares stay shares.
        const sums = rolledOut(grid, tokens).flatMap((after) => after.map((row) => row.reduce((a, b) => a + b, 0)));
        expect(Math.max(...sums.map((sum) => Math.abs(sum - 1)))).toBeLessThanOrEqual(tolerance + tokens * 2 ** -24);
      }),
      { numRuns: 50 },
    );
  });

  test('leaves out silent heads, and passes a layer without any by', () => {
    const patches = { first: 0, rows: 1, columns: 2 };
    const grid = gridOf({ weights: [[[[1, 0], [1, 0]], [[0, 1], [0, 1]]], [[[0, 1], [1, 0]], [[0.5, 0.5], [0.5, 0.5]]]], patches }); // prettier-ignore
    const [first] = rolledOut(grid, 2, ['1.2']);
    expect(first).toEqual([
      [1, 0],
      [0.5, 0.5],
    ]);
    const [both, same] = rolledOut(grid, 2, ['2.1', '2.2']);
    expect(same).toEqual(both);
  });
});

describe('weights over patches', () => {
  const square = (tokens: number): PatchArrays['weights'] => ({
    data: new Float32Array(tokens * tokens).fill(1 / tokens),
    shape: [tokens, tokens],
  });
  const patches = { first: 1, rows: 2, columns: 3, size: 16 };

  test('are read as head-viewer reads them, with names of the other tokens', () => {
    const read = gridOf({ weights: square(7), patches });
    expect(read).toMatchObject({ layers: 1, heads: 1, patches, special: ['class'] });
    expect(gridOf({ weights: square(8), patches: { ...patches, first: 2 } }).special).toEqual(['class', '']);
    const tokens = ['class', 'distillation'];
    expect(gridOf({ weights: square(8), patches: { ...patches, first: 2 }, tokens }).special).toEqual(tokens);
    expect(gridOf({ weights: square(6), patches: { ...patches, first: 0 } }).special).toEqual([]);
  });

  test('are those of a vision model', async () => {
    const model = await openPictures(pictureCheckpoint('dinov2-registers').files);
    const pixels = {
      data: Float32Array.from({ length: 2 * 3 * 24 * 40 }, (_, i) => Math.sin(i)),
      shape: [2, 3, 24, 40],
    };
    const { weights } = model.forward(pixels, { needWeights: true });
    const read = gridOf({ weights: weights!, sample: 1, patches: model.patches(24, 40), tokens: ['class', 'register', 'register'] }); // prettier-ignore
    expect(read).toMatchObject({ layers: model.numLayers, heads: model.numHeads, patches: { first: 3, rows: 3, columns: 5 } }); // prettier-ignore
    const last = weights!.at(-1)!;
    expect(read.mapOf(model.numLayers, model.numHeads)).toEqual(last.data.subarray(last.data.length - 18 * 18));
    model.dispose();
  });

  test('of one picture of a batch', () => {
    const data = Float32Array.from({ length: 2 * 3 * 49 }, (_, i) => i);
    const layer = { data, shape: [2, 3, 7, 7] };
    const { layers, heads, mapOf } = gridOf({ weights: [layer, layer], patches, sample: 1 });
    expect([layers, heads]).toEqual([2, 3]);
    expect(Array.from(mapOf(2, 3))).toEqual(Array.from(data.subarray(5 * 49)));
  });

  test.each<[string, object, RegExp]>([
    ['no patches', { patches: undefined }, /expected patches\.first to be a whole number of at least 0, got undefined/],
    [
      'no rows',
      { patches: { ...patches, rows: 0 } },
      /expected patches\.rows to be a whole number of at least 1, got 0/,
    ],
    ['half a column', { patches: { ...patches, columns: 1.5 } }, /patches\.columns to be .*, got 1\.5/],
    ['a text as first', { patches: { ...patches, first: '1' } }, /patches\.first to be .*, got 1/],
    ['patches without a size', { patches: { ...patches, size: 0 } }, /patches\.size to be .*, got 0/],
    [
      'another number of tokens',
      { patches: { ...patches, first: 0 } },
      /expected weights of 6 by 6 tokens for 2 × 3 patches after 0 others, got 7 by 7/,
    ],
    ['maps that are not square', { weights: { data: new Float32Array(42), shape: [7, 6] } }, /got 7 by 6/],
    ['names for other tokens', { tokens: ['class', 'register'] }, /expected 1 tokens, got 2/],
    ['numbers as names', { tokens: [1] }, /expected tokens to be a list of strings/],
    ['no weights', { weights: undefined }, /expected weights as/],
    ['a sample of no batch', { sample: 0 }, /expected sample only with a list/],
  ])('are refused with %s', (_, changed, message) => {
    const arrays = { weights: square(7), patches, ...changed } as PatchArrays;
    expect(() => gridOf(arrays)).toThrow(message);
  });
});

describe('a picture', () => {
  const bytes = (channels: number, width: number, height: number): Uint8Array =>
    Uint8Array.from({ length: channels * width * height }, (_, i) => (i * 37) % 256);

  test.each<[string, unknown]>([
    ['RGBA bytes', { data: bytes(4, 3, 2), width: 3, height: 2 }],
    ['clamped RGB bytes', { data: new Uint8ClampedArray(bytes(3, 3, 2)), width: 3, height: 2 }],
    ['an array of bytes', { data: bytes(3, 3, 2), shape: [2, 3, 3] }],
    ['bytes with a dtype', { data: new DataView(bytes(4, 3, 2).buffer), shape: [2, 3, 4], dtype: 'uint8' }],
    ['numbers', { data: Array.from(bytes(3, 3, 2)), shape: [2, 3, 3] }],
    ['lists', [0, 1].map((y) => [0, 1, 2].map((x) => [x, y, 255]))],
    ['.npy bytes', npy({ descr: '|u1', shape: [2, 3, 3], values: Array.from(bytes(3, 3, 2)) })],
    ['.npy floats', npy({ descr: '<f4', shape: [2, 3, 3], values: Array.from(bytes(3, 3, 2)) })],
  ])('may be %s', (_, given) => {
    expect(sourceOf(given)).toMatchObject({ width: 3, height: 2, pixels: { width: 3, height: 2 } });
  });

  test.each<[string, unknown, RegExp]>([
    ['nothing', undefined, /expected picture as an image, a canvas/],
    ['null', null, /expected picture as an image, a canvas/],
    ['a text', 'cat.jpg', /expected picture as an image, a canvas/],
    ['floats with a size', { data: new Float32Array(12), width: 2, height: 2 }, /expected picture as an image/],
    ['no width', { data: new Uint8Array(12), height: 2 }, /expected picture\.width to be .*, got undefined/],
    ['half a pixel', { data: new Uint8Array(12), width: 2.5, height: 2 }, /expected picture\.width to be .*, got 2\.5/],
    ['no height', { data: new Uint8Array(0), width: 2, height: 0 }, /expected picture\.height to be .*, got 0/],
    [
      'grey bytes',
      { data: new Uint8Array(4), width: 2, height: 2 },
      /expected picture\.data to have 16 or 12 bytes for 2 × 2 pixels, got 4/,
    ],
    [
      'a grey array',
      { data: new Uint8Array(4), shape: [2, 2] },
      /picture of shape \(height, width, 3 or 4\), got \(2, 2\)/,
    ],
    ['channels first', { data: new Uint8Array(12), shape: [3, 2, 2] }, /picture of shape .*, got \(3, 2, 2\)/],
    [
      'too few numbers',
      { data: new Uint8Array(11), shape: [2, 2, 3] },
      /expected 12 numbers for picture \(2, 2, 3\), got 11/,
    ],
    ['shares of 1', { data: Array(12).fill(0.5), shape: [2, 2, 3] }, /whole numbers from 0 to 255, got 0\.5 at 0/],
    ['numbers beyond a byte', { data: Array(12).fill(256), shape: [2, 2, 3] }, /whole numbers from 0 to 255, got 256/],
  ])('may not be %s', (_, given, message) => {
    expect(() => sourceOf(given)).toThrow(message);
  });

  test.each([
    [{ x: 3, y: 0, width: 4, height: 2 }, 'pixels of 3 × 2, got { x: 3, y: 0, width: 4, height: 2 }'],
    [{ x: -1, y: 0, width: 1, height: 2 }, 'got { x: -1,'],
    [{ x: 0, y: 2, width: 1, height: 1 }, 'got { x: 0, y: 2'],
    [{ x: 0, y: 0, width: 0, height: 1 }, 'width: 0'],
    [{ x: 0, y: 0, width: -1, height: 1 }, 'width: -1'],
    [{ x: 0, y: 0, width: Infinity, height: 1 }, 'width: Infinity'],
    [{ x: 0, y: 0, width: NaN, height: 1 }, 'width: NaN'],
    [{ x: 0, y: 0 }, 'width: undefined'],
  ])('does not have the region %j', (region, message) => {
    const picture = { data: bytes(3, 3, 2), width: 3, height: 2 };
    expect(() => cropOf(picture, region as never)).toThrow(message);
  });

  test('has its region’s pixels, without alpha', () => {
    fc.assert(
      fc.property(
        fc.record({
          width: fc.integer({ min: 1, max: 9 }),
          height: fc.integer({ min: 1, max: 9 }),
          channels: fc.constantFrom(3, 4),
          left: fc.double({ min: 0, max: 0.9, noNaN: true }),
          top: fc.double({ min: 0, max: 0.9, noNaN: true }),
          longest: fc.integer({ min: 1, max: 12 }),
        }),
        ({ width, height, channels, left, top, longest }) => {
          const region = { x: left * width, y: top * height, width: (1 - left) * width, height: (1 - top) * height };
          const data = bytes(channels, width, height);
          const found = opaque({ data, width, height }, region, longest);
          const expected: number[] = [];
          for (let y = Math.floor(region.y); y < height; y += found.step)
            for (let x = Math.floor(region.x); x < width; x += found.step)
              expected.push(...data.subarray((y * width + x) * channels).subarray(0, 3), 255);
          expect(Array.from(found.data)).toEqual(expected);
          expect(found.width * found.height * 4).toBe(expected.length);
          // Sides at most twice as long as wanted, or whole.
          if (found.step > 1) expect(Math.max(found.width, found.height)).toBeLessThanOrEqual(2 * longest + 1);
        },
      ),
    );
  });
});

describe('the patches of what a model reads', () => {
  const patches = { first: 0, rows: 27, columns: 27, size: 14 };
  const processor = { image_processor_type: 'SiglipImageProcessor', size: { height: 384, width: 384 } };
  const white = (width: number, height: number) => ({ data: new Uint8Array(3 * width * height), width, height });

  test('leave out what fills none, and cover what is around a picture that is smaller', () => {
    // 27 patches of 14 pixels in 384 are 378.
    const whole = pixelsOf(white(64, 32), processor);
    expect(whole.region).toEqual({ x: 0, y: 0, width: 64, height: 32 });
    expect(regionOf({ patches, pixels: whole })).toEqual({ x: 0, y: 0, width: 63, height: 31.5 });
    const crop = { do_resize: false, do_center_crop: true, crop_size: { height: 31, width: 28 } };
    const around = pixelsOf(white(20, 30), { ...processor, ...crop });
    expect(regionOf({ patches: { ...patches, rows: 2, columns: 2 }, pixels: around })).toEqual({
      x: -4,
      y: -1,
      width: 28,
      height: 28,
    });
  });

  test('cover all of it if their size is not known', () => {
    const pixels = pixelsOf(white(3, 2), processor);
    expect(regionOf({ patches: { first: 0, rows: 5, columns: 49 }, pixels })).toEqual(pixels.region);
    const region = { x: 1, y: 1, width: 1, height: 1 };
    expect(regionOf({ patches, region })).toBe(region);
    expect(regionOf({ patches })).toBeUndefined();
  });

  test.each<[unknown, string]>([
    [null, 'expected pixels as pixelsOf returns them'],
    [{ shape: [1, 3, 384, 384] }, 'expected pixels as pixelsOf returns them'],
    [{ region: {} }, 'expected pixels as pixelsOf returns them'],
    [{ shape: [1, 3, 224, 224], region: {} }, '27 × 27 patches of 14 × 14, got (1, 3, 224, 224)'],
    [{ shape: [1, 3, 384, 376], region: {} }, '27 × 27 patches of 14 × 14, got (1, 3, 384, 376)'],
  ])('are not those of %j', (pixels, message) => {
    expect(() => regionOf({ patches, pixels: pixels as never })).toThrow(message);
  });
});

describe('keys', () => {
  const grids = fc.record({
    first: fc.integer({ min: 0, max: 5 }),
    rows: fc.integer({ min: 1, max: 20 }),
    columns: fc.integer({ min: 1, max: 20 }),
  });
  const heads = (patches: PatchHeads['patches']): PatchHeads => ({ patches }) as PatchHeads;
  const KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'];

  test('lead only to tokens', () => {
    fc.assert(
      fc.property(grids, fc.array(fc.constantFrom(...KEYS)), fc.boolean(), (patches, keys, ctrl) => {
        const { first, rows, columns } = patches;
        let token = first;
        for (const key of keys) {
          const patch = first + ((token * 7) % (rows * columns));
          token = tokenBy(key, ctrl, token, { heads: heads(patches), patch }) ?? NaN;
          expect(Number.isInteger(token) && token >= 0 && token < first + rows * columns).toBe(true);
        }
      }),
    );
  });

  test('lead to every token, up to those that are not patches, and back to the patch', () => {
    const patches = { first: 2, rows: 2, columns: 3 };
    const to = (key: string, from: number, patch = 3) => tokenBy(key, false, from, { heads: heads(patches), patch });
    expect(['ArrowRight', 'ArrowDown', 'End'].map((key) => to(key, 2))).toEqual([3, 5, 4]);
    expect(['ArrowUp', 'ArrowDown'].map((key) => to(key, 4))).toEqual([1, 7]);
    expect(['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown', 'Home'].map((key) => to(key, 1))).toEqual([
      1, 0, 1, 3, 0,
    ]);
    expect(to('ArrowDown', 0, 7)).toBe(4);
    expect(to('Tab', 2)).toBeUndefined();
  });

  test('lead from map to map, in rows as they lie', () => {
    expect([1, 3, 6, 12, 16, 24].map(acrossOf)).toEqual([1, 2, 3, 4, 4, 5]);
    const to = (key: string, from: number) => numberBy(key, from, 12, 4);
    expect(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'].map((key) => to(key, 6))).toEqual([
      5, 7, 2, 10, 1, 12,
    ]);
    expect([to('ArrowLeft', 1), to('ArrowUp', 4), to('ArrowDown', 9), to('ArrowRight', 12), to('a', 1)]).toEqual(
      Array(5).fill(undefined),
    );
  });
});

test('tokens have names, and several registers numbers', () => {
  const words = {
    text: (key: string, values?: Record<string, unknown>) => [key, ...Object.values(values ?? {})].join(' '),
  } as PatchWords;
  const names = (special: string[]) =>
    Array.from({ length: special.length + 6 }, (_, token) =>
      tokenName(
        words,
        { patches: { first: special.length, rows: 2, columns: 3 }, special } as unknown as PatchHeads,
        token,
      ),
    );
  expect(names(['class', 'distillation', '', 'prompt'])).toEqual([
    ...['patches.class', 'patches.distillation', 'patches.token 3', 'prompt'],
    ...['patches.place 1 1', 'patches.place 1 2', 'patches.place 1 3'],
    ...['patches.place 2 1', 'patches.place 2 2', 'patches.place 2 3'],
  ]);
  expect(names(['register', 'class', 'register']).slice(0, 3)).toEqual([
    'patches.registerNumber 1',
    'patches.class',
    'patches.registerNumber 2',
  ]);
  expect(names(['register'])[0]).toBe('patches.register 1');
});
