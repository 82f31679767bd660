/** Every family's optional fields: their defaults in transformers, values that change something, and values that are wrong. */
import { describe, expect, test } from '@jest/globals';
import { readSafetensors, type Tensor } from 'wasm-attention';
import { openModel, type ModelResult } from 'wasm-attention/models';
import { allocator, attention } from '../fuzz/watched.js';
import { fitted } from '../support/fitted.js';
import { checkpoint, families } from './fixtures.js';
import { pictureFamilies } from './pictures/fixtures.js';

type Config = Record<string, unknown>;
type Tensors = Record<string, Tensor>;

interface Family {
  /** The checkpoint to begin with, in tests/fixtures/models. */
  readonly from: string;
  /** Fields without a default that differ from the checkpoint's. */
  readonly with?: Config;
  readonly defaults: Config;
  /** Other values, which change results or are refused. */
  readonly changes: Config;
  /** Without these, some fields are not read. */
  readonly reading?: Config;
}

const BERT = {
  defaults: {
    hidden_act: 'gelu',
    layer_norm_eps: 1e-12,
    type_vocab_size: 2,
    pad_token_id: 0,
    tie_word_embeddings: true,
    position_embedding_type: 'absolute',
    is_decoder: false,
    add_cross_attention: false,
  },
  changes: {
    hidden_act: 'relu',
    layer_norm_eps: 0.1,
    type_vocab_size: 3,
    position_embedding_type: 'relative_key',
    is_decoder: true,
    add_cross_attention: true,
  },
};
const ROBERTA = { ...BERT, defaults: { ...BERT.defaults, pad_token_id: 1 } };
const LLAMA = {
  defaults: {
    num_key_value_heads: 4,
    head_dim: null,
    hidden_act: 'silu',
    rms_norm_eps: 1e-6,
    rope_theta: 10000,
    rope_scaling: null,
    attention_bias: false,
    mlp_bias: false,
    tie_word_embeddings: false,
  },
  changes: {
    num_key_value_heads: 1,
    head_dim: 6,
    hidden_act: 'gelu',
    rms_norm_eps: 0.1,
    rope_theta: 100,
    rope_scaling: { rope_type: 'linear', factor: 2 },
    rope_parameters: { rope_type: 'default', rope_theta: 100 },
    attention_bias: true,
    mlp_bias: true,
    is_causal: false,
  },
};
const { mlp_bias: _, attention_bias: __, ...MISTRAL_CHANGES } = LLAMA.changes;
const QWEN = {
  // As many heads of queries as keys have by default, in the least width.
  with: { num_attention_heads: 32, hidden_size: 64 },
  defaults: {
    ...LLAMA.defaults,
    num_key_value_heads: 32,
    use_sliding_window: false,
    sliding_window: 4096,
    max_window_layers: 28,
  },
  changes: MISTRAL_CHANGES,
  reading: { use_sliding_window: true, sliding_window: 4 },
};
const { mlp_bias: ___, ...OLMO_CHANGES } = LLAMA.changes;
const { mlp_bias: ____, ...OLMO_DEFAULTS } = LLAMA.defaults;
const OLMO = { defaults: { ...OLMO_DEFAULTS, rms_norm_eps: 1e-5 }, changes: { ...OLMO_CHANGES, head_dim: 8 } };
const GEMMA = {
  defaults: {
    num_key_value_heads: 4,
    head_dim: 256,
    hidden_activation: 'gelu_pytorch_tanh',
    rms_norm_eps: 1e-6,
    query_pre_attn_scalar: 256,
    sliding_window: 4096,
    attention_bias: false,
    tie_word_embeddings: true,
  },
  changes: {
    num_key_value_heads: 1,
    head_dim: 6,
    hidden_activation: 'relu',
    rms_norm_eps: 0.1,
    query_pre_attn_scalar: 1,
    sliding_window: 2,
    layer_types: ['full_attention', 'full_attention', 'full_attention'],
    attention_bias: true,
    final_logit_softcapping: null,
    rope_theta: 100,
    num_experts: 4,
    is_causal: false,
  },
};

