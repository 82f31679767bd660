/** Every optional field of models of pictures, and CLIP's texts: transformers' default, another value, and wrong ones. */
import { describe, expect, test } from '@jest/globals';
// What the library makes of a config, because models of the default sizes are large.
import { readConfig } from '../fixtures.js';
import { pictureFamilies } from './fixtures.js';

type Config = Record<string, unknown>;

interface Family {
  readonly defaults: Config;
  /** Other values, each of which changes what is read or is refused. */
  readonly changes: Config;
}

const SIZES = {
  hidden_size: 768,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  hidden_act: 'gelu',
  image_size: 224,
  num_channels: 3,
};
const CHANGES = {
  hidden_size: 120,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  hidden_act: 'relu',
  image_size: 64,
  patch_size: 8,
  num_channels: 1,
  layer_norm_eps: 0.1,
  add_cross_attention: true,
  rope_scaling: { type: 'linear', factor: 2 },
};
const VIT = {
  defaults: {
    ...SIZES,
    intermediate_size: 3072,
    patch_size: 16,
    layer_norm_eps: 1e-12,
    qkv_bias: true,
    pooler_act: 'tanh',
    pooler_output_size: 768,
  },
  changes: { ...CHANGES, intermediate_size: 50, qkv_bias: false, pooler_act: 'gelu', pooler_output_size: 9 },
};
const DINO = {
  defaults: { ...SIZES, patch_size: 14, layer_norm_eps: 1e-6, qkv_bias: true, mlp_ratio: 4, use_swiglu_ffn: false },
  changes: { ...CHANGES, qkv_bias: false, mlp_ratio: 2.5, use_swiglu_ffn: true },
};
const CLIP = {
  defaults: {
    ...SIZES,
    intermediate_size: 3072,
    patch_size: 32,
    layer_norm_eps: 1e-5,
    hidden_act: 'quick_gelu',
    projection_dim: 512,
  },
  changes: { ...CHANGES, intermediate_size: 50, projection_dim: 9 },
};
const TEXT = {
  defaults: {
    hidden_size: 512,
    num_hidden_layers: 12,
    num_attention_heads: 8,
    intermediate_size: 2048,
    hidden_act: 'quick_gelu',
    layer_norm_eps: 1e-5,
    max_position_embeddings: 77,
    vocab_size: 49408,
    pad_token_id: 1,
    eos_token_id: 49407,
    projection_dim: 512,
  },
  changes: {
    hidden_size: 80,
    num_hidden_layers: 3,
    num_attention_heads: 4,
    intermediate_size: 50,
    hidden_act: 'relu',
    layer_norm_eps: 0.1,
    max_position_embeddings: 20,
    vocab_size: 99,
    pad_token_id: 3,
    eos_token_id: 2,
    projection_dim: 9,
    is_causal: false,
    rope_scaling: { type: 'linear', factor: 2 },
  },
};
const { projection_dim: _, ...siglip } = CLIP.defaults;
const { projection_dim: __, ...siglipChanges } = CLIP.changes;

const FAMILIES: Record<string, Family> = {
  vit: VIT,
  deit: VIT,
  dinov2: DINO,
  dinov2_with_registers: {
    defaults: { ...DINO.defaults, patch_size: 16, num_register_tokens: 4 },
    changes: { ...DINO.changes, num_register_tokens: 0 },
  },
  clip_vision_model: CLIP,
  clip_text_model: TEXT,
  siglip_vision_model: {
    defaults: {
      ...siglip,
      patch_size: 16,
      layer_norm_eps: 1e-6,
      hidden_act: 'gelu_pytorch_tanh',
      vision_use_head: true,
    },
    changes: { ...siglipChanges, vision_use_head: false },
  },
};

/** What is read of a config, the first layer's names among it, or why it is refused. */
function read(config: Config, part?: 'vision' | 'text'): string {
  try {
    const a = readConfig(config, undefined, part);
    // Nothing is generated that `eos` would end.
    return JSON.stringify({ ...a, eos: undefined, layer: a.names.layer(0) });
  } catch (error) {
    return (error as Error).message;
  }
}

