/** Fields in every form that transformers writes them. Two forms that mean the same give the same model. */
import { describe, expect, test } from '@jest/globals';
import { readSafetensors, writeSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type Model } from 'wasm-attention/models';
import { attention } from '../support/library.js';
import { entry, file } from '../support/safetensors.js';
import { Random } from '../support/random.js';
import { checkpoint } from './fixtures.js';

const rope = (rope_theta: number, more: object = {}): object => ({ rope_type: 'default', rope_theta, ...more });
const yarn = { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 16 };
const nested = (full: object, sliding: object): object => ({ full_attention: full, sliding_attention: sliding });

/** A file's header and the bytes after it. */
function parsed(bytes: Uint8Array): { header: object; data: Uint8Array } {
  const start = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start))) as object;
  return { header, data: bytes.subarray(start) };
}

async function opened(name: string, changes: object): Promise<Model> {
  const { config, bytes } = checkpoint(name);
  const plain = { ...config, rope_scaling: undefined, rope_theta: undefined, rope_parameters: undefined };
  return openModel({ config: { ...plain, ...changes }, weights: bytes, attention });
}

async function logitsOf(name: string, changes: object): Promise<{ data: unknown; maxLength: number }> {
  const model = await opened(name, changes);
  const ids = Array.from({ length: 12 }, (_, i) => (i * 5) % model.vocabSize);
  const { data } = model.forward(ids).logits!;
  const { maxLength } = model;
  model.dispose();
  return { data, maxLength };
}

