/** Options of models of pictures, their files, rounded weights, and CLIP's pooled texts. */
import { describe, expect, test } from '@jest/globals';
import { drift, openModel, type ModelForwardOptions, type VisionModel } from 'wasm-attention/models';
import type { Tensor, TensorLike } from 'wasm-attention';
import { allocator, attention } from '../../fuzz/watched.js';
import { EPS, expectClose } from '../../support/close.js';
import { Random } from '../../support/random.js';
import { pictureCheckpoints } from '../fixtures.js';
import { float16 } from '../halves.js';
import {
  derived,
  openPictures,
  openTexts,
  pictureCheckpoint,
  pictureFiles,
  tensorsOf,
  type PictureFiles,
} from './fixtures.js';

const named = pictureFiles.map((files) => [String(files.config.model_type), files] as const);
const ofPictures = named.filter(([family]) => family !== 'clip_text_model');
const random = new Random(5);
const pixels = (...shape: number[]): Tensor => random.tensor(shape);
const rowOf = ({ data, shape }: Tensor, b: number): Tensor => {
  const size = data.length / shape[0]!;
  return { data: data.slice(b * size, (b + 1) * size), shape: [1, ...shape.slice(1)] };
};

describe.each(named)('%s', (family, files) => {
  const input = family === 'clip_text_model' ? [[1, 2, 59]] : pixels(1, 3, 24, 24);
  const keysOf = async (weights: Record<string, TensorLike>): Promise<string[]> => {
    const model = await openModel<VisionModel>({ ...files, weights, attention });
    const keys = Object.keys(model.forward(input));
    model.dispose();
    return keys;
  };

  test('without one of its tensors it is refused by that name, or lacks a result', async () => {
    const tensors = tensorsOf(files);
    const whole = await openModel({ ...files, attention });
    const { unused } = whole;
    whole.dispose();
    const all = await keysOf(tensors);
    const used = Object.keys(tensors).filter((name) => !unused.includes(name));
    expect(used.length).toBeGreaterThan(20);
    for (const missing of used) {
      const { [missing]: _, ...others } = tensors;
      const before = [allocator.liveBytes, allocator.calls];
      const keys = await keysOf(others).catch((error: unknown) => error as RangeError);
      if (keys instanceof Error) {
        expect(keys).toBeInstanceOf(RangeError);
        expect(keys.message).toBe(`openModel: expected a tensor '${missing}', got none`);
        expect([allocator.liveBytes, allocator.calls]).toEqual(before);
      } else {
        expect([missing, keys.length]).toEqual([missing, all.length - 1]);
      }
    }
  });

  test('lists what it does not use', async () => {
    const model = await openModel({ ...files, attention });
    const others =
      family === 'clip' || family === 'clip_vision_model'
        ? /^text_|^logit_scale$/
        : family === 'clip_text_model'
          ? /^vision_|^visual_|^logit_scale$/
          : /mask_token$/;
    for (const name of model.unused) expect(name).toMatch(family === 'clip' ? /^text_/ : others);
    const names = Object.keys(tensorsOf(files)).filter((name) => others.test(name));
    expect(model.unused.length).toBe(names.length - Number(family === 'clip'));
    model.dispose();
  });
});