const FAMILIES: Record<string, Family> = {
  albert: {
    from: 'albert-shared',
    defaults: {
      ...BERT.defaults,
      hidden_act: 'gelu_new',
      embedding_size: 128,
      num_hidden_groups: 1,
      inner_group_num: 1,
    },
    changes: { ...BERT.changes, embedding_size: 12, num_hidden_groups: 2, inner_group_num: 2 },
  },
  bert: { from: 'bert-padded', ...BERT },
  bloom: {
    from: 'bloom',
    defaults: {
      layer_norm_epsilon: 1e-5,
      apply_residual_connection_post_layernorm: false,
      seq_length: 2048,
      tie_word_embeddings: true,
    },
    changes: {
      layer_norm_epsilon: 0.1,
      apply_residual_connection_post_layernorm: true,
      n_head: 5,
      n_embed: 24,
      rope_scaling: { rope_type: 'linear', factor: 2 },
    },
  },
  camembert: { from: 'camembert-fill-mask', ...ROBERTA },
  'deberta-v2': {
    from: 'deberta-v3-entailment',
    defaults: {
      hidden_act: 'gelu',
      layer_norm_eps: 1e-7,
      type_vocab_size: 0,
      pad_token_id: 0,
      tie_word_embeddings: true,
      relative_attention: false,
      max_relative_positions: -1,
      position_buckets: -1,
      norm_rel_ebd: 'none',
      share_att_key: false,
      pos_att_type: null,
      position_biased_input: true,
      pooler_hidden_act: 'gelu',
      legacy: true,
    },
    changes: {
      hidden_act: 'relu',
      layer_norm_eps: 0.1,
      type_vocab_size: 2,
      relative_attention: false,
      max_relative_positions: 40,
      position_buckets: 6,
      norm_rel_ebd: 'none',
      share_att_key: false,
      pos_att_type: ['c2p'],
      position_biased_input: true,
      pooler_hidden_act: 'tanh',
      conv_kernel_size: 3,
      attention_head_size: 12,
      embedding_size: 12,
      pooler_hidden_size: 12,
    },
  },
  distilbert: {
    from: 'distilbert',
    defaults: { activation: 'gelu', pad_token_id: 0, tie_word_embeddings: true },
    changes: { activation: 'relu', dim: 12, n_heads: 2, hidden_dim: 12 },
  },
  electra: {
    from: 'electra-discriminator',
    defaults: { ...BERT.defaults, embedding_size: 128 },
    changes: { ...BERT.changes, embedding_size: 12 },
  },
  gemma2: {
    from: 'gemma2',
    defaults: {
      ...GEMMA.defaults,
      attn_logit_softcapping: 50,
      final_logit_softcapping: 30,
      layer_types: ['sliding_attention', 'full_attention', 'sliding_attention'],
      rope_scaling: null,
      rope_theta: 10000,
    },
    changes: {
      ...GEMMA.changes,
      attn_logit_softcapping: null,
      use_bidirectional_attention: true,
    },
  },
  gemma3_text: {
    from: 'gemma3',
    with: { num_attention_heads: 4, layer_types: undefined },
    defaults: {
      ...GEMMA.defaults,
      final_logit_softcapping: null,
      rope_scaling: null,
      rope_theta: 1000000,
      rope_local_base_freq: 10000,
      sliding_window_pattern: 6,
      use_bidirectional_attention: false,
    },
    changes: {
      ...GEMMA.changes,
      num_key_value_heads: 3,
      final_logit_softcapping: 3,
      rope_scaling: { rope_type: 'linear', factor: 2 },
      rope_local_base_freq: 100,
      rope_parameters: { full_attention: { rope_theta: 100 } },
      layer_types: undefined,
      use_bidirectional_attention: true,
    },
  },
  gpt2: {
    from: 'gpt2',
    defaults: {
      n_inner: null,
      activation_function: 'gelu_new',
      layer_norm_epsilon: 1e-5,
      scale_attn_weights: true,
      scale_attn_by_inverse_layer_idx: false,
      add_cross_attention: false,
      tie_word_embeddings: true,
    },
    changes: {
      n_inner: 12,
      activation_function: 'relu',
      layer_norm_epsilon: 0.1,
      scale_attn_weights: false,
      scale_attn_by_inverse_layer_idx: true,
      add_cross_attention: true,
      n_head: 2,
    },
  },
  gpt_neo: {
    from: 'gpt-neo',
    with: { num_layers: 24, attention_layers: undefined },
    defaults: {
      activation_function: 'gelu_new',
      attention_types: [[['global', 'local'], 12]],
      intermediate_size: null,
      layer_norm_epsilon: 1e-5,
      window_size: 256,
      tie_word_embeddings: true,
    },
    changes: {
      activation_function: 'relu',
      attention_types: [[['local'], 4]],
      attention_layers: ['global', 'global', 'global', 'global'],
      intermediate_size: 20,
      layer_norm_epsilon: 0.1,
      window_size: 2,
      num_heads: 2,
    },
  },
  gpt_neox: {
    from: 'gpt-neox',
    defaults: {
      hidden_act: 'gelu',
      rotary_pct: 0.25,
      rotary_emb_base: 10000,
      layer_norm_eps: 1e-5,
      use_parallel_residual: true,
      attention_bias: true,
      tie_word_embeddings: false,
    },
    changes: {
      hidden_act: 'relu',
      rotary_pct: 0.5,
      rotary_emb_base: 100,
      layer_norm_eps: 0.1,
      use_parallel_residual: false,
      attention_bias: false,
    },
  },
  granite: {
    from: 'granite',
    defaults: {
      ...LLAMA.defaults,
      attention_multiplier: 1,
      embedding_multiplier: 1,
      residual_multiplier: 1,
      logits_scaling: 1,
    },
    changes: {
      ...LLAMA.changes,
      head_dim: 8,
      attention_multiplier: 0.1,
      embedding_multiplier: 2,
      residual_multiplier: 0.3,
      logits_scaling: 2,
    },
  },
  llama: {
    from: 'llama-grouped',
    ...LLAMA,
    changes: {
      ...LLAMA.changes,
      // Of other families.
      embedding_multiplier: 2,
      final_logit_softcapping: 30,
      no_rope_layers: [1, 0],
      num_local_experts: 8,
      is_encoder_decoder: true,
      layer_types: ['sliding_attention', 'full_attention'],
    },
  },
  mistral: {
    from: 'mistral-window',
    with: { num_attention_heads: 8 },
    defaults: { ...LLAMA.defaults, num_key_value_heads: 8, sliding_window: 4096 },
    changes: {
      ...MISTRAL_CHANGES,
      sliding_window: 2,
      layer_types: ['full_attention', 'sliding_attention'],
    },
  },
  modernbert: {
    from: 'modernbert-fill-mask',
    defaults: {
      hidden_activation: 'gelu',
      norm_eps: 1e-5,
      norm_bias: false,
      attention_bias: false,
      mlp_bias: false,
      decoder_bias: true,
      classifier_bias: false,
      classifier_pooling: 'cls',
      classifier_activation: 'gelu',
      local_attention: 128,
      global_attn_every_n_layers: 3,
      global_rope_theta: 160000,
      local_rope_theta: 10000,
      tie_word_embeddings: true,
    },
    changes: {
      hidden_activation: 'relu',
      norm_eps: 0.1,
      norm_bias: true,
      attention_bias: true,
      mlp_bias: true,
      decoder_bias: false,
      classifier_bias: true,
      classifier_activation: 'tanh',
      local_attention: 4,
      global_attn_every_n_layers: 2,
      layer_types: ['full_attention', 'full_attention', 'full_attention', 'full_attention'],
      global_rope_theta: 100,
      local_rope_theta: 100,
      rope_parameters: { full_attention: { rope_theta: 100 } },
      rope_scaling: { rope_type: 'linear', factor: 2 },
      rope_theta: 100,
    },
  },
  mpnet: {
    from: 'mpnet-fill-mask',
    defaults: {
      hidden_act: 'gelu',
      layer_norm_eps: 1e-12,
      relative_attention_num_buckets: 32,
      pad_token_id: 1,
      tie_word_embeddings: true,
    },
    changes: { hidden_act: 'relu', layer_norm_eps: 0.1, relative_attention_num_buckets: 40 },
  },
  nomic_bert: {
    from: 'nomic-bert',
    with: { activation_function: undefined, layer_norm_epsilon: undefined, rotary_emb_base: undefined },
    defaults: {
      hidden_act: 'silu',
      layer_norm_eps: 1e-12,
      rope_parameters: { rope_type: 'default', rope_theta: 1000 },
      rotary_emb_fraction: 1,
      qkv_proj_bias: false,
      mlp_fc1_bias: false,
      mlp_fc2_bias: false,
      type_vocab_size: 2,
      pad_vocab_size_multiple: 1,
      tie_word_embeddings: true,
    },
    changes: {
      hidden_act: 'gelu',
      activation_function: 'geglu',
      layer_norm_eps: 0.1,
      layer_norm_epsilon: 0.1,
      n_head: 4,
      rope_parameters: { rope_type: 'default', rope_theta: 10 },
      rotary_emb_base: 10,
      rotary_emb_fraction: 0.5,
      qkv_proj_bias: true,
      mlp_fc1_bias: true,
      mlp_fc2_bias: true,
      type_vocab_size: 3,
      pad_vocab_size_multiple: 100,
      rotary_emb_interleaved: true,
      rotary_emb_scale_base: 512,
      rotary_scaling_factor: 2,
      prenorm: true,
      parallel_block: true,
      use_rms_norm: true,
      causal: true,
      hidden_size: 12,
    },
  },
  olmo2: {
    from: 'olmo2',
    defaults: OLMO.defaults,
    changes: OLMO.changes,
  },
  opt: {
    from: 'opt',
    defaults: {
      activation_function: 'relu',
      do_layer_norm_before: true,
      _remove_final_layer_norm: false,
      word_embed_proj_dim: null,
      enable_bias: true,
      layer_norm_elementwise_affine: true,
      tie_word_embeddings: true,
    },
    changes: {
      activation_function: 'gelu',
      do_layer_norm_before: false,
      _remove_final_layer_norm: true,
      word_embed_proj_dim: 12,
      enable_bias: false,
      layer_norm_elementwise_affine: false,
    },
  },
  phi: {
    from: 'phi',
    defaults: {
      hidden_act: 'gelu_new',
      layer_norm_eps: 1e-5,
      num_key_value_heads: null,
      partial_rotary_factor: 0.5,
      qk_layernorm: false,
      rope_scaling: null,
      rope_theta: 10000,
      tie_word_embeddings: false,
    },
    changes: {
      hidden_act: 'relu',
      layer_norm_eps: 0.1,
      num_key_value_heads: 1,
      partial_rotary_factor: 0.25,
      qk_layernorm: true,
      rope_scaling: { rope_type: 'linear', factor: 2 },
      rope_theta: 100,
      is_causal: false,
    },
  },
  phi3: {
    from: 'phi3',
    with: { max_position_embeddings: 8192 },
    defaults: {
      hidden_act: 'silu',
      rms_norm_eps: 1e-5,
      num_key_value_heads: null,
      partial_rotary_factor: 1,
      rope_scaling: null,
      rope_theta: 10000,
      sliding_window: null,
      original_max_position_embeddings: 4096,
      tie_word_embeddings: false,
    },
    changes: {
      hidden_act: 'relu',
      rms_norm_eps: 0.1,
      num_key_value_heads: 1,
      head_dim: 6,
      partial_rotary_factor: 0.5,
      rope_scaling: { rope_type: 'linear', factor: 2 },
      rope_theta: 100,
      sliding_window: 3,
    },
    reading: { rope_scaling: { rope_type: 'longrope', short_factor: [1, 1, 1, 1], long_factor: [2, 2, 2, 2] } },
  },
  qwen2: { from: 'qwen2', ...QWEN, changes: { ...QWEN.changes, rope_theta: 100 } },
  qwen3: {
    from: 'qwen3',
    ...QWEN,
    defaults: { ...QWEN.defaults, head_dim: 128 },
    changes: { ...QWEN.changes, attention_bias: true },
  },
  roberta: { from: 'roberta', ...ROBERTA },
  smollm3: {
    from: 'smollm3',
    with: { layer_types: undefined },
    defaults: {
      ...LLAMA.defaults,
      rope_theta: 2000000,
      no_rope_layer_interval: 4,
      no_rope_layers: [1, 1, 1, 0],
      use_sliding_window: false,
      sliding_window: null,
      tie_word_embeddings: true,
    },
    changes: {
      ...LLAMA.changes,
      head_dim: 8,
      no_rope_layers: [1, 1, 1, 1],
      layer_types: ['sliding_attention', 'full_attention', 'full_attention', 'full_attention'],
    },
    reading: { use_sliding_window: true, sliding_window: 3 },
  },
  stablelm: {
    from: 'stablelm',
    // As many heads of queries as keys have by default, in the least width.
    with: { num_attention_heads: 32, hidden_size: 256 },
    defaults: {
      hidden_act: 'silu',
      layer_norm_eps: 1e-5,
      num_key_value_heads: 32,
      partial_rotary_factor: 0.25,
      qk_layernorm: false,
      rope_scaling: null,
      rope_theta: 10000,
      use_parallel_residual: false,
      use_qkv_bias: false,
      tie_word_embeddings: false,
    },
    changes: {
      hidden_act: 'relu',
      layer_norm_eps: 0.1,
      num_key_value_heads: 1,
      head_dim: 8,
      partial_rotary_factor: 0.5,
      qk_layernorm: true,
      rope_scaling: { rope_type: 'linear', factor: 2 },
      rope_theta: 100,
      use_parallel_residual: true,
      use_qkv_bias: false,
      is_causal: false,
    },
  },
  xglm: {
    from: 'xglm',
    defaults: { activation_function: 'gelu', scale_embedding: true, pad_token_id: 1, tie_word_embeddings: true },
    changes: {
      activation_function: 'relu',
      scale_embedding: false,
      pad_token_id: 5,
      add_cross_attention: true,
      attention_heads: 2,
    },
  },
  'xlm-roberta': { from: 'xlm-roberta-reranker', ...ROBERTA },
};

