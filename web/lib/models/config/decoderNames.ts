/** The names of tensors in Hugging Face's checkpoints of decoders, without the family's prefix. */
import type { Family } from './architecture.js';
import type { Names } from './names.js';

const LLAMA: Names = {
  prefix: 'model.',
  tokens: 'embed_tokens',
  layer: (i) => ({
    query: `layers.${i}.self_attn.q_proj`,
    key: `layers.${i}.self_attn.k_proj`,
    value: `layers.${i}.self_attn.v_proj`,
    output: `layers.${i}.self_attn.o_proj`,
    norm1: `layers.${i}.input_layernorm`,
    norm2: `layers.${i}.post_attention_layernorm`,
    gate: `layers.${i}.mlp.gate_proj`,
    up: `layers.${i}.mlp.up_proj`,
    down: `layers.${i}.mlp.down_proj`,
    queryNorm: `layers.${i}.self_attn.q_norm`,
    keyNorm: `layers.${i}.self_attn.k_norm`,
  }),
  finalNorm: 'norm',
  predictions: { decoder: 'lm_head' },
};

export const DECODERS: Readonly<Partial<Record<Family, Names>>> = {
  gpt2: {
    prefix: 'transformer.',
    tokens: 'wte',
    positions: 'wpe',
    layer: (i) => ({
      query: `h.${i}.attn.c_attn`,
      key: `h.${i}.attn.c_attn`,
      value: `h.${i}.attn.c_attn`,
      output: `h.${i}.attn.c_proj`,
      norm1: `h.${i}.ln_1`,
      norm2: `h.${i}.ln_2`,
      up: `h.${i}.mlp.c_fc`,
      down: `h.${i}.mlp.c_proj`,
    }),
    finalNorm: 'ln_f',
    predictions: { decoder: 'lm_head' },
  },
  gpt_neox: {
    prefix: 'gpt_neox.',
    tokens: 'embed_in',
    layer: (i) => ({
      query: `layers.${i}.attention.query_key_value`,
      key: `layers.${i}.attention.query_key_value`,
      value: `layers.${i}.attention.query_key_value`,
      output: `layers.${i}.attention.dense`,
      norm1: `layers.${i}.input_layernorm`,
      norm2: `layers.${i}.post_attention_layernorm`,
      up: `layers.${i}.mlp.dense_h_to_4h`,
      down: `layers.${i}.mlp.dense_4h_to_h`,
    }),
    finalNorm: 'final_layer_norm',
    predictions: { decoder: 'embed_out' },
  },
  llama: LLAMA,
  mistral: LLAMA,
  qwen2: LLAMA,
  qwen3: LLAMA,
};
