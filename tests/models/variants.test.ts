/** Settings of families that their checkpoints in tests/fixtures/models lack, against float64 passes. */
import { describe, expect, test } from '@jest/globals';
import type { Tensor } from 'wasm-attention';
import { openModel } from 'wasm-attention/models';
import { decoded } from '../reference/families.js';
import { EPS, expectClose } from '../support/close.js';
import { fitted } from '../support/fitted.js';
import { attention } from '../support/library.js';
import { Random } from '../support/random.js';
import { embeddingName } from './fixtures.js';

const VOCAB = 31;
const sizes = { hidden_size: 24, num_hidden_layers: 3, num_attention_heads: 4, vocab_size: VOCAB };
const rotary = { ...sizes, intermediate_size: 20, max_position_embeddings: 64, num_key_value_heads: 2 };
const xglm = {
  d_model: 20,
  attention_heads: 4,
  num_layers: 3,
  ffn_dim: 28,
  max_position_embeddings: 40,
  vocab_size: VOCAB,
};
const opt = { ...sizes, ffn_dim: 28, max_position_embeddings: 40 };
const neo = { hidden_size: 24, num_layers: 3, num_heads: 4, vocab_size: VOCAB, max_position_embeddings: 40 };
const bloom = { hidden_size: 24, n_layer: 3, n_head: 6, vocab_size: VOCAB };
const gemma = { ...rotary, head_dim: 8, sliding_window: 5 };
const factors = (by: number): number[] => Array.from({ length: 3 }, (_, i) => by + i / 2);
const longrope = { type: 'longrope', short_factor: factors(1), long_factor: factors(2) };

const FAMILIES: Record<string, Record<string, Record<string, unknown>>> = {
  xglm: {
    'without the scale of embeddings': { ...xglm, scale_embedding: false },
    'an odd width, where the last column is zero': { ...xglm, d_model: 15, attention_heads: 3 },
    'another activation': { ...xglm, activation_function: 'relu' },
    "padding's id in reach, whose row is zero": { ...xglm, pad_token_id: 6 },
    'no padding': { ...xglm, pad_token_id: null },
    'a head of its own': { ...xglm, tie_word_embeddings: false },
  },
  opt: {
    'narrow embeddings': { ...opt, word_embed_proj_dim: 12 },
    'wide embeddings': { ...opt, word_embed_proj_dim: 28, tie_word_embeddings: false },
    'norms after the sums': { ...opt, do_layer_norm_before: false },
    'norms after the sums, narrow embeddings': { ...opt, do_layer_norm_before: false, word_embed_proj_dim: 12 },
    'no biases': { ...opt, enable_bias: false },
    'norms without weights': { ...opt, layer_norm_elementwise_affine: false },
    'norms without weights, after the sums': {
      ...opt,
      layer_norm_elementwise_affine: false,
      do_layer_norm_before: false,
    },
    'no last norm': { ...opt, _remove_final_layer_norm: true, activation_function: 'gelu' },
  },
  gpt_neo: {
    'two patterns': {
      ...neo,
      window_size: 3,
      attention_types: [
        [['local'], 2],
        [['global'], 1],
      ],
    },
    'another width inside': {
      ...neo,
      window_size: 2,
      attention_types: [[['global', 'local', 'local'], 1]],
      intermediate_size: 20,
    },
    'one token in sight': { ...neo, window_size: 1, attention_types: [[['local'], 3]] },
  },
  bloom: {
    'six heads': bloom,
    'the other spelling': { n_embed: 20, num_hidden_layers: 2, num_attention_heads: 5, vocab_size: VOCAB },
    'residuals that leave from norms': { ...bloom, apply_residual_connection_post_layernorm: true },
    'another eps': { ...bloom, layer_norm_epsilon: 1e-3, n_head: 1 },
  },
  phi: {
    'grouped heads': { ...rotary, hidden_size: 32 },
    'a tied head with a bias': { ...rotary, hidden_size: 32, tie_word_embeddings: true },
    'normed queries and keys': { ...rotary, qk_layernorm: true, partial_rotary_factor: 0.34 },
    'all of each head turned': { ...rotary, partial_rotary_factor: 1, hidden_act: 'gelu', rope_theta: 300 },
  },
  phi3: {
    'grouped heads': { ...rotary, sliding_window: 4 },
    'a part of wide heads': { ...rotary, head_dim: 8, partial_rotary_factor: 0.75 },
    'longrope of a short text': { ...rotary, original_max_position_embeddings: 32, rope_scaling: longrope },
    'longrope of a long text': { ...rotary, original_max_position_embeddings: 8, rope_scaling: longrope },
    'longrope without a longer length': { ...rotary, original_max_position_embeddings: 64, rope_scaling: longrope },
    "longrope, by transformers' default length": { ...rotary, rope_scaling: longrope },
  },
  gemma2: {
    'caps as transformers has them': { ...gemma, query_pre_attn_scalar: 3 },
    'no caps': { ...gemma, attn_logit_softcapping: null, final_logit_softcapping: null },
    'a cap of scores': {
      ...gemma,
      attn_logit_softcapping: 0.5,
      final_logit_softcapping: null,
      query_pre_attn_scalar: 4,
    },
    'types of layers': {
      ...gemma,
      layer_types: ['full_attention', 'sliding_attention', 'sliding_attention'],
      attention_bias: true,
      num_key_value_heads: undefined,
    },
  },
  gemma3_text: {
    'types by a pattern': { ...gemma, num_hidden_layers: 6, query_pre_attn_scalar: 6 },
    'types by another pattern': { ...gemma, sliding_window_pattern: 2, final_logit_softcapping: 2 },
    'a cap that is not used': { ...gemma, attn_logit_softcapping: 0.5, layer_types: Array(3).fill('full_attention') },
    'scaled bases of some layers': {
      ...gemma,
      sliding_window_pattern: 2,
      rope_theta: 5000,
      rope_local_base_freq: 300,
      rope_scaling: { rope_type: 'linear', factor: 4 },
    },
    'nested bases': {
      ...gemma,
      sliding_window_pattern: 2,
      rope_parameters: {
        full_attention: { rope_type: 'default', rope_theta: 700 },
        sliding_attention: { rope_type: 'default', rope_theta: 70 },
      },
    },
    'both ways': { ...gemma, use_bidirectional_attention: true, sliding_window: 4, attention_bias: true },
    'both ways, an odd window': { ...gemma, use_bidirectional_attention: true, sliding_window: 7 },
  },
  olmo2: {
    'grouped heads': rotary,
    biases: { ...rotary, attention_bias: true, head_dim: 8, rms_norm_eps: 1e-3, tie_word_embeddings: true },
  },
  granite: {
    'factors of 1': rotary,
    'factors and biases': {
      ...rotary,
      embedding_multiplier: 12,
      attention_multiplier: 0.015625,
      residual_multiplier: 0.22,
      logits_scaling: 8,
      attention_bias: true,
      mlp_bias: true,
    },
  },
  stablelm: {
    'as it is': { ...rotary, head_dim: undefined, hidden_size: 32 },
    'attention and feed-forward in parallel': { ...rotary, hidden_size: 32, use_parallel_residual: true },
    'normed queries and keys': { ...rotary, hidden_size: 32, qk_layernorm: true, use_qkv_bias: true },
    both: { ...rotary, hidden_size: 32, qk_layernorm: true, use_parallel_residual: true, partial_rotary_factor: 0.5 },
  },
  smollm3: {
    'every fourth layer': { ...rotary, num_hidden_layers: 5 },
    'every other layer': { ...rotary, no_rope_layer_interval: 2, attention_bias: true, mlp_bias: true },
    'a window where nothing turns': {
      ...rotary,
      no_rope_layers: [0, 1, 0],
      use_sliding_window: true,
      sliding_window: 3,
    },
    'a window where types say it': {
      ...rotary,
      no_rope_layers: [0, 1, 0],
      use_sliding_window: true,
      sliding_window: 3,
      layer_types: ['full_attention', 'sliding_attention', 'full_attention'],
      tie_word_embeddings: false,
    },
  },
};