describe.each(ofPictures)('%s', (_, files) => {
  test('gives the same for a picture alone as in a batch', async () => {
    const model = await openPictures(files);
    const given = pixels(3, 3, 24, 32);
    const all = model.forward(given, { needWeights: true });
    for (const b of [0, 1, 2]) {
      const one = model.forward(rowOf(given, b), { needWeights: true });
      // Products of other numbers of rows may add in another order.
      expectClose(one.hidden, rowOf(all.hidden, b), { atol: 16 * EPS, rtol: 16 * EPS });
      one.weights!.forEach((weights, i) => expectClose(weights, rowOf(all.weights![i]!, b), { atol: 16 * EPS }));
    }
    model.dispose();
  });

  test('puts out heads, and lets hooks see and replace tensors', async () => {
    const model = await openPictures(files);
    const given = pixels(1, 3, 24, 24);
    const plain = model.forward(given);
    const without = model.forward(given, { ablate: [[1, 0]] });
    expect(without.hidden.data).not.toEqual(plain.hidden.data);
    const zero = ({ data, shape }: Tensor): Tensor => {
      const [, , tokens, width] = shape as [number, number, number, number];
      return { data: data.fill(0, 0, tokens * width), shape };
    };
    const hooked = model.forward(given, { hooks: { 'blocks.1.attn.hook_z': zero } });
    expect(hooked).toEqual(without);
    const seen: string[] = [];
    const see = (name: string) => ({ [name]: (value: Tensor) => void seen.push(`${name} ${value.shape.join(' ')}`) });
    model.forward(given, { hooks: { ...see('hook_embed'), ...see('blocks.0.attn.hook_pattern') } });
    const tokens = plain.hidden.shape[1]!;
    expect(seen).toEqual([`hook_embed 1 ${tokens} 24`, `blocks.0.attn.hook_pattern 1 3 ${tokens} ${tokens}`]);
    model.dispose();
  });

  test('without positions, shuffled patches give shuffled results; a list replaces them', async () => {
    const model = await openPictures(files);
    const { first, rows, columns } = model.patches(24, 24);
    const tokens = first + rows * columns;
    const given = pixels(1, 3, 24, 24);
    // Columns of patches from right to left.
    const mirrored = { data: given.data.slice(), shape: given.shape };
    for (let line = 0; line < 3 * 24; ++line) {
      for (let x = 0; x < 24; ++x) {
        const from = 8 * (2 - Math.floor(x / 8)) + (x % 8);
        mirrored.data[line * 24 + x] = given.data[line * 24 + from]!;
      }
    }
    const order = Array.from({ length: tokens }, (_, t) => {
      const patch = t - first;
      return patch < 0 ? t : first + Math.floor(patch / 3) * 3 + 2 - (patch % 3);
    });
    const shuffled = ({ data, shape }: Tensor): Tensor => ({
      data: Float32Array.from(order.flatMap((t) => Array.from(data.slice(t * 24, (t + 1) * 24)))),
      shape,
    });
    const [one, other] = [given, mirrored].map((each) => model.forward(each, { positions: 'none' }));
    const tolerance = { atol: 64 * EPS, rtol: 64 * EPS };
    expectClose(other!.hidden, shuffled(one!.hidden), tolerance);
    expect(model.forward(mirrored).hidden.data).not.toEqual(shuffled(model.forward(given).hidden).data);
    // Each patch with its own position, wherever it is.
    expectClose(
      model.forward(mirrored, { positions: [order] }).hidden,
      shuffled(model.forward(given).hidden),
      tolerance,
    );
    model.dispose();
  });

  test('rounded to float16 it has the bits of rounded matrices, and int8 is near', async () => {
    const tensors = tensorsOf(files) as Record<string, Tensor>;
    const isTable = /position_embed|token|class_embedding|probe|lambda1|logit/;
    const rounded = Object.fromEntries(
      Object.entries(tensors).map(([name, { data, shape }]) => [
        name,
        { data: shape.length < 2 || isTable.test(name) ? data : float16('F16', data), shape },
      ]),
    );
    const model = await openPictures({ ...files, weights: rounded });
    const half = await openPictures({ ...files, weights: rounded }, { weightType: 'float16' });
    const eighth = await openPictures({ ...files, weights: rounded }, { weightType: 'int8' });
    const given = pixels(2, 3, 24, 24);
    const hasFactors = Object.keys(tensors).some((name) => name.includes('lambda1'));
    // Matrices that are multiplied by factors are rounded again.
    const tolerance = hasFactors ? { atol: 2 ** -9, rtol: 2 ** -9 } : { atol: 0 };
    expectClose(half.forward(given).hidden, model.forward(given).hidden, tolerance);
    expect(half.parameterBytes).toBeLessThan(0.7 * model.parameterBytes);
    expect(eighth.parameterBytes).toBeLessThan(half.parameterBytes);
    const found = drift(model, eighth, given);
    expect(found.cosine).toBeGreaterThan(0.97);
    expect(found.cosine).toBeLessThan(1);
    expect([found.flips, found.divergence]).toEqual([NaN, NaN]);
    expect(drift(model, model, given).cosine).toBeCloseTo(1, 6);
    for (const each of [model, half, eighth]) each.dispose();
  });
});

test('pictures of other sizes between others change nothing, and repeat to the bit', async () => {
  for (const name of pictureCheckpoints) {
    const model = await openPictures(pictureCheckpoint(name).files);
    const [small, large] = [pixels(1, 3, 16, 16), pixels(2, 3, 40, 24)];
    const before = [small, large].map((each) => model.forward(each));
    for (const i of [1, 0, 0, 1]) expect(model.forward([small, large][i]!)).toEqual(before[i]);
    model.dispose();
  }
});

