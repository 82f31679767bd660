import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import '../../support/fuzzSeed.js';
import { readSafetensors } from 'wasm-attention/safetensors';
import { pixelsOf, type Picture } from 'wasm-attention/models';
import { pixels, planesOf, type PixelSteps } from '../../reference/pixels.js';
import { Random } from '../../support/random.js';
import { testRejections, type Rejection } from '../../support/rejections.js';

const HALVES = [0.5, 0.5, 0.5];
const CLIP_MEAN = [0.48145466, 0.4578275, 0.40821073];
const CLIP_STD = [0.26862954, 0.26130258, 0.27577711];

/** A picture of random bytes. */
function picture(width: number, height: number, channels = 3, seed = 1): Picture {
  const random = new Random(seed);
  return { data: Uint8Array.from({ length: channels * width * height }, () => random.integer(0, 255)), width, height };
}

/** The same picture with other alphas. */
function withAlpha({ data, width, height }: Picture, alpha: (pixel: number) => number): Picture {
  const rgba = Uint8ClampedArray.from({ length: 4 * width * height }, (_, i) =>
    i % 4 === 3 ? alpha(i >> 2) : data[(i >> 2) * 3 + (i % 4)]!,
  );
  return { data: rgba, width, height };
}

const oracle = ({ data, width, height }: Picture, steps: PixelSteps) => pixels(planesOf(data, width, height), steps);

/** Whether all numbers are the same to the bit. */
const same = (a: Float32Array, b: Float32Array) =>
  a.length === b.length && a.every((value, i) => Object.is(value, b[i]));

describe('cases of transformers', () => {
  const folder = (name: string) => join(import.meta.dirname, '../../fixtures/pictures', name);
  test.each(['vit', 'clip'])('%s is equal to the bit, as RGB and as RGBA', (name) => {
    const read = (file: string) => readFileSync(join(folder(name), file));
    const json = (file: string) => JSON.parse(read(file).toString()) as never;
    const { width, height, shape } = json('expected.json') as { width: number; height: number; shape: number[] };
    const { pixel_values: expected } = readSafetensors(read('expected.safetensors'));
    // A view of a part of a buffer, as Node's own reads are.
    const rgb = { data: read('image.bin'), width, height };
    for (const image of [rgb, withAlpha(rgb, (pixel) => (pixel * 31) & 255)]) {
      const found = pixelsOf(image, json('preprocessor_config.json'));
      expect(found.shape).toEqual(shape);
      expect(same(found.data, expected!.data)).toBe(true);
    }
  });
});

describe('an oracle written from Pillow and numpy', () => {
  const side = fc.integer({ min: 1, max: 40 });
  const sides = fc.tuple(side, side);
  const three = (min: number) => fc.array(fc.double({ min, max: 2, noNaN: true }), { minLength: 3, maxLength: 3 });

  test('gives the same bits for all sizes, crops and flags', () => {
    const property = fc.property(
      fc.record({
        at: sides,
        size: fc.option(sides, { nil: undefined }),
        resample: fc.constantFrom(2, 3),
        crop: fc.option(sides, { nil: undefined }),
        factor: fc.option(fc.constantFrom(1 / 255, 1 / 127.5, 0.3), { nil: undefined }),
        normal: fc.option(fc.tuple(three(-2), three(0.01)), { nil: undefined }),
        channels: fc.constantFrom(3, 4),
        seed: fc.nat(),
      }),
      ({ at: [height, width], size, resample, crop, factor, normal, channels, seed }) => {
        const image = picture(width, height, channels, seed);
        const sized = ([h, w]: [number, number]) => ({ height: h, width: w });
        const { data, shape } = pixelsOf(image, {
          image_processor_type: 'CLIPImageProcessor',
          do_resize: size !== undefined,
          resample,
          do_center_crop: crop !== undefined,
          do_rescale: factor !== undefined,
          do_normalize: normal !== undefined,
          ...(size && { size: sized(size) }),
          ...(crop && { crop_size: sized(crop) }),
          ...(factor !== undefined && { rescale_factor: factor }),
          ...(normal && { image_mean: normal[0], image_std: normal[1] }),
        });
        const steps: PixelSteps = {
          resample,
          ...(size && { size }),
          ...(crop && { crop }),
          ...(factor !== undefined && { factor }),
          ...(normal && { mean: normal[0], std: normal[1] }),
        };
        const [rows, columns] = crop ?? size ?? [height, width];
        return same(data, oracle(image, steps)) && shape.join() === [1, 3, rows, columns].join();
      },
    );
    fc.assert(property, { numRuns: 300 });
  });

  test('gives the same bits where a large picture shrinks', () => {
    const image = picture(701, 403);
    const found = [2, 3].map((resample) => {
      const { data } = pixelsOf(image, { model_type: 'vit', resample, size: { height: 24, width: 9 } });
      return same(data, oracle(image, { resample, size: [24, 9], factor: 1 / 255, mean: HALVES, std: HALVES }));
    });
    expect(found).toEqual([true, true]);
  });
});