describe('rotary positions', () => {
  const name = 'llama-grouped';
  test.each<[string, object, object]>([
    ['nested by type of layer', { rope_parameters: nested(rope(500), rope(500)) }, { rope_theta: 500 }],
    [
      'nested, where the layers use one of them',
      { rope_parameters: nested(rope(500), rope(7)), layer_types: ['full_attention', 'full_attention'] },
      { rope_theta: 500 },
    ],
    [
      'nested in another order of fields',
      { rope_parameters: nested({ rope_theta: 500, rope_type: 'default' }, rope(500)) },
      { rope_theta: 500 },
    ],
    ['an empty object', { rope_parameters: {}, rope_scaling: {}, rope_theta: 500 }, { rope_theta: 500 }],
    ['null everywhere', { rope_parameters: null, rope_scaling: null }, {}],
    [
      'a rope_type of null beside type',
      { rope_scaling: { ...yarn, rope_type: null, type: 'yarn' } },
      { rope_scaling: yarn },
    ],
    ['two types, of which rope_type wins', { rope_scaling: { ...yarn, type: 'linear' } }, { rope_scaling: yarn }],
    ['scaling beside parameters', { rope_parameters: rope(10000), rope_scaling: yarn }, { rope_scaling: yarn }],
    [
      'scaling with its base beside parameters',
      { rope_parameters: rope(500), rope_scaling: { ...yarn, rope_theta: 500 } },
      { rope_scaling: yarn, rope_theta: 500 },
    ],
    ['no base in the parameters', { rope_parameters: { rope_type: 'default' }, rope_theta: 500 }, { rope_theta: 500 }],
    ['a null base in the parameters', { rope_parameters: { rope_theta: null }, rope_theta: 500 }, { rope_theta: 500 }],
    [
      'null for what is computed',
      { rope_scaling: { ...yarn, attention_factor: null, beta_fast: null } },
      { rope_scaling: yarn },
    ],
  ])('%s', async (_, form, plain) => {
    expect(await logitsOf(name, form)).toEqual(await logitsOf(name, plain));
  });

  test.each<[string, object, RegExp]>([
    ['a list', { rope_parameters: [rope(500)] }, /config\.rope_parameters to be an object/],
    ['a list of scalings', { rope_scaling: [yarn] }, /config\.rope_scaling to be an object/],
    ['a text', { rope_scaling: 'yarn' }, /config\.rope_scaling to be an object/],
    [
      'bases by type of layer',
      { rope_parameters: nested(rope(500), rope(7)) },
      /config\.rope_parameters to be the same/,
    ],
    [
      'a missing type of layer',
      { rope_parameters: { full_attention: rope(500), factor: 4 } },
      /config\.rope_parameters\.factor/,
    ],
    ['no type beside a factor', { rope_scaling: { factor: 4 } }, /config\.rope_scaling\.rope_type beside factor/],
    [
      'a base that transformers would drop',
      { rope_parameters: rope(500), rope_scaling: yarn },
      /config\.rope_parameters\.rope_theta to be 10000, got 500$/,
    ],
    ['a base of null', { rope_theta: null }, /config\.rope_theta to be a number above 0, got null$/],
    ['factors that turn too far', { rope_scaling: { type: 'linear', factor: 1e-9 } }, /angles below 2\^30/],
    [
      'long factors that turn too far',
      {
        rope_scaling: {
          rope_type: 'longrope',
          factor: 2,
          original_max_position_embeddings: 16,
          short_factor: [1, 1, 1, 1],
          long_factor: [1, 1e-12, 1, 1],
        },
      },
      /angles below 2\^30/,
    ],
    ['an amplitude beyond float32', { rope_scaling: { ...yarn, attention_factor: 3e38 } }, /attentionFactor/],
  ])('refused: %s', async (_, form, message) => {
    await expect(opened(name, form)).rejects.toThrow(message);
    await expect(opened(name, form)).rejects.toThrow(RangeError);
  });

  test.each<[string, object, number]>([
    ['linear, trained on it', { type: 'linear', factor: 4 }, 256],
    ['linear, already longer', { type: 'linear', factor: 4, original_max_position_embeddings: 16 }, 64],
    ['dynamic, already longer', { type: 'dynamic', factor: 4, original_max_position_embeddings: 16 }, 64],
    ['yarn, already longer', yarn, 64],
    ['yarn, trained on it', { ...yarn, original_max_position_embeddings: 64 }, 256],
  ])('a length that is already scaled is not scaled again: %s', async (_, rope_scaling, maxLength) => {
    expect((await logitsOf(name, { rope_scaling, max_position_embeddings: 64 })).maxLength).toBe(maxLength);
  });

  test('gpt-neox: fields of its own, and of transformers 5', async () => {
    const own = { rotary_pct: 0.5, rotary_emb_base: 500 };
    const nothing = { rotary_pct: undefined, rotary_emb_base: undefined };
    const inside = { ...nothing, rope_parameters: rope(500, { partial_rotary_factor: 0.5 }) };
    expect(await logitsOf('gpt-neox', inside)).toEqual(await logitsOf('gpt-neox', own));
    await expect(opened('gpt-neox', { ...own, rope_theta: 7 })).rejects.toThrow(/config\.rope_theta to be 500, got 7$/);
    await expect(opened('gpt-neox', { ...own, partial_rotary_factor: 0.25 })).rejects.toThrow(
      /config\.partial_rotary_factor to be 0\.5, got 0\.25$/,
    );
  });
});

describe('null', () => {
  test.each<[string, string, object, object]>([
    ['as many heads of keys', 'mistral-window', { num_key_value_heads: null }, { num_key_value_heads: 4 }],
    ['no window', 'mistral-window', { sliding_window: null }, { sliding_window: 2 ** 20 }],
    ['no bias', 'llama-grouped', { attention_bias: null, mlp_bias: null }, {}],
    ['no factors', 'llama-grouped', { logits_scaling: 1, residual_multiplier: null, num_local_experts: 0 }, {}],
    ['no cap of logits', 'gemma2', { final_logit_softcapping: null }, { final_logit_softcapping: 2 ** 30 }],
    ['a window of no use', 'phi3', { sliding_window: null }, { sliding_window: 2 ** 20 }],
    ['kinds that are written out', 'gpt-neo', { attention_types: undefined }, { attention_layers: undefined }],
    ['a head as wide as its share', 'llama-grouped', { head_dim: null }, { head_dim: undefined }],
    ['four times the width', 'gpt2', { n_inner: null }, { n_inner: undefined }],
  ])('means %s', async (_, name, form, plain) => {
    // A grouped checkpoint has too few rows for as many heads of keys, so both are refused alike.
    const result = async (changes: object): Promise<unknown> => logitsOf(name, changes).catch(String);
    expect(await result(form)).toEqual(await result(plain));
  });

  test('is not tied, as false', async () => {
    const { config, bytes } = checkpoint('llama3-scaled-tied');
    const model = await openModel({ config: { ...config, tie_word_embeddings: null }, weights: bytes, attention });
    expect(model.forward([1]).logits).toBeUndefined();
    await expect(model.generate([1]).next()).rejects.toThrow(/lm_head.*tie_word_embeddings/);
    model.dispose();
  });

  test.each([
    ['bert-padded', 'hidden_size'],
    ['bert-padded', 'hidden_act'],
    ['bert-padded', 'layer_norm_eps'],
    ['gpt2', 'scale_attn_weights'],
    ['albert-shared', 'embedding_size'],
    ['roberta', 'pad_token_id'],
    ['gpt-neox', 'rotary_pct'],
    ['gpt-neox', 'rotary_emb_base'],
  ])('has no meaning in %s: %s', async (name, field) => {
    await expect(opened(name, { [field]: null })).rejects.toThrow(`config.${field} to be`);
  });
});