test('drift refuses models of texts beside models of pictures', async () => {
  const [vision, text] = [await openPictures(derived.clipVision), await openTexts(pictureCheckpoint('clip').files)];
  const given = pixels(1, 3, 24, 24);
  expect(() => drift(vision, text as unknown as VisionModel, given)).toThrow('drift: expected models with the same');
  vision.dispose();
  text.dispose();
});

test("SigLIP's whole checkpoints have a scale and a bias, and their tower of pictures", async () => {
  const [whole, alone] = [await openPictures(derived.siglip), await openPictures(pictureCheckpoint('siglip').files)];
  expect([whole.logitScale, whole.logitBias, alone.logitScale]).toEqual([2.5, -9, undefined]);
  const given = pixels(1, 3, 24, 24);
  expect(whole.forward(given)).toEqual(alone.forward(given));
  whole.dispose();
  alone.dispose();
});

describe("CLIP's texts", () => {
  const { files } = pictureCheckpoint('clip');
  const { text_config: config } = files.config as { text_config: Record<string, unknown> };
  const withEnd = (eos_token_id: number): PictureFiles => ({
    ...files,
    config: { ...files.config, text_config: { ...config, eos_token_id } },
  });
  const row = (x: Tensor, b: number, t: number): number[] => {
    const [, tokens, width] = x.shape as [number, number, number];
    return Array.from(x.data.slice((b * tokens + t) * width, (b * tokens + t + 1) * width));
  };
  const ids = [
    [58, 7, 12, 59, 3, 59],
    [58, 59, 1, 1, 1, 1],
    [58, 12, 57, 11, 57, 9],
  ];

  test.each<[string, number, number[], ModelForwardOptions]>([
    ['the first end token, or the first token where there is none', 59, [3, 1, 0], {}],
    ['another token', 12, [2, 0, 1], {}],
    ['the first of the largest ids where it is 2', 2, [3, 1, 0], {}],
    [
      'tokens that are no padding',
      59,
      [5, 1, 0],
      { attentionMask: [[1, 1, 1, 0, 1, 1], Array(6).fill(1), Array(6).fill(1)] },
    ],
  ])('pools %s', async (_, end, places, options) => {
    const model = await openTexts(withEnd(end));
    const { hidden, pooled, embeds } = model.forward(ids, options);
    expect(pooled!.shape).toEqual([3, 20]);
    expect(embeds!.shape).toEqual([3, 14]);
    places.forEach((place, b) => {
      expect(Array.from(pooled!.data.slice(20 * b, 20 * b + 20))).toEqual(row(hidden, b, place));
    });
    model.dispose();
  });

  test('rows of unequal length are padded', async () => {
    const model = await openTexts(files);
    const texts = [
      [58, 7, 12, 59],
      [58, 59],
      [58, 3, 4, 5, 6, 59],
    ];
    const all = model.forward(texts);
    for (const [b, text] of texts.entries()) {
      expectClose(model.forward([text]).embeds, rowOf(all.embeds!, b), { atol: 16 * EPS, rtol: 16 * EPS });
    }
    model.dispose();
  });

  test('are those of the tower alone', async () => {
    const [whole, alone] = [await openTexts(files), await openModel({ ...derived.clipText, attention })];
    expect(alone.forward(ids)).toEqual(whole.forward(ids));
    expect([whole.family, alone.family]).toEqual(['clip', 'clip_text_model']);
    whole.dispose();
    alone.dispose();
  });
});

test('an option that takes the memory of the pixels away is too late', async () => {
  const model = await openPictures(pictureCheckpoint('vit').files);
  const given = pixels(1, 3, 24, 24);
  const expected = model.forward(given, { positions: [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]] });
  const row = new Proxy([0, 1, 2, 3, 4, 5, 6, 7, 8, 9], {
    get(list, key) {
      if (given.data.length > 0) structuredClone(given.data, { transfer: [given.data.buffer] });
      return Reflect.get(list, key) as unknown;
    },
  });
  expect(model.forward(given, { positions: [row] })).toEqual(expected);
  expect(given.data.length).toBe(0);
  model.dispose();
});
