/**
 * How the metadata of each architecture of llama.cpp becomes a family's config, and what its tensors are called.
 * Sources: ggml-org/llama.cpp, conversion and src/models.
 */
import { wrongValue } from '../../check/values.js';
import { OPERATION, type Architecture, type LayerNames, type Part } from '../config/architecture.js';
import { readConfig } from '../config/readConfig.js';
import { rowsOf, stacked, type Source } from '../weights/parts.js';
import type { Metadata } from './metadata.js';

type Config = Record<string, unknown>;

interface Kind {
  readonly config: (file: Metadata) => Config | Promise<Config>;
  /** What the file has otherwise than transformers. */
  readonly form: (a: Architecture) => Architecture;
}

/** @throws RangeError that names the key, the config's field that it becomes, or the tensor */
export async function readArchitecture(
  file: Metadata,
  generationConfig: unknown,
  part: Part | undefined,
): Promise<Architecture> {
  const { architecture } = file;
  if (!Object.hasOwn(KINDS, architecture)) {
    const known = Object.keys(KINDS).join(', ');
    wrongValue(OPERATION, `key 'general.architecture' to be one of ${known}`, `'${architecture}'`);
  }
  const { config: configOf, form } = KINDS[architecture]!;
  const config = await configOf(file);
  file.checkRest();
  const { inFile: _, ...all } = readConfig(config, generationConfig, part);
  return form(all);
}

/** What the configs of all families have. */
function common(file: Metadata): Config {
  return {
    hidden_size: file.number('embedding_length'),
    num_hidden_layers: file.number('block_count'),
    num_attention_heads: file.number('attention.head_count'),
    intermediate_size: file.needed('feed_forward_length'),
    max_position_embeddings: file.number('context_length'),
    vocab_size: file.rows('token_embd.weight'),
    tie_word_embeddings: !file.has('output.weight'),
    // Of a text, a turn and a message.
    eos_token_id: ['eos', 'eot', 'eom'].flatMap((end) => file.get(`tokenizer.ggml.${end}_token_id`) ?? []),
    pad_token_id: file.get('tokenizer.ggml.padding_token_id'),
    num_local_experts: file.optional('expert_count'),
  };
}

/** Decoders with rotary positions. */
function rotating(file: Metadata): Config {
  const heads = file.number('attention.head_count');
  const width = file.number('attention.key_length', file.number('embedding_length') / heads);
  const valueWidth = file.number('attention.value_length', width);
  if (valueWidth !== width) {
    wrongValue(OPERATION, `key '${file.architecture}.attention.value_length' to be key_length (${width})`, valueWidth);
  }
  const turned = file.number('rope.dimension_count', width);
  checkCausal(file, true);
  return {
    ...common(file),
    num_key_value_heads: file.optional('attention.head_count_kv') ?? heads,
    head_dim: width,
    // As a share it would be rounded down where the division rounds.
    ...(turned !== width && { partial_rotary_factor: (turned + 0.25) / width }),
    rms_norm_eps: file.number('attention.layer_norm_rms_epsilon'),
    rope_theta: file.number('rope.freq_base', 10000),
    rope_scaling: scalingOf(file),
    attention_bias: ['q', 'k', 'v', 'output'].some((name) => file.has(`blk.0.attn_${name}.bias`)),
    mlp_bias: file.has('blk.0.ffn_up.bias'),
  };
}

function checkCausal(file: Metadata, expected: boolean): void {
  const causal = file.optional('attention.causal') ?? expected;
  if (causal !== expected)
    wrongValue(OPERATION, `key '${file.architecture}.attention.causal' to be ${expected}`, causal);
}

function scalingOf(file: Metadata): Config | undefined {
  const type = file.optional('rope.scaling.type') ?? 'none';
  // Older files have only this.
  const linear = file.optional('rope.scale_linear') ?? 1;
  if (type === 'none') return linear === 1 ? undefined : { rope_type: 'linear', factor: linear };
  // Its factors are tensors.
  if (type === 'longrope') return { rope_type: type };
  return {
    rope_type: type,
    factor: file.number('rope.scaling.factor'),
    original_max_position_embeddings: file.optional('rope.scaling.original_context_length'),
    ...(type === 'yarn' && {
      beta_fast: file.optional('rope.scaling.yarn_beta_fast'),
      beta_slow: file.optional('rope.scaling.yarn_beta_slow'),
    }),
  };
}