describe('other names', () => {
  test.each<[string, Record<string, string>]>([
    [
      'gpt2',
      {
        n_embd: 'hidden_size',
        n_layer: 'num_hidden_layers',
        n_head: 'num_attention_heads',
        n_positions: 'max_position_embeddings',
      },
    ],
    ['distilbert', { dim: 'hidden_size', n_layers: 'num_hidden_layers', n_heads: 'num_attention_heads' }],
  ])('of %s, which win beside its own', async (name, names) => {
    const { config, bytes, expected } = checkpoint(name);
    const renamed = Object.fromEntries(Object.entries(config).map(([field, value]) => [names[field] ?? field, value]));
    const wrong = Object.fromEntries(Object.keys(names).map((field) => [field, 3]));
    const passes = [];
    for (const form of [config, renamed, { ...wrong, ...renamed }]) {
      const model = await openModel({ config: form, weights: bytes, attention });
      passes.push(model.forward(expected.ids).hidden);
      model.dispose();
    }
    expect(passes[1]).toEqual(passes[0]);
    expect(passes[2]).toEqual(passes[0]);
  });
});

describe.each([
  ['opt', 'model.decoder.', 'decoder.'],
  ['opt', 'model.decoder.', ''],
  ['bloom', 'transformer.', ''],
  ['gemma3', 'model.', ''],
])('names of %s with %s', (name, prefix, other) => {
  test(`or ${other || 'nothing'} before them`, async () => {
    const { config, bytes, expected } = checkpoint(name);
    const renamed = Object.fromEntries(
      Object.entries(readSafetensors(bytes)).map(([given, tensor]) => [given.replace(prefix, other), tensor]),
    );
    const results = [];
    for (const weights of [bytes, renamed]) {
      const model = await openModel({ config, weights, attention });
      results.push(model.forward(expected.ids).logits);
      expect(model.unused).toEqual([]);
      model.dispose();
    }
    expect(results[1]).toEqual(results[0]);
  });
});

test("GPT-Neo's masks in a file, as bytes or booleans, are not used", async () => {
  const { config, bytes, expected } = checkpoint('gpt-neo');
  const { data } = parsed(bytes);
  const masks = Array.from({ length: 4 }, (_, i) => `transformer.h.${i}.attn.attention.bias`);
  const size = data.length;
  const extra = Object.fromEntries(
    masks.map((mask, i) => [mask, entry(i % 2 === 0 ? 'BOOL' : 'U8', [1, 1, 2, 2], size + 4 * i, size + 4 * (i + 1))]),
  );
  const more = file({ ...parsed(bytes).header, ...extra }, [...data, ...Array<number>(16).fill(1)]);
  const [plain, model] = await Promise.all([bytes, more].map((weights) => openModel({ config, weights, attention })));
  expect(model!.forward(expected.ids).logits).toEqual(plain!.forward(expected.ids).logits);
  expect(model!.unused).toEqual(masks);
  for (const each of [plain!, model!]) each.dispose();
});

