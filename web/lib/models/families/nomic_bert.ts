import type { Activation, Architecture, LayerNames, Names } from '../config/architecture.js';
import { activationOf, common, headDimOf, type Fields } from '../config/fields.js';
import { rotaryOf } from '../config/rotary.js';
import { stacked } from '../weights/parts.js';
import { bertTasks } from './bert.js';

/** The first code's names of gated networks. */
const GATED: Readonly<Record<string, Activation>> = { swiglu: 'silu', geglu: 'gelu' };

/** Fields that the first code calls otherwise than transformers; where a config has both, they have to agree. */
const NAMES = {
  num_hidden_layers: 'n_layer',
  num_attention_heads: 'n_head',
  hidden_size: 'n_embd',
  layer_norm_eps: 'layer_norm_epsilon',
};

const HEAD = 'cls.predictions';

/** BERT with rotary positions and gated feed-forward networks, in the form of its first code or of transformers. */
export function nomicBert(fields: Fields): Architecture {
  for (const field of ['prenorm', 'parallel_block', 'use_rms_norm', 'causal', 'rotary_emb_interleaved']) {
    fields.only(field, false);
  }
  for (const field of ['rotary_emb_scale_base', 'rotary_scaling_factor', 'moe_every_n_layers']) fields.without(field);
  for (const [name, first] of Object.entries(NAMES)) {
    const value = fields.get(name);
    if (typeof value === 'number') fields.onlyIfGiven(first, value);
  }
  const all = common(fields, { layers: 'n_layer', heads: 'n_head', hiddens: 'n_embd', maxLength: 'n_positions' });
  const headDim = headDimOf(fields, all, fields.has('num_attention_heads') ? undefined : 'n_head');
  fields.onlyIfGiven('head_dim', headDim);
  const rotary = rotaryOf(
    fields,
    { ...all, headDim },
    { theta: 'rotary_emb_base', defaultTheta: 1000, part: 'rotary_emb_fraction' },
  );
  const activation = activationsOf(fields);
  const multiple = fields.size('pad_vocab_size_multiple', 1);
  const inner = fields.sizeOrNull('intermediate_size') ?? fields.sizeOrNull('n_inner') ?? 4 * all.hiddens;
  const biasOf = (field: string): boolean | undefined => (fields.has(field) ? fields.flag(field, false) : undefined);
  const [qkvBias, upBias, downBias] = ['qkv_proj_bias', 'mlp_fc1_bias', 'mlp_fc2_bias'].map(biasOf);
  const form = { qkv: !!qkvBias, output: !!qkvBias, up: !!upBias, down: !!downBias, norm: true };
  const tasks = bertTasks(activation);
  return {
    ...all,
    ...rotary,
    vocab: Math.ceil(all.vocab / multiple) * multiple,
    headDim,
    ffnHiddens: inner,
    activation,
    gated: true,
    norm: 'layer',
    eps: fields.number(fields.has('layer_norm_eps') ? 'layer_norm_eps' : 'layer_norm_epsilon', 1e-12),
    order: 'post',
    causal: false,
    positionKind: 'rotary',
    tokenTypes: fields.size('type_vocab_size', 2, undefined, 0),
    bias: form,
    tied: fields.flag('tie_word_embeddings', true),
    names: firstNames,
    tasks,
    inFile(shapeOf) {
      const has = (tensor: string) => shapeOf(tensor) !== undefined;
      const isFirst = !has('layers.0.self_attn.q_proj.weight');
      const at = 'encoder.layers.0';
      const rows = shapeOf(`${at}.mlp.fc11.weight`)?.[0];
      // The first code rounds it up.
      const ffnHiddens = isFirst && rows === Math.ceil(inner / 256) * 256 ? rows : inner;
      const norm = `${HEAD}.transform.${has(`${HEAD}.transform.layer_norm.weight`) ? 'layer_norm' : 'LayerNorm'}`;
      const bias = [`${HEAD}.bias`, `${HEAD}.decoder.bias`].find(has);
      return {
        ffnHiddens,
        names: isFirst ? firstNames : ownNames,
        bias: {
          ...form,
          qkv: qkvBias ?? has(`${at}.attn.Wqkv.bias`),
          output: qkvBias ?? has(`${at}.attn.out_proj.bias`),
          up: upBias ?? has(`${at}.mlp.fc11.bias`),
          down: downBias ?? has(`${at}.mlp.fc2.bias`),
        },
        tasks: {
          ...tasks,
          MaskedLM: {
            ...tasks.MaskedLM,
            norm,
            mapBias: !isFirst || upBias === true || has(`${HEAD}.transform.dense.bias`),
            bias: bias ?? (isFirst && !upBias ? false : `${HEAD}.bias`),
          },
        },
      };
    },
  };
}

function activationsOf(fields: Fields): Activation {
  const given = fields.has('activation_function') ? fields.oneOf('activation_function', GATED) : undefined;
  const own = fields.has('hidden_act') ? activationOf(fields, 'hidden_act', 'silu') : undefined;
  if (given && own && given !== own) fields.wrong('activation_function', "to be hidden_act's", given);
  return own ?? given ?? 'silu';
}

const embeddings = {
  tokens: 'embeddings.word_embeddings',
  types: 'embeddings.token_type_embeddings',
  pooler: 'pooler.dense',
  prefix: 'bert.',
  otherPrefix: 'nomic_bert.',
};

const firstNames: Names = {
  ...embeddings,
  embeddingNorm: 'emb_ln',
  layer: (i) => {
    const at = `encoder.layers.${i}`;
    return {
      query: stacked(`${at}.attn.Wqkv`, 0, 3),
      key: stacked(`${at}.attn.Wqkv`, 1, 3),
      value: stacked(`${at}.attn.Wqkv`, 2, 3),
      output: `${at}.attn.out_proj`,
      norm1: `${at}.norm1`,
      up: [`${at}.mlp.fc12`, `${at}.mlp.fc11`],
      down: `${at}.mlp.fc2`,
      norm2: `${at}.norm2`,
    };
  },
};

const ownNames: Names = { ...embeddings, embeddingNorm: 'embeddings.LayerNorm', layer: ownLayer };

function ownLayer(i: number): LayerNames {
  const at = `layers.${i}`;
  return {
    query: `${at}.self_attn.q_proj`,
    key: `${at}.self_attn.k_proj`,
    value: `${at}.self_attn.v_proj`,
    output: `${at}.self_attn.o_proj`,
    norm1: `${at}.post_attention_layernorm`,
    up: [`${at}.mlp.gate_proj`, `${at}.mlp.up_proj`],
    down: `${at}.mlp.down_proj`,
    norm2: `${at}.post_mlp_layernorm`,
  };
}