test('every family is here', () => {
  expect([...Object.keys(FAMILIES), 'clip', 'siglip'].sort()).toEqual(pictureFamilies);
});

describe.each(Object.entries(FAMILIES))('%s', (model_type, { defaults, changes }) => {
  const all = { model_type, ...defaults };

  test('without a field is as with its default', () => {
    expect(read({ model_type })).toBe(read(all));
    for (const field of Object.keys(defaults)) {
      const { [field]: _, ...without } = all as Config;
      expect([field, read(without)]).toEqual([field, read(all)]);
    }
  });

  test('each field changes what is read or is refused', () => {
    const idle = Object.entries(changes).filter(([field, value]) => read({ ...all, [field]: value }) === read(all));
    expect(idle).toEqual([]);
    for (const field of Object.keys(defaults)) expect([field, field in changes]).toEqual([field, true]);
  });

  test('a field of another type is named', () => {
    const unnamed = Object.keys(defaults).flatMap((field) =>
      ['nonsense', {}, [1, 'two'], -1.5, true].flatMap((value) => {
        if (typeof value === typeof defaults[field]) return [];
        const message = read({ ...all, [field]: value });
        return message.startsWith(`openModel: expected config.${field} `) ? [] : [[field, value, message]];
      }),
    );
    expect(unnamed).toEqual([]);
  });
});

describe('a checkpoint of two towers', () => {
  const vision = { model_type: 'clip_vision_model', hidden_size: 48, image_size: 64 };
  const text = { model_type: 'clip_text_model', hidden_size: 40, vocab_size: 99 };
  const clip = { model_type: 'clip', architectures: ['CLIPModel'], vision_config: vision, text_config: text };
  const architecture = (config: Config, part?: 'vision' | 'text') => readConfig(config, undefined, part);
  const sizes = (config: Config, part?: 'vision' | 'text') => {
    const { hiddens, layers, heads, vocab, maxLength, projection } = architecture(config, part);
    return { hiddens, layers, heads, vocab, maxLength, outputs: projection?.outputs };
  };

  test('has defaults for towers that are not there', () => {
    const empty = { model_type: 'clip' };
    expect(sizes(empty, 'vision')).toEqual({
      hiddens: 768,
      layers: 12,
      heads: 12,
      vocab: 0,
      maxLength: 50,
      outputs: 512,
    });
    expect(sizes(empty, 'text')).toEqual({
      hiddens: 512,
      layers: 12,
      heads: 8,
      vocab: 49408,
      maxLength: 77,
      outputs: 512,
    });
    const { pictures, activation, eps } = architecture({ model_type: 'siglip' }, 'vision');
    expect({ ...pictures, activation, eps }).toMatchObject({
      patch: 16,
      height: 224,
      activation: 'gelu-tanh',
      eps: 1e-6,
    });
  });

  test('reads the part, and the projection at the top', () => {
    const wide = { ...clip, projection_dim: 33, vision_config: { ...vision, projection_dim: 44 } };
    expect(sizes(wide, 'vision')).toMatchObject({ hiddens: 48, maxLength: 5, outputs: 33 });
    expect(sizes(wide, 'text')).toMatchObject({ hiddens: 40, vocab: 99, outputs: 33 });
  });

  test('reads the dict of old files, whose missing fields have defaults', () => {
    const old = { ...clip, vision_config_dict: { hidden_size: 96 }, text_config_dict: { vocab_size: 77 } };
    expect(sizes(old, 'vision')).toMatchObject({ hiddens: 96, maxLength: 50 });
    expect(sizes(old, 'text')).toMatchObject({ hiddens: 512, vocab: 77 });
    expect(sizes({ ...old, vision_config_dict: null }, 'vision')).toMatchObject({ hiddens: 48 });
  });

  test('has one tower if it classifies pictures', () => {
    const labels = { id2label: { 0: 'a', 1: 'b' } };
    const config = { ...clip, ...labels, architectures: ['CLIPForImageClassification'] };
    for (const part of [undefined, 'vision'] as const) {
      expect(architecture(config, part)).toMatchObject({ hiddens: 48, labels: ['a', 'b'], family: 'clip' });
    }
    expect(architecture(config).names.logitScale).toBeUndefined();
  });
});
