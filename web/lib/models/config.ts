/** Reads a config.json of Hugging Face's transformers: what a model is made of, whatever its family calls it. */
import { wrongKind, wrongValue } from '../check/values.js';
import type { activations } from '../generated/bindings/enums.js';
import type { RotaryScaling } from '../ops/rotary/scaling.js';

export const OPERATION = 'openModel';

type Activation = (typeof activations)[number];

/** The families that can be opened, by `config.model_type`. */
export type Family =
  | 'bert'
  | 'roberta'
  | 'distilbert'
  | 'albert'
  | 'gpt2'
  | 'gpt_neox'
  | 'llama'
  | 'mistral'
  | 'qwen2'
  | 'qwen3';

/** A model, as this library's steps see it. */
export interface Architecture {
  readonly family: Family;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly hiddens: number;
  readonly ffnHiddens: number;
  readonly vocab: number;
  readonly maxLength: number;
  /** The width of embeddings, which ALBERT maps to `hiddens`. */
  readonly embedding: number;
  readonly activation: Activation;
  readonly gated: boolean;
  readonly norm: 'layer' | 'rms';
  readonly eps: number;
  /** Where the norms are. 'parallel': attention and feed-forward both read the layer's input. */
  readonly order: 'post' | 'pre' | 'parallel';
  readonly causal: boolean;
  /** For each layer, how many keys up to its own a query sees; undefined: all. */
  readonly windows: readonly (number | undefined)[];
  readonly rotary?: { readonly dim: number; readonly base: number; readonly scaling?: RotaryScaling };
  /** Rows of a learned table of positions, and the one of the first token. */
  readonly positions?: { readonly rows: number; readonly first: number };
  readonly tokenTypes: number;
  readonly padId: number | undefined;
  readonly qkNorm: boolean;
  readonly bias: { readonly qkv: boolean; readonly output: boolean; readonly ffn: boolean };
  /** Which layer's parameters each layer has: ALBERT's share them. */
  readonly groups: readonly number[];
  readonly tied: boolean;
  readonly eos: ReadonlySet<number>;
  /** The first of `config.architectures`. */
  readonly head: string;
}

/** The fields of a config, checked as they are read. */
class Fields {
  readonly #config: Record<string, unknown>;
  readonly #path: string;

  constructor(config: Record<string, unknown>, path = '') {
    this.#config = config;
    this.#path = path;
  }

  name(field: string): string {
    return `config.${this.#path}${field}`;
  }

