/** Settings and sizes that no checkpoint in tests/fixtures/models has, against float64 passes. */
import { describe, expect, test } from '@jest/globals';
import type { Tensor } from 'wasm-attention';
import { openModel, type VisionModel } from 'wasm-attention/models';
import { seen } from '../../reference/pictures.js';
import { EPS, expectClose } from '../../support/close.js';
import { fitted } from '../../support/fitted.js';
import { attention } from '../../support/library.js';
import { Random } from '../../support/random.js';

type Config = Record<string, unknown>;

const sizes = { hidden_size: 24, num_hidden_layers: 2, num_attention_heads: 3, patch_size: 8, image_size: 32 };
const vit = { ...sizes, intermediate_size: 40 };
const own: Size = [32, 32];
/** Fewer patches, more, another shape of as many, and pixels that are left. */
const others: Size[] = [own, [16, 24], [48, 56], [16, 64], [39, 33], [8, 8]];

type Size = readonly [height: number, width: number];
interface Variant {
  readonly className: string;
  readonly config: Config;
  readonly sizes?: readonly Size[];
}

const FAMILIES: Record<string, Record<string, Variant>> = {
  vit: {
    'with a pooler': { className: 'ViTModel', config: vit, sizes: others },
    'with a narrow pooler': { className: 'ViTModel', config: { ...vit, pooler_output_size: 10, pooler_act: 'relu' } },
    'with a pooler that has another activation': { className: 'ViTModel', config: { ...vit, pooler_act: 'gelu' } },
    'without biases of queries, keys and values': {
      className: 'ViTForImageClassification',
      config: { ...vit, qkv_bias: false, hidden_act: 'quick_gelu', layer_norm_eps: 1e-3 },
      sizes: others,
    },
    'grey pictures': { className: 'ViTForImageClassification', config: { ...vit, num_channels: 1 } },
    'an oblong table': { className: 'ViTModel', config: { ...vit, image_size: [16, 40] }, sizes: [[16, 40]] },
    'an oblong table of as many patches as a square': {
      className: 'ViTModel',
      config: { ...vit, image_size: [16, 64] },
      sizes: [
        [16, 64],
        [64, 16],
        [32, 32],
        [24, 8],
      ],
    },
  },
  deit: {
    'with a pooler': { className: 'DeiTModel', config: vit, sizes: others },
    'a classifier of one token': { className: 'DeiTForImageClassification', config: vit },
    'a classifier of two': { className: 'DeiTForImageClassificationWithTeacher', config: vit, sizes: others },
  },
  dinov2: {
    bare: { className: 'Dinov2Model', config: sizes, sizes: others },
    'a gated feed-forward': {
      className: 'Dinov2ForImageClassification',
      config: { ...sizes, use_swiglu_ffn: true, mlp_ratio: 3.1, hidden_act: 'relu' },
      sizes: others,
    },
    'another activation': { className: 'Dinov2Model', config: { ...sizes, hidden_act: 'relu', mlp_ratio: 1.3 } },
    'an oblong size in the config, which is resized as a square': {
      className: 'Dinov2Model',
      config: { ...sizes, image_size: [16, 64], qkv_bias: false },
      sizes: [
        [16, 64],
        [32, 32],
      ],
    },
  },
  dinov2_with_registers: {
    'with a head': {
      className: 'Dinov2WithRegistersForImageClassification',
      config: { ...sizes, num_register_tokens: 3 },
      sizes: others,
    },
    'a gated feed-forward, four registers': {
      className: 'Dinov2WithRegistersModel',
      config: { ...sizes, use_swiglu_ffn: true },
      sizes: [own, [64, 24]],
    },
    'no registers': { className: 'Dinov2WithRegistersModel', config: { ...sizes, num_register_tokens: 0 } },
  },
  clip_vision_model: {
    'with a projection': { className: 'CLIPVisionModelWithProjection', config: vit, sizes: others },
    'without one': { className: 'CLIPVisionModel', config: { ...vit, hidden_act: 'gelu' } },
  },
  siglip_vision_model: {
    'with a pooler': { className: 'SiglipVisionModel', config: vit, sizes: others },
    'without one': { className: 'SiglipVisionModel', config: { ...vit, vision_use_head: false } },
  },
  clip: { 'a classifier': { className: 'CLIPForImageClassification', config: vit, sizes: others } },
  siglip: { 'a classifier': { className: 'SiglipForImageClassification', config: vit, sizes: [own, [24, 40]] } },
};