/** The divisors of frequencies that a file of Llama 3 has in place of its scaling. */
async function divisors(file: Metadata, config: Config): Promise<Config> {
  // Beside another scaling they are refused, as tensors that nothing has read.
  const list = config.rope_scaling ? undefined : await file.vector('rope_freqs.weight', Number(config.head_dim) / 2);
  return list ? { ...config, rope_scaling: longrope(list, list, 1) } : config;
}

function longrope(short: readonly number[], long: readonly number[], amplitude: unknown): Config {
  return { rope_type: 'longrope', short_factor: short, long_factor: long, attention_factor: amplitude };
}

async function phi3Config(file: Metadata): Promise<Config> {
  const config: Config = { ...rotating(file), model_type: 'phi3' };
  const window = file.optional('attention.sliding_window');
  const pairs = file.number('rope.dimension_count', Number(config.head_dim)) / 2;
  const names = ['rope_factors_short.weight', 'rope_factors_long.weight'] as const;
  const isScaled = file.optional('rope.scaling.type') === 'longrope' || names.some((name) => file.has(name));
  const missing = names.find((name) => !file.has(name));
  if (isScaled && missing !== undefined) wrongValue(OPERATION, `a tensor '${missing}'`, 'none');
  const [short = [], long = []] = await Promise.all(names.map((name) => file.vector(name, pairs)));
  return {
    ...config,
    sliding_window: window === 0 ? undefined : window,
    original_max_position_embeddings: file.optional('rope.scaling.original_context_length'),
    // The family refuses another type beside them.
    ...(isScaled && {
      rope_scaling: {
        ...longrope(short, long, file.optional('rope.scaling.attn_factor')),
        ...(config.rope_scaling as Config),
      },
    }),
  };
}

function gemma3Config(file: Metadata): Config {
  const config = rotating(file);
  const pattern = file.list('attention.sliding_window_pattern');
  // Of the largest model it is not a head's width.
  const isLargest = file.number('block_count') === 62;
  return {
    ...config,
    model_type: 'gemma3_text',
    rope_local_base_freq: file.number('rope.freq_base_swa', 10000),
    sliding_window: file.number('attention.sliding_window'),
    query_pre_attn_scalar: isLargest
      ? file.number('embedding_length') / file.number('attention.head_count')
      : config.head_dim,
    final_logit_softcapping: file.optional('final_logit_softcapping'),
    // A number, or for each layer whether it has the window.
    ...(pattern
      ? { layer_types: pattern.map((each) => (each ? 'sliding_attention' : 'full_attention')) }
      : { sliding_window_pattern: file.optional('attention.sliding_window_pattern') ?? 6 }),
  };
}

function gpt2Config(file: Metadata): Config {
  checkCausal(file, true);
  return {
    ...common(file),
    model_type: 'gpt2',
    n_inner: file.needed('feed_forward_length'),
    layer_norm_epsilon: file.number('attention.layer_norm_epsilon'),
  };
}

function encoderConfig(file: Metadata): Config {
  checkCausal(file, false);
  return {
    ...common(file),
    layer_norm_eps: file.number('attention.layer_norm_epsilon'),
    type_vocab_size: file.has('token_types.weight') ? file.rows('token_types.weight') : 0,
  };
}

type LayerOf = (at: string, a: Architecture) => Partial<LayerNames>;

const base = { prefix: '', tokens: 'token_embd' };

/** The form of a decoder, and how its layers differ from Qwen 2's. */
function decoder(layer: LayerOf = () => ({})) {
  return (a: Architecture): Architecture => ({
    ...a,
    names: {
      ...base,
      ...(a.positions && { positions: 'position_embd' }),
      finalNorm: 'output_norm',
      layer: (i) => {
        const at = `blk.${i}`;
        return {
          norm1: `${at}.attn_norm`,
          query: `${at}.attn_q`,
          key: `${at}.attn_k`,
          value: `${at}.attn_v`,
          output: `${at}.attn_output`,
          norm2: `${at}.ffn_norm`,
          up: [`${at}.ffn_gate`, `${at}.ffn_up`],
          down: `${at}.ffn_down`,
          ...layer(at, a),
        };
      },
    },
    tasks: { CausalLM: { ...a.tasks.CausalLM!, decoder: 'output' } },
  });
}