const ids = [Array.from({ length: 12 }, (_, i) => 2 + ((i * 7) % 40))];

async function opened(config: Config, weights: Tensors): Promise<ModelResult> {
  const model = await openModel({ config, weights, attention });
  const result = model.forward(ids, { needWeights: true });
  model.dispose();
  return result;
}

/** The tensors, and pseudo-random ones in place of those that this config needs in another shape. */
async function fittedTo(config: Config, given: Tensors): Promise<Tensors> {
  return fitted(
    (weights) => opened(config, weights),
    given,
    (name, shape) => {
      const size = shape.reduce((a, b) => a * b, 1);
      return { data: Float32Array.from({ length: size }, (_, i) => 0.3 * Math.sin(i * i + name.length)), shape };
    },
  );
}

const refusal = async (config: Config, weights: Tensors): Promise<string | undefined> => {
  const live = allocator.liveBytes;
  const error: unknown = await openModel({ config, weights, attention }).then(
    (model) => model.dispose(),
    (error: unknown) => error,
  );
  if (error === undefined) return undefined;
  expect(error).toBeInstanceOf(RangeError);
  expect(allocator.liveBytes).toBe(live);
  return (error as Error).message;
};

test('every family is here', () => {
  expect([...Object.keys(FAMILIES), ...pictureFamilies].sort()).toEqual(families);
});

