/**
 * Decoders with random weights against a float64 pass, with settings that no fixture has, above all scaled rotary
 * positions of texts shorter and longer than the original length.
 */
import { expect, test } from '@jest/globals';
import type { Tensor } from 'wasm-attention';
import { openModel } from 'wasm-attention/models';
import { decoder, type DecoderConfig, type Positions } from '../reference/decoder.js';
import { EPS, expectClose } from '../support/close.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';

const random = new Random(20);
const VOCAB = 29;
const llama = {
  model_type: 'llama',
  hidden_size: 24,
  intermediate_size: 40,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 64,
  vocab_size: VOCAB,
};
const neox = { ...llama, model_type: 'gpt_neox', num_attention_heads: 3, num_key_value_heads: 3 };
const qwen2 = { ...llama, model_type: 'qwen2', head_dim: 8 };
const qwen3 = { ...llama, model_type: 'qwen3', head_dim: 10 };
const mistral = { ...llama, model_type: 'mistral' };

type Config = DecoderConfig & typeof llama & Readonly<Record<string, unknown>>;

/** The tensors of a model with this config, with biases if the config asks for them. */
function tensorsOf(config: Config): Record<string, Tensor> {
  const { hidden_size: width, intermediate_size: inner, num_attention_heads: heads } = config;
  const dim = config.head_dim ?? width / heads;
  const kv = config.num_key_value_heads * dim;
  const tensors: Record<string, Tensor> = {};
  const isNeox = config.model_type === 'gpt_neox';
  const at = (name: string) => `${isNeox ? 'gpt_neox' : 'model'}.${name}`;
  const map = (name: string, rows: number, cols: number, hasBias: boolean) => {
    tensors[at(`${name}.weight`)] = random.tensor([rows, cols], cols ** -0.5);
    if (hasBias) tensors[at(`${name}.bias`)] = random.tensor([rows]);
  };
  const norm = (name: string, size = width) => {
    tensors[at(`${name}.weight`)] = random.tensor([size]);
    if (isNeox) tensors[at(`${name}.bias`)] = random.tensor([size]);
  };
  tensors[at(isNeox ? 'embed_in.weight' : 'embed_tokens.weight')] = random.tensor([VOCAB, width]);
  for (let layer = 0; layer < config.num_hidden_layers; ++layer) {
    norm(`layers.${layer}.input_layernorm`);
    norm(`layers.${layer}.post_attention_layernorm`);
    if (isNeox) {
      const hasBias = config.attention_bias !== false;
      map(`layers.${layer}.attention.query_key_value`, 3 * width, width, hasBias);
      map(`layers.${layer}.attention.dense`, width, width, hasBias);
      map(`layers.${layer}.mlp.dense_h_to_4h`, inner, width, true);
      map(`layers.${layer}.mlp.dense_4h_to_h`, width, inner, true);
      continue;
    }
    const [self, mlp] = [`layers.${layer}.self_attn`, `layers.${layer}.mlp`];
    const hasBias = config.attention_bias === true;
    const qkvBias = hasBias || config.model_type === 'qwen2';
    map(`${self}.q_proj`, heads * dim, width, qkvBias);
    map(`${self}.k_proj`, kv, width, qkvBias);
    map(`${self}.v_proj`, kv, width, qkvBias);
    map(`${self}.o_proj`, width, heads * dim, hasBias);
    if (config.model_type === 'qwen3') for (const x of ['q', 'k']) norm(`${self}.${x}_norm`, dim);
    for (const name of ['gate_proj', 'up_proj']) map(`${mlp}.${name}`, inner, width, config.mlp_bias === true);
    map(`${mlp}.down_proj`, width, inner, config.mlp_bias === true);
  }
  norm(isNeox ? 'final_layer_norm' : 'norm');
  return tensors;
}

const six = { base: 10000, dim: 6 };
const ROPE_LLAMA3 = { low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 16 };
const llama3 = {
  type: 'llama3',
  factor: 8,
  originalMaxLength: 16,
  lowFreqFactor: 1,
  highFreqFactor: 4,
} as const;
const longrope = { short_factor: [1, 1.5, 2], long_factor: [2, 3, 7], original_max_position_embeddings: 16 };
const long = {
  type: 'longrope',
  factor: 4,
  originalMaxLength: 16,
  shortFactor: [1, 1.5, 2],
  longFactor: [2, 3, 7],
} as const;
const yarn = { type: 'yarn', factor: 4, originalMaxLength: 16 } as const;
const YARN = { rope_type: 'yarn', factor: 4, original_max_position_embeddings: 16 };