describe('properties', () => {
  const images = fc
    .tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 }), fc.nat())
    .map(([width, height, seed]) => picture(width, height, 3, seed));
  const types = fc.constantFrom('vit', 'deit', 'dinov2', 'clip', 'siglip');

  test('alpha changes nothing', () => {
    const property = fc.property(images, types, fc.nat(255), (image, model_type, alpha) =>
      same(
        pixelsOf(image, { model_type, size: 12 }).data,
        pixelsOf(
          withAlpha(image, (pixel) => (pixel * alpha) & 255),
          { model_type, size: 12 },
        ).data,
      ),
    );
    fc.assert(property, { numRuns: 50 });
  });

  test('a picture of one colour stays one, whatever its size', () => {
    const property = fc.property(images, types, fc.nat(255), ({ data, width, height }, model_type, byte) => {
      const { data: found } = pixelsOf(
        { data: new Uint8Array(data.length).fill(byte), width, height },
        { model_type, size: 17, do_center_crop: false, do_normalize: false },
      );
      return found.every((value) => value === Math.fround(byte * (1 / 255)));
    });
    fc.assert(property, { numRuns: 50 });
  });

  test('a crop is the middle of what is there without it', () => {
    const property = fc.property(images, fc.integer({ min: 1, max: 20 }), (image, crop) => {
      const [cropped, whole] = [true, false].map((do_center_crop) =>
        pixelsOf(image, { model_type: 'clip', size: { shortest_edge: 20 }, crop_size: crop, do_center_crop }),
      );
      const [, , rows, columns] = whole!.shape as [number, number, number, number];
      const [top, left] = [Math.floor((rows - crop) / 2), Math.floor((columns - crop) / 2)];
      return cropped!.data.every((value, i) => {
        const [channel, y, x] = [Math.floor(i / crop / crop), Math.floor(i / crop) % crop, i % crop];
        return value === whole!.data[(channel * rows + top + y) * columns + left + x];
      });
    });
    fc.assert(property, { numRuns: 50 });
  });

  test('grey as RGB has three equal channels', () => {
    const { width, height, data } = picture(33, 21);
    const grey = { data: data.map((_, i) => data[i - (i % 3)]!), width, height };
    const { data: found } = pixelsOf(grey, { model_type: 'siglip', size: { height: 9, width: 9 } });
    expect([81, 162].map((from) => same(found.subarray(0, 81), found.subarray(from, from + 81)))).toEqual([true, true]);
  });
});