describe('names of the first code', () => {
  test('and fields, of nomic_bert, or those of transformers', async () => {
    const { config, bytes, expected } = checkpoint('nomic-bert');
    const sizes = { hidden_size: 16, num_attention_heads: 2, num_hidden_layers: 2, max_position_embeddings: 64 };
    const { vocab_size, model_type } = config;
    const own = { model_type, vocab_size, ...sizes, intermediate_size: 256, rope_parameters: rope(1000) };
    const weights: Record<string, Tensor> = {};
    for (const [name, tensor] of Object.entries(readSafetensors(bytes))) {
      const renamed = name
        .replace('emb_ln', 'embeddings.LayerNorm')
        .replace('encoder.layers', 'layers')
        .replace('attn.out_proj', 'self_attn.o_proj')
        .replace('norm1', 'post_attention_layernorm')
        .replace('norm2', 'post_mlp_layernorm')
        .replace('fc11', 'up_proj')
        .replace('fc12', 'gate_proj')
        .replace('fc2', 'down_proj');
      if (!name.includes('Wqkv')) weights[`nomic_bert.${renamed}`] = tensor;
      else {
        for (const [i, map] of ['q', 'k', 'v'].entries()) {
          const size = tensor.data.length / 3;
          const data = tensor.data.slice(i * size, (i + 1) * size);
          weights[`nomic_bert.${renamed.replace('attn.Wqkv', `self_attn.${map}_proj`)}`] = { data, shape: [16, 16] };
        }
      }
    }
    const first = await openModel({ config, weights: bytes, attention });
    const { hidden } = first.forward(expected.ids);
    for (const form of [
      { config: own, weights },
      { config: own, weights: bytes },
      { config: { ...config, ...own }, weights },
    ]) {
      const model = await openModel({ ...form, attention });
      expect(model.forward(expected.ids).hidden).toEqual(hidden);
      expect(model.unused).toEqual([]);
      model.dispose();
    }
    first.dispose();
  });

  test('in the head of deberta-v2', async () => {
    const { config, bytes, expected } = checkpoint('deberta-v3-entailment');
    const vector = (length: number, by: number): Tensor => ({
      data: Float32Array.from({ length }, (_, i) => Math.sin(by * i + 1)),
      shape: [length],
    });
    const parts = {
      'dense.weight': { ...vector(324, 1.3), shape: [18, 18] },
      'dense.bias': vector(18, 2),
      'LayerNorm.weight': vector(18, 3),
      'LayerNorm.bias': vector(18, 4),
    };
    const headAt = (module: string, by = 1): Record<string, Tensor> =>
      Object.fromEntries(
        Object.entries(parts).map(([name, { data, shape }]) => [
          `${module}.${name}`,
          { data: data.map((x) => by * x), shape },
        ]),
      );
    const [old, own] = ['cls.predictions.transform', 'lm_predictions.lm_head'];
    const bias = vector(61, 5);
    const logitsWith = async (head: Record<string, Tensor>, changes: object = {}): Promise<unknown> => {
      const { 'classifier.weight': _, ...weights } = readSafetensors(bytes);
      const model = await openModel({
        config: { ...config, architectures: ['DebertaV2ForMaskedLM'], ...changes },
        weights: { ...weights, ...head },
        attention,
      });
      const { logits } = model.forward(expected.ids);
      model.dispose();
      return logits;
    };
    const [oldHead, ownHead] = [
      { ...headAt(old), 'cls.predictions.bias': bias },
      { ...headAt(own), 'lm_predictions.lm_head.bias': bias },
    ];
    const logits = await logitsWith(oldHead);
    expect(logits).toBeDefined();
    for (const legacy of [true, false]) {
      expect(await logitsWith(oldHead, { legacy })).toEqual(logits);
      expect(await logitsWith(ownHead, { legacy })).toEqual(logits);
    }
    // Of both, the config chooses.
    expect(await logitsWith({ ...oldHead, ...headAt(own, 2), 'lm_predictions.lm_head.bias': bias })).toEqual(logits);
    expect(
      await logitsWith({ ...headAt(old, 2), 'cls.predictions.bias': bias, ...ownHead }, { legacy: false }),
    ).toEqual(logits);
  });
});