describe.each(Object.entries(FAMILIES))('%s', (model_type, variants) => {
  test.each(Object.entries(variants))('%s', async (_, { className, config: tower, sizes = [own] }) => {
    const isWhole = model_type === 'clip' || model_type === 'siglip';
    const labels = className.includes('Classification') && { id2label: { 0: 'a', 1: 'b', 2: 'c' } };
    const own = { architectures: [className], model_type, ...labels };
    const config = isWhole ? { ...own, vision_config: tower } : { ...own, ...tower };
    const open = async (weights: Record<string, Tensor>): Promise<VisionModel> =>
      openModel<VisionModel>({ config, weights, attention });
    const random = new Random(11);
    // With the prefix of a model with a head, and with that.
    const prefix = className.endsWith('Model') && !/CLIP|Siglip/.test(className) ? '' : `${model_type}.`;
    const given = {
      ...(!isWhole &&
        !model_type.includes('_vision_model') && { [`${prefix}embeddings.cls_token`]: random.tensor([1]) }),
      ...((isWhole || model_type.includes('_vision_model')) && {
        'vision_model.post_layernorm.weight': random.tensor([1]),
      }),
      ...(className === 'ViTModel' || className === 'DeiTModel' ? { 'pooler.dense.weight': random.tensor([1]) } : {}),
      ...(labels && {
        [className.endsWith('WithTeacher') ? 'cls_classifier.weight' : 'classifier.weight']: random.tensor([1]),
      }),
    };
    const weights = await fitted(
      async (weights) => (await open(weights)).dispose(),
      given,
      (name, shape): Tensor => {
        const inputs = shape.slice(1).reduce((a, b) => a * b, 1);
        const scale = shape.length === 2 || shape.length === 4 ? inputs ** -0.5 : 0.5;
        return { data: random.tensor(shape, name.includes('position') ? 1 : scale).data, shape };
      },
    );
    const model = await open(weights);
    const channels = (tower.num_channels as number | undefined) ?? 3;
    for (const [height, width] of sizes) {
      const pixels = random.tensor([2, channels, height, width]);
      const result = model.forward(pixels, { needHiddenStates: true, needWeights: true });
      const { first, rows, columns } = model.patches(height, width);
      expect(result.hidden.shape).toEqual([2, first + rows * columns, 24]);
      for (const b of [0, 1]) {
        const size = channels * height * width;
        const picture = { data: pixels.data.subarray(b * size, (b + 1) * size), shape: [channels, height, width] };
        const image = [tower.image_size].flat() as number[];
        const isOwn = height === image[0] && width === image.at(-1);
        const expected = seen({ model_type, ...tower }, weights, picture, className, !isOwn);
        expect([...expected.used].sort()).toEqual(Object.keys(weights).sort());
        const only = (x: Tensor | undefined): Tensor | undefined => {
          const length = x && x.data.length / 2;
          return x && { data: x.data.subarray(b * length!, (b + 1) * length!), shape: [1, ...x.shape.slice(1)] };
        };
        // Sums of up to 192 roundings of numbers up to 4, in two layers.
        const tolerance = { atol: 128 * EPS, rtol: 128 * EPS };
        const like = (actual: Tensor | undefined, { data, shape }: { data: Float64Array; shape: readonly number[] }) =>
          expectClose(only(actual), { data, shape: [1, ...shape] }, tolerance);
        expected.hiddenStates.forEach((states, i) => like(result.hiddenStates![i], states));
        expected.weights.forEach((each, i) => like(result.weights![i], each));
        like(result.hidden, expected.hidden);
        for (const key of ['pooled', 'embeds', 'logits'] as const) {
          if (expected[key]) expectClose(only(result[key]), expected[key], tolerance);
          else expect([key, result[key]]).toEqual([key, undefined]);
        }
      }
    }
    model.dispose();
  });
});