describe('the region', () => {
  const image = picture(40, 20);
  test.each([
    ['all of a picture that is only resized', { model_type: 'vit' }, [0, 0, 40, 20]],
    ['all of one that is left as it is', { model_type: 'vit', do_resize: false }, [0, 0, 40, 20]],
    ['the middle square, where the shortest edge is as long as the crop', { model_type: 'clip' }, [10, 0, 20, 20]],
    ['seven eighths of one that is squeezed', { model_type: 'deit' }, [2.5, 1.25, 35, 17.5]],
    [
      'nearer to the left, where a crop leaves an odd number',
      { model_type: 'vit', do_resize: false, do_center_crop: true, crop_size: { height: 20, width: 7 } },
      [16, 0, 7, 20],
    ],
    [
      'more than the picture, where the crop is larger',
      { model_type: 'vit', do_resize: false, do_center_crop: true, crop_size: { height: 25, width: 50 } },
      [-5, -3, 50, 25],
    ],
  ])('is %s', (_what, config, [x, y, width, height]) => {
    expect(pixelsOf(image, config).region).toEqual({ x, y, width, height });
  });
});

describe('defaults', () => {
  const image = picture(37, 23);
  const unit = { factor: 1 / 255, mean: HALVES, std: HALVES };
  const clip = { factor: 1 / 255, mean: CLIP_MEAN, std: CLIP_STD };
  const wide = [224, Math.trunc((224 * 37) / 23)] as const;
  const STEPS: Record<string, PixelSteps> = {
    ViT: { ...unit, size: [224, 224], resample: 2 },
    DeiT: { ...unit, size: [256, 256], resample: 3, crop: [224, 224] },
    CLIP: { ...clip, size: wide, resample: 3, crop: [224, 224] },
    Bit: { ...clip, size: wide, resample: 3, crop: [224, 224] },
    Siglip: { ...unit, size: [224, 224], resample: 3 },
  };
  const ENDS = ['ImageProcessor', 'ImageProcessorFast', 'ImageProcessorPil', 'FeatureExtractor'];

  test.each(Object.keys(STEPS))('%s has those of transformers, under each of its names', (name) => {
    const expected = oracle(image, STEPS[name]!);
    for (const end of ENDS) {
      for (const field of ['image_processor_type', 'feature_extractor_type']) {
        expect(same(pixelsOf(image, { [field]: name + end }).data, expected)).toBe(true);
      }
    }
  });

  test.each([
    ['vit', 'ViT'],
    ['deit', 'DeiT'],
    ['dinov2', 'Bit'],
    ['dinov2_with_registers', 'Bit'],
    ['clip', 'CLIP'],
    ['clip_vision_model', 'CLIP'],
    ['siglip', 'Siglip'],
    ['siglip_vision_model', 'Siglip'],
  ])('a file without a type is read by the model type %s', (model_type, name) => {
    expect(same(pixelsOf(image, { model_type }).data, oracle(image, STEPS[name]!))).toBe(true);
  });

  test('the newer name wins, and so does a name over the type of the model', () => {
    const config = { image_processor_type: 'ViTImageProcessor', feature_extractor_type: 'CLIPFeatureExtractor' };
    expect(same(pixelsOf(image, { ...config, model_type: 'clip' }).data, oracle(image, STEPS.ViT!))).toBe(true);
  });

  test('null stands for the default, also within a size', () => {
    const nulls = Object.fromEntries(
      [
        ...[
          'do_resize',
          'size',
          'default_to_square',
          'resample',
          'do_center_crop',
          'crop_size',
          'do_rescale',
          'do_pad',
        ],
        ...['rescale_factor', 'do_normalize', 'image_mean', 'image_std', 'do_convert_rgb', 'image_processor_type'],
      ].map((field) => [field, null]),
    );
    expect(same(pixelsOf(image, { ...nulls, model_type: 'deit' }).data, oracle(image, STEPS.DeiT!))).toBe(true);
    const size = { height: 5, width: 6, shortest_edge: null, longest_edge: null };
    expect(pixelsOf(image, { model_type: 'vit', size }).shape).toEqual([1, 3, 5, 6]);
  });

  test.each([
    ['a plain number of ViT', { model_type: 'vit', size: 12 }, [12, 12]],
    ['a plain number of DeiT', { model_type: 'deit', size: 12, do_center_crop: false }, [12, 12]],
    ['a plain number of CLIP', { model_type: 'clip', size: 12, do_center_crop: false }, [12, 19]],
    ['a plain number of Siglip', { model_type: 'siglip', size: 12 }, [12, 19]],
    ['a plain number with default_to_square', { model_type: 'siglip', size: 12, default_to_square: true }, [12, 12]],
    ['a list', { model_type: 'clip', size: [12, 7], do_center_crop: false }, [12, 7]],
    ['the shortest edge in ViT', { model_type: 'vit', size: { shortest_edge: 12 } }, [12, 19]],
    ['height and width in CLIP', { model_type: 'clip', size: { height: 3, width: 4 }, do_center_crop: false }, [3, 4]],
    ['a crop in ViT', { model_type: 'vit', do_center_crop: true, crop_size: 9 }, [9, 9]],
    ['a crop of unequal sides', { model_type: 'clip', crop_size: { height: 9, width: 300 } }, [9, 300]],
    ['a crop as a list', { model_type: 'clip', crop_size: [9, 300] }, [9, 300]],
    ['neither resize nor crop', { model_type: 'vit', do_resize: false }, [23, 37]],
  ])('%s gives its size', (_form, config, size) => {
    expect(pixelsOf(image, config).shape).toEqual([1, 3, ...size]);
  });

  test('one number for mean and deviation stands for three', () => {
    const config = { model_type: 'vit', size: 8 };
    expect(
      same(
        pixelsOf(image, { ...config, image_mean: 0.25, image_std: 2 }).data,
        pixelsOf(image, { ...config, image_mean: [0.25, 0.25, 0.25], image_std: [2, 2, 2] }).data,
      ),
    ).toBe(true);
  });
});

