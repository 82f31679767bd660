/** What is refused, and how it is named. */
import { describe, expect, test } from '@jest/globals';
import { openModel } from 'wasm-attention/models';
import { allocator, attention } from '../../fuzz/watched.js';
import { outcome } from '../../support/outcome.js';
import { checkpoint } from '../fixtures.js';
import { derived, openPictures, openTexts, pictureCheckpoint, tensorsOf, type PictureFiles } from './fixtures.js';

const { files: vit } = pictureCheckpoint('vit');
const { files: clip } = pictureCheckpoint('clip');
const { files: dinov2 } = pictureCheckpoint('dinov2');
const { clipVision, siglip } = derived;
const gpt2 = checkpoint('gpt2');
const pixels = (...shape: number[]) => ({ data: new Float32Array(shape.reduce((a, b) => a * b)), shape });

describe('openModel refuses', () => {
  const without = ({ config, weights }: PictureFiles) => ({ config, weights });
  const classifier = { ...siglip.config, architectures: ['SiglipForImageClassification'] };
  test.each<[string, object, string, string]>([
    ['two towers without a part', without(clip), 'TypeError', "expected part 'vision' or 'text' of clip, got none"],
    ['another part', { ...clip, part: 'audio' }, 'RangeError', "expected part to be 'vision' or 'text', got 'audio'"],
    ['a part that is a number', { ...clip, part: 1 }, 'TypeError', "expected part to be 'vision' or 'text', got 1"],
    ['a part of one tower', { ...vit, part: 'vision' }, 'TypeError', "expected no part of vit, got 'vision'"],
    [
      'a part of a text',
      { config: gpt2.config, weights: gpt2.bytes, part: 'text' },
      'TypeError',
      "expected no part of gpt2, got 'text'",
    ],
    [
      "SigLIP's tower of texts",
      { ...siglip, part: 'text' },
      'RangeError',
      "expected part to be 'vision' for SiglipModel, got 'text'",
    ],
    [
      'the text of a classifier',
      { ...siglip, config: classifier, part: 'text' },
      'RangeError',
      "expected part to be 'vision' for SiglipForImageClassification, got 'text'",
    ],
    ['a sentence', { ...vit, sentence: { normalize: true } }, 'TypeError', 'expected no sentence for vit, got one'],
    [
      'patches of unequal sides',
      { ...vit, config: { ...vit.config, patch_size: [8, 4] } },
      'RangeError',
      "expected config.patch_size of equal sides, got '8×4'",
    ],
    [
      'a list of three sides',
      { ...vit, config: { ...vit.config, image_size: [8, 8, 8] } },
      'RangeError',
      'expected config.image_size to be a size, or height and width, got Array',
    ],
    [
      'no size',
      { ...vit, config: { ...vit.config, image_size: 0 } },
      'RangeError',
      'expected config.image_size to be a size, or height and width, got 0',
    ],
    [
      'null for a size',
      { ...vit, config: { ...vit.config, image_size: null } },
      'RangeError',
      'expected config.image_size to be a size, or height and width, got null',
    ],
    [
      'pictures smaller than a patch',
      { ...vit, config: { ...vit.config, image_size: [24, 7] } },
      'RangeError',
      'expected config.image_size of at least a patch (8), got 7',
    ],
    [
      'a tower that is no object',
      { ...clip, config: { ...clip.config, vision_config: 5 } },
      'RangeError',
      'expected config.vision_config to be an object, got 5',
    ],
    [
      "a tower's field",
      { ...clip, config: { ...clip.config, vision_config: { patch_size: [2, 1] } } },
      'RangeError',
      "expected config.vision_config.patch_size of equal sides, got '2×1'",
    ],
    [
      'a field that changes results',
      { ...clip, part: 'text', config: { ...clip.config, text_config: { rope_scaling: { type: 'linear' } } } },
      'RangeError',
      'expected config.text_config.rope_scaling to be null, got Object',
    ],
    [
      'another table of positions',
      { ...vit, config: { ...vit.config, image_size: 32 } },
      'RangeError',
      "expected 'vit.embeddings.position_embeddings' of shape (1, 17, 24), got (1, 10, 24)",
    ],
    [
      'another number of channels',
      { ...vit, config: { ...vit.config, num_channels: 1 } },
      'RangeError',
      "expected 'vit.embeddings.patch_embeddings.projection.weight' of shape (24, 1, 8, 8), got (24, 3, 8, 8)",
    ],
    [
      'another width of a projection',
      { ...clipVision, config: { ...clipVision.config, projection_dim: 15 } },
      'RangeError',
      "expected 'visual_projection.weight' of shape (15, 24), got (14, 24)",
    ],
  ])('%s', async (_, options, kind, message) => {
    const before = allocator.liveBytes;
    const error = await openModel({ attention, ...options } as never).catch((each: unknown) => each as Error);
    expect([(error as Error).constructor.name, (error as Error).message]).toEqual([kind, `openModel: ${message}`]);
    expect(allocator.liveBytes).toBe(before);
  });
});

