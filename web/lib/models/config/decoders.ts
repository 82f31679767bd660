import { wrongValue } from '../../check/values.js';
import { OPERATION, type Architecture, type Family } from './architecture.js';
import { ALL_BIASES, common, headDimOf } from './common.js';
import { activationOf, type Fields } from './fields.js';
import { rotaryOf } from './rotary.js';

export function gpt2(fields: Fields): Architecture {
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
    headDim: headDimOf(fields, all.hiddens, all.heads),
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

export function neox(fields: Fields): Architecture {
  const all = common(fields);
  const headDim = headDimOf(fields, all.hiddens, all.heads);
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
    ...rotaryOf(fields, headDim, all.maxLength, fields.number('rotary_pct', 0.25), 'rotary_emb_base'),
    bias: { qkv: bias, output: bias, ffn: true },
    tied: fields.flag('tie_word_embeddings', false),
  };
}

/** Llama and what was made of it: RMSNorm before each part, rotary positions, a gated feed-forward. */
export function llama(fields: Fields, family: Family): Architecture {
  const all = common(fields);
  const kvHeads = fields.size('num_key_value_heads', family === 'mistral' ? 8 : all.heads, all.heads);
  if (all.heads % kvHeads !== 0) {
    wrongValue(OPERATION, `${fields.name('num_key_value_heads')} to divide ${all.heads}`, kvHeads);
  }
  const headDim =
    fields.get('head_dim') === undefined
      ? family === 'qwen3'
        ? 128
        : headDimOf(fields, all.hiddens, all.heads)
      : fields.size('head_dim');
  const bias = family === 'llama' || family === 'qwen3' ? fields.flag('attention_bias', false) : false;
  const ffn = family === 'llama' && fields.flag('mlp_bias', false);
  const window = slidingWindow(fields, family);
  const first = family === 'mistral' ? 0 : fields.size('max_window_layers', 28, 2 ** 30, 0);
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
    windows: window === undefined ? all.windows : windowsOf(fields, all.layers, window, first),
    ...rotaryOf(fields, headDim, all.maxLength),
    qkNorm: family === 'qwen3',
    bias: { qkv: bias || family === 'qwen2', output: bias, ffn },
    tied: fields.flag('tie_word_embeddings', false),
  };
}

function slidingWindow(fields: Fields, family: Family): number | undefined {
  if (family === 'llama') return undefined;
  if (family === 'mistral') {
    return fields.has('sliding_window') && fields.get('sliding_window') === undefined
      ? undefined
      : fields.size('sliding_window', 4096, 2 ** 30);
  }
  if (!fields.flag('use_sliding_window', false) || fields.get('sliding_window') === undefined)
    return undefined;
  return fields.size('sliding_window', undefined, 2 ** 30);
}

/** How many keys each layer's queries see: `layer_types` says it, or else those from `max_window_layers` on see a window. */
function windowsOf(
  fields: Fields,
  layers: number,
  window: number | undefined,
  first: number,
): (number | undefined)[] {
  const types = fields.get('layer_types');
  if (types !== undefined && (!Array.isArray(types) || types.length !== layers)) {
    wrongValue(OPERATION, `${fields.name('layer_types')} of ${layers} layers`, types);
  }
  return Array.from({ length: layers }, (_, i) => {
    if (types === undefined) return i >= first ? window : undefined;
    const type: unknown = (types as readonly unknown[])[i];
    if (type !== 'full_attention' && type !== 'sliding_attention') {
      wrongValue(
        OPERATION,
        `${fields.name('layer_types')} of full_attention and sliding_attention`,
        fields.shown(type),
      );
    }
    return type === 'sliding_attention' ? window : undefined;
  });
}