describe('sizes at the ends', () => {
  test.each(['vit', 'deit', 'dinov2', 'clip', 'siglip'])('one pixel fills the picture of %s', (model_type) => {
    const { data, shape } = pixelsOf({ data: Uint8Array.of(10, 20, 30), width: 1, height: 1 }, { model_type });
    expect(shape).toEqual([1, 3, 224, 224]);
    expect(new Set(data).size).toBe(3);
  });

  test('five megapixels take at most twice as long as one for each pixel', () => {
    const sizes = [1, 2].map((scale) => [1368 * scale, 912 * scale] as const);
    const best = [Infinity, Infinity];
    for (let round = 0; round < 6; ++round) {
      for (const [i, [width, height]] of sizes.entries()) {
        const data = new Uint8ClampedArray(4 * width * height);
        const start = performance.now();
        pixelsOf({ data, width, height }, { model_type: 'clip' });
        best[i] = Math.min(best[i]!, performance.now() - start);
      }
    }
    expect(best[1]! / best[0]!).toBeLessThan(8);
  });

  test('of a picture that is a line, only what the crop keeps is computed', () => {
    const length = 2_000_000;
    // Resized whole, it would have 10^11 pixels.
    const line = { data: new Uint8Array(3 * length).fill(255), width: 1, height: length };
    const { data } = pixelsOf(line, { model_type: 'clip', do_normalize: false });
    expect(data.length).toBe(3 * 224 * 224);
    expect(data.every((value) => value === 1)).toBe(true);
  });
});