test.each<[string, Config, Positions]>([
  ['as it is', llama, six],
  ['another base', { ...llama, rope_theta: 500 }, { ...six, base: 500 }],
  [
    "a base in transformers 5's place",
    { ...llama, rope_theta: 7, rope_parameters: { rope_theta: 500, rope_type: 'default' } },
    { ...six, base: 500 },
  ],
  ['wide heads', { ...llama, head_dim: 8 }, { base: 10000, dim: 8 }],
  ['biases of attention', { ...llama, attention_bias: true }, six],
  ['biases of the feed-forward', { ...llama, mlp_bias: true }, six],
  [
    'linear scaling of a model that was trained on 16 tokens',
    { ...llama, max_position_embeddings: 16, rope_scaling: { type: 'linear', factor: 4 } },
    { ...six, scaling: { type: 'linear', factor: 4 } },
  ],
  [
    'dynamic scaling',
    { ...llama, max_position_embeddings: 16, rope_scaling: { type: 'dynamic', factor: 2.5 } },
    { ...six, scaling: { type: 'dynamic', factor: 2.5, originalMaxLength: 16 } },
  ],
  [
    'llama3 scaling',
    { ...llama, rope_scaling: { rope_type: 'llama3', factor: 8, ...ROPE_LLAMA3 } },
    { ...six, scaling: llama3 },
  ],
  [
    'llama3 scaling in its new place',
    { ...llama, rope_parameters: { rope_theta: 10000, rope_type: 'llama3', factor: 8, ...ROPE_LLAMA3 } },
    { ...six, scaling: llama3 },
  ],
  ['yarn', { ...llama, rope_scaling: YARN }, { ...six, scaling: yarn }],
  [
    'yarn of another amplitude',
    { ...llama, rope_scaling: { ...YARN, attention_factor: 1.5 } },
    { ...six, scaling: { ...yarn, attentionFactor: 1.5 } },
  ],
  [
    'yarn of two scales',
    { ...llama, rope_scaling: { ...YARN, mscale: 2, mscale_all_dim: 0.5 } },
    { ...six, scaling: { ...yarn, attentionFactor: (0.2 * Math.log(4) + 1) / (0.05 * Math.log(4) + 1) } },
  ],
  [
    'yarn between other turns',
    { ...llama, rope_scaling: { ...YARN, beta_fast: 2, beta_slow: 0.5, truncate: false } },
    { ...six, scaling: { ...yarn, betaFast: 2, betaSlow: 0.5, truncate: false } },
  ],
  [
    'longrope',
    { ...llama, rope_scaling: { rope_type: 'longrope', factor: 4, ...longrope } },
    { ...six, scaling: long },
  ],
  [
    'longrope with its length outside',
    {
      ...llama,
      original_max_position_embeddings: 16,
      rope_scaling: { rope_type: 'longrope', short_factor: [1, 1.5, 2], long_factor: [2, 3, 7] },
    },
    { ...six, scaling: long },
  ],
  [
    'yarn that takes its factor from the lengths',
    { ...llama, rope_scaling: { ...YARN, factor: null } },
    { ...six, scaling: yarn },
  ],
  [
    'yarn of a model that was trained on 16 tokens',
    { ...llama, max_position_embeddings: 16, rope_scaling: { type: 'yarn', factor: 4 } },
    { ...six, scaling: yarn },
  ],
  [
    'longrope of another amplitude',
    { ...llama, rope_scaling: { rope_type: 'longrope', ...longrope, attention_factor: 1.2 } },
    { ...six, scaling: { ...long, attentionFactor: 1.2 } },
  ],
  ['a window in all layers', { ...mistral, sliding_window: 5 }, { ...six, windows: [5, 5, 5] }],
  [
    'a window in layers that say so',
    { ...mistral, sliding_window: 4, layer_types: ['full_attention', 'sliding_attention', 'full_attention'] },
    { ...six, windows: [undefined, 4, undefined] },
  ],
  ['a window that is off', { ...mistral, sliding_window: null }, six],
  [
    'a window from a layer on',
    { ...qwen2, sliding_window: 3, use_sliding_window: true, max_window_layers: 1 },
    { base: 10000, dim: 8, windows: [undefined, 3, 3] },
  ],
  [
    'a window of some layers',
    {
      ...qwen3,
      sliding_window: 4,
      use_sliding_window: true,
      layer_types: ['sliding_attention', 'full_attention', 'sliding_attention'],
    },
    { base: 10000, dim: 10, windows: [4, undefined, 4] },
  ],
  ['a window that is not used', { ...qwen2, sliding_window: 3, use_sliding_window: false }, { base: 10000, dim: 8 }],
  ['normed queries and keys', qwen3, { base: 10000, dim: 10 }],
  ['a quarter of each head turned', neox, { base: 10000, dim: 2 }],
  ['half of each head turned', { ...neox, rotary_pct: 0.5, rotary_emb_base: 300 }, { base: 300, dim: 4 }],
  [
    'half of each head turned, in its new place',
    { ...neox, rope_parameters: { rope_type: 'default', rope_theta: 300, partial_rotary_factor: 0.5 } },
    { base: 300, dim: 4 },
  ],
  ['parts one after the other', { ...neox, use_parallel_residual: false }, { base: 10000, dim: 2 }],
  ['attention without biases', { ...neox, attention_bias: false }, { base: 10000, dim: 2 }],
])('%s', async (_, config, positions) => {
  const tensors = tensorsOf(config);
  const model = await openModel({ config, weights: tensors, attention });
  expect(model.unused).toEqual([]);
  for (const tokens of [1, 9, 40]) {
    const ids = Array.from({ length: tokens }, () => random.integer(0, VOCAB - 1));
    const expected = decoder(config, tensors, ids, positions);
    const { hidden } = model.forward(ids);
    // Hidden states are of size 1 to 10. Three layers of sums of 40 roundings each.
    expectClose(hidden, { ...expected, shape: [1, tokens, 24] }, { atol: 256 * EPS, rtol: 64 * EPS });
    const cache = model.createCache({ maxLength: tokens });
    const parts = [ids.slice(0, 5), ids.slice(5)].filter((part) => part.length > 0);
    // The frequencies of a text that outgrows the original length change for all keys, and a cache has the earlier
    // ones.
    if (/^(dynamic|longrope)/.test(positions.scaling?.type ?? '')) continue;
    const rows = parts.map((part) => model.forward(part, { cache }).hidden.data);
    const data = Float32Array.from(rows.flatMap((row) => Array.from(row)));
    expectClose(
      { data, shape: [1, tokens, 24] },
      { ...expected, shape: [1, tokens, 24] },
      { atol: 256 * EPS, rtol: 64 * EPS },
    );
  }
  model.dispose();
});