describe.each(Object.entries(FAMILIES))('%s', (model_type, variants) => {
  test.each(Object.entries(variants))('%s', async (_, others) => {
    const config: Record<string, unknown> = JSON.parse(JSON.stringify({ model_type, ...others })) as never;
    const random = new Random(7);
    const weights = await fitted(
      async (weights) => {
        const model = await openModel({ config, weights, attention });
        const { logits } = model.forward([1]);
        model.dispose();
        if (!logits) throw new Error("a tensor 'lm_head.weight', got none");
      },
      // With the prefix of a model with a head.
      { [embeddingName(config)]: random.tensor([1]) },
      // Embeddings and maps that keep numbers near 1.
      (_, shape): Tensor => {
        const { data } = random.tensor(shape, shape.length === 2 ? shape[1]! ** -0.5 : 0.5);
        return { data, shape };
      },
    );
    const model = await openModel({ config, weights, attention });
    const ids = Array.from({ length: 12 }, () => random.integer(0, VOCAB - 1));
    const expected = decoded(config, weights, ids);
    expect([...expected.used].sort()).toEqual(Object.keys(weights).sort());
    const { hiddenStates, weights: maps, logits } = model.forward(ids, { needHiddenStates: true, needWeights: true });
    // Sums of 30 roundings of numbers up to 4 in each of three to six layers.
    const tolerance = { atol: 128 * EPS, rtol: 128 * EPS };
    expected.hiddenStates.forEach((states, i) => {
      expectClose(hiddenStates![i], { ...states, shape: [1, ...states.shape] }, tolerance);
    });
    expected.weights.forEach((each, i) => expectClose(maps![i], { ...each, shape: [1, ...each.shape] }, tolerance));
    expectClose(logits, { ...expected.logits, shape: [1, ...expected.logits.shape] }, tolerance);
    if (model.isCausal && !config.rope_scaling) {
      const cache = model.createCache({ maxLength: 12 });
      const parts = [ids.slice(0, 5), ids.slice(5, 6), ids.slice(6)].map(
        (part) => model.forward(part, { cache }).logits!,
      );
      const data = Float32Array.from(parts.flatMap((part) => Array.from(part.data)));
      expectClose({ data, shape: logits!.shape }, { ...expected.logits, shape: [...logits!.shape] }, tolerance);
    }
    model.dispose();
  });
});