describe('what is refused', () => {
  const image = picture(4, 3);
  const given = (config: unknown) => () => pixelsOf(image, config);
  const vit = (fields: object) => given({ model_type: 'vit', ...fields });
  const clip = (fields: object) => given({ model_type: 'clip', ...fields });
  const of = (fields: object) => () => pixelsOf({ ...image, ...fields }, { model_type: 'vit' });
  const rows: Rejection[] = [
    ['no picture', 'TypeError', () => pixelsOf(undefined as never, { model_type: 'vit' })],
    ['nested arrays', 'TypeError', of({ data: [1, 2, 3] })],
    ['floats', 'TypeError', of({ data: new Float32Array(36) })],
    ['data that is too short', 'RangeError', of({ data: new Uint8Array(35) })],
    ['two channels', 'RangeError', of({ data: new Uint8Array(24) })],
    ['no pixels', 'RangeError', of({ data: new Uint8Array(0), width: 0 })],
    ['a width that is a text', 'TypeError', of({ width: '4' })],
    ['a fractional height', 'RangeError', of({ height: 1.5 })],
    ['no config', 'TypeError', given(undefined)],
    ['a list as config', 'TypeError', given([])],
    ['a config without a processor', 'RangeError', given({})],
    ['a size beyond memory', 'RangeError', vit({ size: 2 ** 24 })],
  ];
  testRejections('pixelsOf', rows, () => expect(vit({ size: 2 })()).toMatchObject({ shape: [1, 3, 2, 2] }));

  test.each([
    ['image_processor_type', given({ image_processor_type: 'ConvNextImageProcessor' })],
    ['image_processor_type', given({ image_processor_type: 'toStringImageProcessor' })],
    ['image_processor_type', given({ image_processor_type: 7 })],
    ['feature_extractor_type', given({ feature_extractor_type: 'BeitFeatureExtractor', model_type: 'vit' })],
    ['model_type', given({ model_type: 'swin' })],
    ['resample', vit({ resample: 0 })],
    ['resample', vit({ resample: 1 })],
    ['resample', vit({ resample: 'bicubic' })],
    ['do_resize', vit({ do_resize: 1 })],
    ['do_pad', vit({ do_pad: true })],
    ['do_reduce_labels', vit({ do_reduce_labels: true })],
    // The file of a processor of texts and pictures has it in this field.
    ['image_processor', vit({ image_processor: { image_processor_type: 'CLIPImageProcessor' } })],
    ['use_square_size', clip({ use_square_size: true })],
    ['size.height', vit({ size: 0 })],
    ['size.height', vit({ size: { height: 1.5, width: 2 } })],
    ['size.shortest_edge', clip({ size: { shortest_edge: '224' } })],
    ['size', vit({ size: '224' })],
    ['size', vit({ size: [1, 2, 3] })],
    ['size', vit({ size: {} })],
    ['size', vit({ size: { height: 5 } })],
    ['size', clip({ size: { shortest_edge: 5, longest_edge: 9 } })],
    ['size', clip({ size: { max_height: 5, max_width: 9 } })],
    ['crop_size', clip({ crop_size: { shortest_edge: 5 } })],
    ['crop_size', vit({ do_center_crop: true })],
    ['crop_size.width', clip({ crop_size: { height: 5, width: -5 } })],
    ['rescale_factor', vit({ rescale_factor: 0 })],
    ['rescale_factor', vit({ rescale_factor: '1/255' })],
    ['image_mean', vit({ image_mean: [0.5, 0.5] })],
    ['image_mean', vit({ image_mean: [0.5, 0.5, '0.5'] })],
    ["image_mean to be 3 numbers, got '[null,null,null]'", vit({ image_mean: [null, null, null] })],
    ["image_mean to be 3 numbers, got '[]'", vit({ image_mean: [] })],
    ['image_std', vit({ image_std: [0.5, null, 0.5] })],
    ['size.width', vit({ size: [8, null] })],
    ['image_mean', vit({ image_mean: [1e39, 0, 0] })],
    ['image_std', vit({ image_std: [0.5, 0, 0.5] })],
    ['image_std', vit({ image_std: [0.5, 1e-60, 0.5] })],
    ['image_std', vit({ image_std: -1 })],
  ])('%s is named (%#)', (field, call) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(`pixelsOf: expected imageConfig.${field}`);
  });

  test('what is not done may have any value', () => {
    const idle = { do_resize: false, size: 'any', resample: 9, do_normalize: false, image_std: 0, crop_size: 'none' };
    expect(vit({ ...idle, do_rescale: false, rescale_factor: 0 })().data).toEqual(oracle(image, {}));
  });

  test('the config is read once', () => {
    let reads = 0;
    const config = {
      model_type: 'vit',
      get size() {
        return ++reads;
      },
    };
    expect(pixelsOf(image, config).shape).toEqual([1, 3, 1, 1]);
    expect(reads).toBe(1);
  });
});