test('layers with a window that the config does not have are refused, as transformers fails', async () => {
  const layer_types = ['full_attention', 'sliding_attention'];
  await expect(opened('qwen2', { layer_types })).rejects.toThrow(/config\.layer_types without sliding_attention/);
  const model = await opened('qwen2', { layer_types, use_sliding_window: true, sliding_window: 3 });
  model.dispose();
});

describe.each(['xglm', 'opt', 'gpt-neo', 'bloom', 'gpt2', 'gpt-neox', 'bert-padded', 'llama-grouped'])('%s', (name) => {
  test.each([
    ['another number', ['full_attention']],
    ['an unknown kind', 'linear_attention'],
    ['a window that there is not', 'sliding_attention'],
  ])('refuses types of layers: %s', async (_, types) => {
    const layers = checkpoint(name).architecture.layers;
    const layer_types = Array.isArray(types) ? types : Array.from({ length: layers }, () => types);
    await expect(opened(name, { layer_types })).rejects.toThrow(/config\.layer_types (of|without) /);
  });
});

const longrope = { type: 'longrope', short_factor: [1, 1, 1, 1], long_factor: [2, 2, 2, 2] };

test.each<[string, string, object, RegExp]>([
  [
    'two shares of a head that turn',
    'gpt-neox',
    { rotary_pct: 0.25, rope_parameters: rope(10000, { partial_rotary_factor: 0.5 }) },
    /config\.rotary_pct to be 0\.5, got 0\.25$/,
  ],
  [
    'a decoder without a causal mask',
    'llama-grouped',
    { is_causal: false },
    /config\.is_causal to be true, got false$/,
  ],
  [
    'types of layers, which transformers does not read',
    'phi3',
    { sliding_window: 4, layer_types: ['full_attention', 'full_attention'] },
    /config\.layer_types of sliding_attention alone/,
  ],
  [
    'types of another number of layers',
    'llama-grouped',
    { layer_types: ['full_attention'] },
    /config\.layer_types of 2 layers/,
  ],
  [
    'layers without rotation, of another number',
    'smollm3',
    { no_rope_layers: [1, 1] },
    /config\.no_rope_layers of 4 layers/,
  ],
  [
    'kinds of another number of layers',
    'gpt-neo',
    { attention_types: [[['global', 'local'], 3]], attention_layers: undefined },
    /config\.attention_types of global and local for 4 layers/,
  ],
  [
    'kinds without a number',
    'gpt-neo',
    { attention_types: [['global']] },
    /config\.attention_types of global and local/,
  ],
  [
    'kinds that differ from those written out',
    'gpt-neo',
    { attention_types: [[['local', 'global'], 2]] },
    /config\.attention_layers to be as attention_types/,
  ],
  [
    'the old name of longrope',
    'phi3',
    { rope_scaling: { type: 'su' } },
    /config\.rope_scaling\.rope_type to be longrope/,
  ],
  [
    'a share of each head that transformers drops beside longrope',
    'phi3',
    { rope_scaling: { ...yarn, rope_type: 'longrope', partial_rotary_factor: 0.5 } },
    /config\.rope_scaling\.partial_rotary_factor to be 1, got 0\.5$/,
  ],
  [
    'a factor that some versions of transformers ignore',
    'phi3',
    { rope_scaling: { ...longrope, factor: 3 }, original_max_position_embeddings: 64 },
    /config\.rope_scaling\.factor to be 2, got 3$/,
  ],
  [
    'factors for another number of pairs',
    'phi3',
    { rope_scaling: { ...longrope, short_factor: [1, 1, 1] } },
    /config\.rope_scaling\.short_factor to be a list of 4 numbers above 0/,
  ],
  [
    'a factor beyond float32',
    'phi3',
    { rope_scaling: { ...longrope, long_factor: [1, 1e300, 1, 1] } },
    /config\.rope_scaling\.long_factor to be a list of 4 numbers above 0/,
  ],
  ['bases that are not nested', 'gemma3', { rope_parameters: rope(500) }, /config\.rope_parameters\.full_attention/],
  ['two widths', 'bloom', { n_embed: 24 }, /config\.n_embed to be 20, got 24$/],
  ['two senses of order', 'gpt-neo', { rope_scaling: yarn }, /config\.rope_scaling to be null/],
  [
    'two senses of order, as transformers 5 writes them',
    'opt',
    { rope_parameters: rope(500) },
    /rope_parameters to be null/,
  ],
  [
    'a table that no memory can hold',
    'xglm',
    { max_position_embeddings: 2 ** 26 },
    /max_position_embeddings of which a table/,
  ],
  ['factors of Granite', 'llama-grouped', { logits_scaling: 8 }, /config\.logits_scaling to be null, got 8$/],
  [
    'an amplitude without a type',
    'llama-grouped',
    { rope_scaling: { attention_factor: 2 } },
    /config\.rope_scaling\.rope_type beside attention_factor/,
  ],
])('refused: %s', async (_, name, form, message) => {
  await expect(opened(name, form)).rejects.toThrow(message);
});