/** The form of an encoder. */
function encoder(layer: LayerOf) {
  return (a: Architecture): Architecture => ({
    ...a,
    names: {
      ...base,
      positions: 'position_embd',
      types: 'token_types',
      embeddingNorm: 'token_embd_norm',
      layer: (i) => {
        const at = `blk.${i}`;
        return {
          query: `${at}.attn_q`,
          key: `${at}.attn_k`,
          value: `${at}.attn_v`,
          output: `${at}.attn_output`,
          norm1: `${at}.attn_output_norm`,
          up: `${at}.ffn_up`,
          down: `${at}.ffn_down`,
          norm2: `${at}.layer_output_norm`,
          ...layer(at, a),
        };
      },
    },
    tasks: {},
  });
}

/** llama.cpp turns neighbours, not halves: of each head, rows i and i + width/2 are rows 2i and 2i + 1 of the file. */
function paired(module: string, width: number): Source {
  return (tensor, outputs, inputs) => ({
    name: `${module}.${tensor}`,
    shape: tensor === 'weight' ? [outputs, inputs] : [outputs],
    count: outputs,
    rows: (read) => {
      let room = new Float32Array(0);
      return (first, count) => {
        if (room.length < count * inputs) room = new Float32Array(count * inputs);
        for (let r = 0; r < count; ++r) {
          const place = (first + r) % width;
          const pair = place < width / 2 ? 2 * place : 2 * place - width + 1;
          const at = (first + r - place + pair) * inputs;
          room.set(read(at, at + inputs), r * inputs);
        }
        return room.subarray(0, count * inputs);
      };
    },
  });
}

const pairedHeads: LayerOf = (at, { headDim }) => ({
  query: paired(`${at}.attn_q`, headDim),
  key: paired(`${at}.attn_k`, headDim),
});

const headNorms: LayerOf = (at) => ({ queryNorm: `${at}.attn_q_norm`, keyNorm: `${at}.attn_k_norm` });

const third = (at: string, which: number) => stacked(`${at}.attn_qkv`, which, 3);
const thirds: LayerOf = (at) => ({ query: third(at, 0), key: third(at, 1), value: third(at, 2) });

const KINDS: Readonly<Record<string, Kind>> = {
  llama: {
    config: (file) => divisors(file, { ...rotating(file), model_type: 'llama' }),
    form: decoder(pairedHeads),
  },
  qwen2: {
    config: (file) => ({ ...rotating(file), model_type: 'qwen2' }),
    form: decoder(),
  },
  qwen3: {
    config: (file) => ({ ...rotating(file), model_type: 'qwen3' }),
    form: decoder(headNorms),
  },
  gemma3: {
    config: gemma3Config,
    form: (a) => {
      const layer: LayerOf = (at) => ({
        ...headNorms(at, a),
        outputNorm: `${at}.post_attention_norm`,
        downNorm: `${at}.post_ffw_norm`,
      });
      // 1 has been added to norms.
      const { normWeight: _, ...all } = decoder(layer)(a);
      return all;
    },
  },
  smollm3: {
    config: (file) => ({ ...rotating(file), model_type: 'smollm3' }),
    form: decoder(pairedHeads),
  },
  phi3: {
    config: phi3Config,
    form: decoder((at, { heads, kvHeads, headDim }) => {
      const [queries, keys] = [heads * headDim, kvHeads * headDim];
      const of = (start: number) => rowsOf(`${at}.attn_qkv`, start, queries + 2 * keys);
      // The rows of gates come first.
      return { query: of(0), key: of(queries), value: of(queries + keys), up: `${at}.ffn_up` };
    }),
  },
  gpt2: {
    config: gpt2Config,
    form: decoder((at, a) => ({ ...thirds(at, a), up: `${at}.ffn_up` })),
  },
  bert: {
    config: (file) => ({ ...encoderConfig(file), model_type: 'bert' }),
    form: encoder(() => ({})),
  },
  'nomic-bert': {
    config: (file) => ({
      ...encoderConfig(file),
      model_type: 'nomic_bert',
      rotary_emb_base: file.number('rope.freq_base', 1000),
    }),
    form: encoder((at, a) => ({ ...thirds(at, a), up: [`${at}.ffn_gate`, `${at}.ffn_up`] })),
  },
};