  get(field: string): unknown {
    return Object.hasOwn(this.#config, field) ? (this.#config[field] ?? undefined) : undefined;
  }

  has(field: string): boolean {
    return Object.hasOwn(this.#config, field);
  }

  size(field: string, otherwise?: number, max = 2 ** 24): number {
    const value = this.get(field) ?? otherwise;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > max) {
      wrongValue(OPERATION, `${this.name(field)} to be a whole number within [1, ${max}]`, this.shown(value));
    }
    return value;
  }

  number(field: string, otherwise?: number): number {
    const value = this.get(field) ?? otherwise;
    if (typeof value !== 'number' || !(value > 0) || !Number.isFinite(Math.fround(value))) {
      wrongValue(OPERATION, `${this.name(field)} to be a number above 0`, this.shown(value));
    }
    return value;
  }

  flag(field: string, otherwise: boolean): boolean {
    const value = this.get(field) ?? otherwise;
    if (typeof value !== 'boolean')
      wrongValue(OPERATION, `${this.name(field)} to be a boolean`, this.shown(value));
    return value;
  }

  /** Refuses a config in which a field has another value than this. */
  only(field: string, ...allowed: readonly unknown[]): void {
    const value = this.get(field);
    if (value !== undefined && !allowed.includes(value)) {
      wrongValue(
        OPERATION,
        `${this.name(field)} to be ${allowed.map(String).join(' or ')}`,
        this.shown(value),
      );
    }
  }

  object(field: string): Fields | undefined {
    const value = this.get(field);
    if (value === undefined) return undefined;
    if (typeof value !== 'object')
      wrongValue(OPERATION, `${this.name(field)} to be an object`, this.shown(value));
    return new Fields(value as Record<string, unknown>, `${this.#path}${field}.`);
  }

  shown(value: unknown): unknown {
    return typeof value === 'string' ? `'${value}'` : value;
  }
}

/** Names of transformers' activations. */
const ACTIVATIONS: Readonly<Record<string, Activation>> = {
  gelu: 'gelu',
  gelu_python: 'gelu',
  gelu_new: 'gelu-tanh',
  gelu_fast: 'gelu-tanh',
  gelu_pytorch_tanh: 'gelu-tanh',
  relu: 'relu',
  silu: 'silu',
  swish: 'silu',
};

function activationOf(fields: Fields, field: string, otherwise: string): Activation {
  const name = fields.get(field) ?? otherwise;
  if (typeof name !== 'string' || !Object.hasOwn(ACTIVATIONS, name)) {
    const known = Object.keys(ACTIVATIONS).join(', ');
    wrongValue(OPERATION, `${fields.name(field)} to be one of ${known}`, fields.shown(name));
  }
  return ACTIVATIONS[name]!;
}

type Rotary = NonNullable<Architecture['rotary']>;

/** `rope_parameters` of transformers 5, or `rope_theta` and `rope_scaling` of earlier versions. */
function rotaryOf(
  fields: Fields,
  headDim: number,
  maxLength: number,
  part = 1,
  theta = 'rope_theta',
): Rotary {
  const parameters = fields.object('rope_parameters');
  const base =
    parameters?.get('rope_theta') === undefined
      ? fields.number(theta, 10000)
      : parameters.number('rope_theta');
  const share =
    parameters?.get('partial_rotary_factor') === undefined
      ? part
      : parameters.number('partial_rotary_factor');
  const dim = Math.floor(headDim * share);
  if (dim < 2 || dim % 2 !== 0 || dim > headDim) {
    wrongValue(OPERATION, 'config of a rotary width that is even', dim);
  }
  const given = parameters ?? fields.object('rope_scaling');
  const scaling = given && scalingOf(given, maxLength);
  return { dim, base, ...(scaling && { scaling }) };
}

function scalingOf(given: Fields, maxLength: number): RotaryScaling | undefined {
  const field = given.has('rope_type') ? 'rope_type' : 'type';
  const type = (given.get(field) ?? 'default') as RotaryScaling['type'] | 'default';
  const original = given.size('original_max_position_embeddings', maxLength, 2 ** 30);
  const factor = () => given.number('factor');
  switch (type) {
    case 'default':
      return undefined;
    case 'linear':
      return { type, factor: factor() };
    case 'dynamic':
      return { type, factor: factor(), originalMaxLength: original };
    case 'longrope':
      return {
        type,
        factor: given.number('factor', Math.max(1, maxLength / original)),
        originalMaxLength: original,
        shortFactor: given.get('short_factor') as number[],
        longFactor: given.get('long_factor') as number[],
        ...(given.get('attention_factor') !== undefined && {
          attentionFactor: given.number('attention_factor'),
        }),
      };
    case 'llama3':
      return {
        type,
        factor: factor(),
        originalMaxLength: original,
        lowFreqFactor: given.number('low_freq_factor'),
        highFreqFactor: given.number('high_freq_factor'),
      };
    case 'yarn': {
      const amplitude =
        given.get('attention_factor') === undefined
          ? yarnAmplitude(given, factor())
          : given.number('attention_factor');
      return {
        type,
        factor: factor(),
        originalMaxLength: original,
        betaFast: given.number('beta_fast', 32),
        betaSlow: given.number('beta_slow', 1),
        truncate: given.flag('truncate', true),
        ...(amplitude !== undefined && { attentionFactor: amplitude }),
      };
    }
    default:
      return wrongValue(
        OPERATION,
        `${given.name(field)} to be default, linear, dynamic, llama3, yarn or longrope`,
        given.shown(type),
      );
  }
}

function yarnAmplitude(given: Fields, factor: number): number | undefined {
  if (given.get('mscale') === undefined || given.get('mscale_all_dim') === undefined) return undefined;
  const amplitude = (scale: number) => (factor > 1 ? 0.1 * scale * Math.log(factor) + 1 : 1);
  return amplitude(given.number('mscale')) / amplitude(given.number('mscale_all_dim'));
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

function eosOf(fields: Fields): ReadonlySet<number> {
  const given = fields.get('eos_token_id');
  const ids = given === undefined ? [] : Array.isArray(given) ? (given as unknown[]) : [given];
  return new Set(
    ids.map((id) =>
      Number.isInteger(id)
        ? (id as number)
        : wrongValue(
            OPERATION,
            `${fields.name('eos_token_id')} to be a token or a list of tokens`,
            fields.shown(id),
          ),
    ),
  );
}

/** The id of a token; undefined for none, which some configs write as -1. */
function idOf(fields: Fields, field: string): number | undefined {
  const id = fields.get(field);
  return Number.isInteger(id) && (id as number) >= 0 && (id as number) < 2 ** 24 ? (id as number) : undefined;
}

/** What all families have in common, under the names that most of them use. */
function common(
  fields: Fields,
  names: Partial<Record<'layers' | 'heads' | 'hiddens' | 'maxLength', string>> = {},
) {
  const layers = fields.size(names.layers ?? 'num_hidden_layers', undefined, 1024);
  const heads = fields.size(names.heads ?? 'num_attention_heads', undefined, 2 ** 12);
  const hiddens = fields.size(names.hiddens ?? 'hidden_size');
  const maxLength = fields.size(names.maxLength ?? 'max_position_embeddings', undefined, 2 ** 30);
  const vocab = fields.size('vocab_size');
  const architectures = fields.get('architectures');
  const head: unknown = Array.isArray(architectures) ? (architectures as unknown[])[0] : undefined;
  fields.only('add_cross_attention', false);
  return {
    layers,
    heads,
    kvHeads: heads,
    hiddens,
    maxLength,
    vocab,
    embedding: hiddens,
    groups: Array.from({ length: layers }, (_, i) => i),
    windows: Array<undefined>(layers).fill(undefined),
    eos: eosOf(fields),
    padId: idOf(fields, 'pad_token_id'),
    tokenTypes: 0,
    qkNorm: false,
    gated: false,
    head: typeof head === 'string' ? head : '',
  };
}

/** A head's width, where it is a part of the model's. */
function headDimOf(fields: Fields, hiddens: number, heads: number): number {
  if (hiddens % heads !== 0)
    wrongValue(OPERATION, `${fields.name('number of heads')} to divide ${hiddens}`, heads);
  return hiddens / heads;
}

const ALL_BIASES = { qkv: true, output: true, ffn: true };

/** BERT and what was made of it: norms after the sums, learned positions, no order of the tokens. */
function encoder(fields: Fields, family: Family): Architecture {
  fields.only('position_embedding_type', 'absolute');
  fields.only('is_decoder', false);
  const distilled = family === 'distilbert';
  const names = distilled ? { layers: 'n_layers', heads: 'n_heads', hiddens: 'dim' } : {};
  const all = common(fields, names);
  const padId = family === 'roberta' ? 1 : 0;
  const pad = all.padId ?? padId;
  // RoBERTa's positions begin after the padding's.
  const first = family === 'roberta' ? pad + 1 : 0;
  if (all.maxLength <= first)
    wrongValue(OPERATION, `${fields.name('max_position_embeddings')} above ${first}`, all.maxLength);
  return {
    ...all,
    family,
    maxLength: all.maxLength - first,
    positions: { rows: all.maxLength, first },
    padId: pad,
    headDim: headDimOf(fields, all.hiddens, all.heads),
    ffnHiddens: fields.size(distilled ? 'hidden_dim' : 'intermediate_size'),
    activation: activationOf(
      fields,
      distilled ? 'activation' : 'hidden_act',
      family === 'albert' ? 'gelu_new' : 'gelu',
    ),
    norm: 'layer',
    eps: distilled ? 1e-12 : fields.number('layer_norm_eps', 1e-12),
    order: 'post',
    causal: false,
    tokenTypes: distilled ? 0 : fields.size('type_vocab_size', 2),
    bias: ALL_BIASES,
    tied: fields.flag('tie_word_embeddings', true),
  };
}

function albert(fields: Fields): Architecture {
  const all = encoder(fields, 'albert');
  fields.only('inner_group_num', 1);
  const groups = fields.size('num_hidden_groups', 1, 1024);
  return {
    ...all,
    embedding: fields.size('embedding_size', 128),
    groups: Array.from({ length: all.layers }, (_, i) => Math.floor((i * groups) / all.layers)),
  };
}

function gpt2(fields: Fields): Architecture {
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

function neox(fields: Fields): Architecture {
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
    rotary: rotaryOf(fields, headDim, all.maxLength, fields.number('rotary_pct', 0.25), 'rotary_emb_base'),
    bias: { qkv: bias, output: bias, ffn: true },
    tied: fields.flag('tie_word_embeddings', false),
  };
}

/** Llama and what was made of it: RMSNorm before each part, rotary positions, a gated feed-forward. */
function llama(fields: Fields, family: Family): Architecture {
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
  const first =
    family === 'mistral'
      ? 0
      : fields.get('max_window_layers') === undefined
        ? 28
        : Number(fields.get('max_window_layers'));
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
    rotary: rotaryOf(fields, headDim, all.maxLength),
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

const FAMILIES: Readonly<Record<Family, (fields: Fields, family: Family) => Architecture>> = {
  bert: encoder,
  roberta: encoder,
  distilbert: encoder,
  albert,
  gpt2,
  gpt_neox: neox,
  llama,
  mistral: llama,
  qwen2: llama,
  qwen3: llama,
};

/**
 * What a config describes.
 *
 * @throws TypeError if it is not an object; RangeError that names a field which is missing, wrong or not supported
 */
export function readConfig(config: unknown): Architecture {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    wrongKind(OPERATION, 'config to be an object', config);
  }
  // A copy, so that getters and proxies run once.
  const fields = new Fields(structuredCopy(config));
  const family = fields.get('model_type');
  if (typeof family !== 'string' || !Object.hasOwn(FAMILIES, family)) {
    wrongValue(
      OPERATION,
      `config.model_type to be one of ${Object.keys(FAMILIES).join(', ')}`,
      fields.shown(family),
    );
  }
  if (fields.get('quantization_config') !== undefined) {
    wrongValue(OPERATION, 'no config.quantization_config', 'a quantised model');
  }
  return FAMILIES[family as Family](fields, family as Family);
}

/** A config is JSON: what is not comes out as JSON has it. */
function structuredCopy(config: object): Record<string, unknown> {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(config));
  } catch {
    // Circles, or a hostile getter.
  }
  if (typeof copy !== 'object' || copy === null)
    wrongKind(OPERATION, 'config to be plain data', 'something else');
  return copy as Record<string, unknown>;
}