test.each([
  ['opt', { rope_scaling: null, rope_parameters: {}, layer_types: ['full_attention', 'full_attention'] }],
  ['bert-padded', { rope_scaling: {}, alibi: false, no_rope_layers: [] }],
  ['llama-grouped', { num_experts: 0, num_local_experts: 1, embedding_multiplier: 1, no_rope_layers: null }],
])('fields of other families that change nothing are accepted: %s', async (name, form) => {
  const model = await opened(name, form);
  model.dispose();
});

describe('an output matrix beside tied embeddings', () => {
  const { config, bytes } = checkpoint('llama3-scaled-tied');
  const weights = readSafetensors(bytes);
  const embedding = weights['model.embed_tokens.weight']!;
  const ids = [3, 1, 4, 1, 5];

  test.each(['float32', 'float16', 'int8'] as const)('is stored once if it is the same, in %s', async (weightType) => {
    const tied = await openModel({ config, weights, attention, weightType });
    const both = { ...weights, 'lm_head.weight': { ...embedding, data: embedding.data.slice() } };
    const model = await openModel({ config, weights: both, attention, weightType });
    expect(model.parameterBytes).toBe(tied.parameterBytes);
    expect(model.unused).toEqual([]);
    expect(model.forward(ids).logits).toEqual(tied.forward(ids).logits);
    for (const each of [tied, model]) each.dispose();
  });

  test.each([16, 48, 96])('is stored once if it is the same, in a file of int8 with rows of %i', async (width) => {
    const random = new Random(width);
    const [heads, inner, rows] = [2, 8, 3000];
    const shapes: Record<string, number[]> = {
      'model.embed_tokens.weight': [rows, width],
      'model.norm.weight': [width],
    };
    for (const norm of ['input', 'post_attention']) shapes[`model.layers.0.${norm}_layernorm.weight`] = [width];
    for (const x of ['q', 'k', 'v', 'o']) shapes[`model.layers.0.self_attn.${x}_proj.weight`] = [width, width];
    for (const x of ['gate', 'up']) shapes[`model.layers.0.mlp.${x}_proj.weight`] = [inner, width];
    shapes['model.layers.0.mlp.down_proj.weight'] = [width, inner];
    const tensors = Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, random.tensor(shape)]));
    const sizes = { hidden_size: width, intermediate_size: inner, vocab_size: rows, num_hidden_layers: 1 };
    const small = { model_type: 'llama', ...sizes, num_attention_heads: heads, max_position_embeddings: 8 };
    const both = { ...tensors, 'lm_head.weight': tensors['model.embed_tokens.weight']! };
    const bytesOf = async (given: typeof tensors): Promise<number> => {
      const file = writeSafetensors(given, { weightType: 'int8' });
      const model = await openModel({ config: { ...small, tie_word_embeddings: true }, weights: file, attention });
      model.dispose();
      return model.parameterBytes;
    };
    expect(await bytesOf(both)).toBe(await bytesOf(tensors));
  });

  test('is used if it is another, as in transformers 5', async () => {
    const twice = { ...embedding, data: embedding.data.map((x) => 2 * x) };
    const tied = await openModel({ config, weights, attention });
    const model = await openModel({ config, weights: { ...weights, 'lm_head.weight': twice }, attention });
    const expected = tied.forward(ids).logits!.data.map((x) => 2 * x);
    expect(model.forward(ids).logits!.data).toEqual(expected);
    for (const each of [tied, model]) each.dispose();
  });
});
