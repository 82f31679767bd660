import type { Architecture, Family } from './architecture.js';
import { DECODERS } from './decoderNames.js';
import { activationOf, ALL_BIASES, common, headDimOf, type Fields } from './fields.js';
import { rotaryOf } from './rotary.js';
import { windowsOf } from './windows.js';

type Unnamed = Omit<Architecture, 'names'>;

/** What the config of a decoder describes. */
export function readDecoder(fields: Fields, family: Family): Architecture {
  const readFamily = family === 'gpt2' ? gpt2 : family === 'gpt_neox' ? neox : llama;
  return { ...readFamily(fields, family), names: DECODERS[family]! };
}

function gpt2(fields: Fields): Unnamed {
  const all = common(fields, {
    layers: 'n_layer',
    heads: 'n_head',
    hiddens: 'n_embd',
    maxLength: 'n_positions',
  });
  fields.only('scale_attn_by_inverse_layer_idx', false);
  fields.only('scale_attn_weights', true);
  return {
    ...all,
    family: 'gpt2',
    positions: { rows: all.maxLength, first: 0 },
    headDim: headDimOf(fields, all, 'n_head'),
    ffnHiddens: fields.size('n_inner', 4 * all.hiddens),
    activation: activationOf(fields, 'activation_function', 'gelu_new'),
    norm: 'layer',
    eps: fields.number('layer_norm_epsilon', 1e-5),
    order: 'pre',
    causal: true,
    bias: ALL_BIASES,
    tied: fields.flag('tie_word_embeddings', true),
  };
}

function neox(fields: Fields): Unnamed {
  const all = common(fields);
  const headDim = headDimOf(fields, all);
  const bias = fields.flag('attention_bias', true);
  return {
    ...all,
    family: 'gpt_neox',
    headDim,
    ffnHiddens: fields.size('intermediate_size'),
    activation: activationOf(fields, 'hidden_act', 'gelu'),
    norm: 'layer',
    eps: fields.number('layer_norm_eps', 1e-5),
    order: fields.flag('use_parallel_residual', true) ? 'parallel' : 'pre',
    causal: true,
    ...rotaryOf(fields, headDim, all.maxLength, fields.number('rotary_pct', 0.25), 'rotary_emb_base', 'rotary_pct'),
    bias: { qkv: bias, output: bias, ffn: true },
    tied: fields.flag('tie_word_embeddings', false),
  };
}

/** Llama and what was made of it: RMSNorm before each part, rotary positions, a gated feed-forward. */
function llama(fields: Fields, family: Family): Unnamed {
  const all = common(fields);
  const kvHeads = fields.size('num_key_value_heads', family === 'mistral' ? 8 : all.heads, all.heads);
  if (all.heads % kvHeads !== 0) {
    fields.wrong('num_key_value_heads', 'to divide the heads', kvHeads);
  }
  const headDim =
    fields.get('head_dim') === undefined
      ? family === 'qwen3'
        ? 128
        : headDimOf(fields, all)
      : fields.size('head_dim');
  // transformers reads it, and cannot rotate a part.
  for (const each of [fields, fields.object('rope_parameters')]) each?.only('partial_rotary_factor', 1);
  const bias = (family === 'llama' || family === 'qwen3') && fields.flag('attention_bias', false);
  const ffn = family === 'llama' && fields.flag('mlp_bias', false);
  const window = slidingWindow(fields, family);
  const windows = window === undefined ? all.windows : windowsOf(fields, family, all.layers, window);
  return {
    ...all,
    family,
    kvHeads,
    headDim,
    ffnHiddens: fields.size('intermediate_size'),
    activation: activationOf(fields, 'hidden_act', 'silu'),
    gated: true,
    norm: 'rms',
    eps: fields.number('rms_norm_eps', 1e-6),
    order: 'pre',
    causal: true,
    windows,
    ...rotaryOf(fields, headDim, all.maxLength),
    qkNorm: family === 'qwen3',
    bias: { qkv: bias || family === 'qwen2', output: bias, ffn },
    tied: fields.flag('tie_word_embeddings', false),
  };
}

function slidingWindow(fields: Fields, family: Family): number | undefined {
  // Mistral's null is none, and without the field it has one.
  const isMistral = family === 'mistral';
  if (family === 'llama' || !(isMistral || fields.flag('use_sliding_window', false))) return undefined;
  if (fields.get('sliding_window') === undefined && (!isMistral || fields.has('sliding_window'))) {
    return undefined;
  }
  return fields.size('sliding_window', 4096, 2 ** 30);
}