describe('forward refuses', () => {
  test.each<[string, unknown, object | undefined, string, string]>([
    ['a picture alone', pixels(3, 24, 24), {}, 'RangeError', 'pixels of shape (B, 3, H, W), got (3, 24, 24)'],
    ['grey pictures', pixels(1, 1, 24, 24), {}, 'RangeError', 'pixels of shape (B, 3, H, W), got (1, 1, 24, 24)'],
    ['no pictures', pixels(0, 3, 24, 24), {}, 'RangeError', 'pixels of at least one picture, got (0, 3, 24, 24)'],
    ['one pixel', pixels(1, 3, 1, 1), {}, 'RangeError', 'a picture of at least 8×8 pixels, got 1×1'],
    ['a low picture', pixels(1, 3, 7, 99), {}, 'RangeError', 'a picture of at least 8×8 pixels, got 7×99'],
    ['no height', pixels(1, 3, 0, 24), {}, 'RangeError', 'a picture of at least 8×8 pixels, got 0×24'],
    ['texts', [1, 2, 3], {}, 'RangeError', 'pixels of shape (B, 3, H, W), got (3,)'],
    ['nothing', undefined, {}, 'TypeError', 'pixels to be'],
    ['a mask', pixels(1, 3, 24, 24), { attentionMask: [1] }, 'TypeError', "got 'attentionMask'"],
    ['a cache', pixels(1, 3, 24, 24), { cache: {} }, 'TypeError', "got 'cache'"],
    ['lastOnly', pixels(1, 3, 24, 24), { lastOnly: true }, 'TypeError', "got 'lastOnly'"],
    ['positions', pixels(1, 3, 24, 24), { positions: [Array(10).fill(10)] }, 'RangeError', 'positions'],
    ['positions of others', pixels(1, 3, 24, 24), { positions: [[1]] }, 'RangeError', 'positions of shape (1, 10)'],
    ['a head', pixels(1, 3, 24, 24), { ablate: [[0, 3]] }, 'RangeError', "ablate's head"],
    ['a hook', pixels(1, 3, 24, 24), { hooks: { 'blocks.9.attn.hook_z': () => undefined } }, 'TypeError', 'hooks'],
  ])('%s', async (_, given, options, kind, message) => {
    const model = await openPictures(vit);
    const { thrown } = (await outcome(() => model.forward(given as never, options))) as { thrown?: string };
    model.dispose();
    expect(thrown?.split(':')[0]).toBe(kind);
    expect(thrown).toContain(message);
  });

  test('another size than the config’s if the table is no square', async () => {
    const shape = (table: object) => table as { data: Float32Array; shape: number[] };
    const tensors = tensorsOf(vit);
    const name = 'vit.embeddings.position_embeddings';
    const { data } = shape(tensors[name]!);
    const weights = { ...tensors, [name]: { data: data.subarray(0, 24 * 7), shape: [1, 7, 24] } };
    const model = await openPictures({ config: { ...vit.config, image_size: [16, 24] }, weights });
    expect(model.forward(pixels(1, 3, 16, 24)).hidden.shape).toEqual([1, 7, 24]);
    const expected = "a picture of 16×24 pixels, since vit's table of 6 positions is no square, got";
    expect(() => model.forward(pixels(1, 3, 24, 16))).toThrow(`forward: expected ${expected} 24×16`);
    expect(() => model.patches(24, 24)).toThrow(`patches: expected ${expected} 24×24`);
    model.dispose();
  });
});

test('patches tells where tokens are, of sizes that forward takes', async () => {
  for (const [files, first] of [
    [vit, 1],
    [pictureCheckpoint('deit').files, 2],
    [dinov2, 1],
    [pictureCheckpoint('dinov2-registers').files, 3],
    [clip, 1],
    [siglip, 0],
  ] as const) {
    const model = await openPictures(files);
    expect(model.patches(31, 40)).toEqual({ first, rows: 3, columns: 5, size: 8 });
    expect(model.forward(pixels(2, 3, 31, 40)).hidden.shape).toEqual([2, first + 15, 24]);
    model.dispose();
  }
  const model = await openPictures(vit);
  expect(() => model.patches(7, 8)).toThrow('patches: expected a picture of at least 8×8 pixels, got 7×8');
  expect(() => model.patches(8.5, 8)).toThrow(
    'patches: expected height to be a whole number, within [1, 2147483647], got 8.5',
  );
  expect(() => model.patches(8, '8' as never)).toThrow("patches: expected width to be a number, got '8'");
  model.dispose();
  expect(() => model.forward(pixels(1, 3, 24, 24))).toThrow('forward: expected a model in use, got a disposed one');
});

test('models of pictures have none of what is for texts, and texts generate nothing', async () => {
  const model = await openPictures(clip);
  for (const name of ['embed', 'generate', 'createCache']) expect(name in model).toBe(false);
  expect(model).toMatchObject({
    family: 'clip',
    vocabSize: 0,
    maxLength: 10,
    isCausal: false,
    positionKind: 'learned',
  });
  model.dispose();
  const texts = await openTexts(clip);
  expect(texts).toMatchObject({ family: 'clip', vocabSize: 60, maxLength: 16, isCausal: true });
  await expect(texts.generate([1]).next()).rejects.toThrow('generate: expected a decoder, got clip');
  texts.dispose();
});