describe.each(Object.entries(FAMILIES))('%s', (_name, { from, with: others, defaults, changes, reading }) => {
  const file = checkpoint(from);
  const base: Config = { ...file.config, ...others };
  const tensors = readSafetensors(file.bytes);

  test('without optional fields is as with their defaults', async () => {
    const config = Object.fromEntries(Object.entries(base).filter(([field]) => !(field in defaults)));
    const written = { ...config, ...defaults };
    const weights = await fittedTo(written, tensors);
    expect(await opened(config, weights)).toEqual(await opened(written, weights));
    for (const field of Object.keys(defaults)) {
      const { [field]: _, ...without } = written;
      expect(await opened(without, weights)).toEqual(await opened(written, weights));
    }
  });

  test('each field changes a result or is refused', async () => {
    const before = await opened(file.config, tensors);
    const idle: string[] = [];
    for (const [field, value] of Object.entries(changes)) {
      const after = await opened({ ...file.config, [field]: value }, tensors).catch(
        (error: unknown) => (error as Error).message,
      );
      if (typeof after === 'string') {
        const named = /config\.|'.*\.(weight|bias)'/.test(after);
        expect([field, after, named]).toEqual([field, after, true]);
      } else if (JSON.stringify(after) === JSON.stringify(before)) idle.push(field);
    }
    expect(idle).toEqual([]);
  });

  test('a field that is missing, null or of another type is named', async () => {
    const right: Config = { ...file.config, ...reading };
    const fields = new Set([...Object.keys(right), ...Object.keys(defaults)]);
    fields.delete('architectures');
    const unnamed: unknown[] = [];
    for (const field of fields) {
      const { [field]: _, ...without } = right;
      const wrong = ['nonsense', [], {}, -1.5, null].map((value) => ({ ...right, [field]: value }));
      for (const config of [without, ...wrong]) {
        const message = await refusal(config, tensors);
        const isNamed = /^openModel: expected .*(config\.|'.*\.(weight|bias)')/.test(message ?? '');
        // Some may be missing or null; those that are read are never another type.
        const mayPass = !(field in defaults) || config[field] == null || typeof config[field] === 'object';
        if (!isNamed && !(message === undefined && mayPass)) unnamed.push([field, config[field], message]);
      }
    }
    expect(unnamed).toEqual([]);
  });
});
