/**
 * Llama, Mistral, Qwen and GPT-NeoX in float64, from a config.json and tensors under the names of Hugging Face's
 * transformers, made of the oracles of the operations.
 */
import { ACTIVATIONS } from './feedForward.js';
import { gatedFeedForward } from './gatedFeedForward.js';
import { layerNorm } from './layerNorm.js';
import { linear } from './linear.js';
import { rmsNorm } from './rmsNorm.js';
import { rotaryEmbedding, scaledFrequencies, type ScalingReference } from './rotaryEmbedding.js';
import { scaledDotProductAttention } from './scaledDotProductAttention.js';
import { zeros, type Numbers, type Reference } from './tensor.js';

/** The fields of a config that the pass uses, and its rotary positions. */
export interface DecoderConfig {
  readonly model_type: string;
  readonly hidden_size: number;
  readonly num_hidden_layers: number;
  readonly num_attention_heads: number;
  readonly num_key_value_heads?: number;
  readonly head_dim?: number;
  readonly use_parallel_residual?: boolean;
}

export interface Positions {
  readonly base: number;
  readonly dim: number;
  readonly scaling?: ScalingReference;
  /** How many keys a query sees in each layer, including its own. */
  readonly windows?: readonly (number | undefined)[];
}

const EPS = { rms: 1e-6, layer: 1e-5 };

const add = (a: Numbers, b: Numbers): Reference => ({
  data: Float64Array.from(a.data, (x, i) => x + b.data[i]!),
  shape: a.shape,
});

/** (T, heads·dim) to (1, heads, T, dim). */
function split(x: Numbers, heads: number): Reference {
  const [tokens, width] = x.shape as [number, number];
  const dim = width / heads;
  const y = zeros(1, heads, tokens, dim);
  for (let i = 0; i < x.data.length; ++i) {
    const [t, h, e] = [Math.floor(i / width), Math.floor((i % width) / dim), i % dim];
    y.data[(h * tokens + t) * dim + e] = x.data[i]!;
  }
  return y;
}

/** (1, heads, T, dim) to (T, heads·dim). */
function join(x: Numbers): Reference {
  const [, heads, tokens, dim] = x.shape as [number, number, number, number];
  const y = zeros(tokens, heads * dim);
  for (let i = 0; i < x.data.length; ++i) {
    const [h, t, e] = [Math.floor(i / dim / tokens), Math.floor(i / dim) % tokens, i % dim];
    y.data[t * heads * dim + h * dim + e] = x.data[i]!;
  }
  return y;
}

/** The hidden states (T, D) after the last norm. */
export function decoder(
  config: DecoderConfig,
  tensors: Readonly<Record<string, Numbers>>,
  ids: readonly number[],
  { base, dim, scaling, windows }: Positions,
): Reference {
  const { num_attention_heads: heads, hidden_size: width } = config;
  const kvHeads = config.num_key_value_heads ?? heads;
  const neox = config.model_type === 'gpt_neox';
  const rotation = scaling && scaledFrequencies(base, dim, scaling, ids.length);
  const turned = (x: Reference) => rotaryEmbedding(x, { base, rotaryDim: dim, ...rotation });
  const get = (name: string): Numbers => tensors[`${neox ? 'gpt_neox' : 'model'}.${name}`]!;
  const map = (x: Numbers, name: string): Reference => linear(x, get(`${name}.weight`), get(`${name}.bias`));
  const norm = (x: Numbers, name: string): Reference =>
    neox
      ? layerNorm(x, EPS.layer, get(`${name}.weight`), get(`${name}.bias`))
      : rmsNorm(x, EPS.rms, get(`${name}.weight`));

  const qkv = (x: Numbers, at: string): Reference[] => {
    if (!neox) {
      return ['q', 'k', 'v'].map((name) => {
        const all = split(map(x, `${at}.self_attn.${name}_proj`), name === 'q' ? heads : kvHeads);
        const weight = get(`${at}.self_attn.${name}_norm.weight`);
        if (!weight) return all;
        const rows = { data: all.data, shape: [all.data.length / all.shape[3]!, all.shape[3]!] };
        return { data: rmsNorm(rows, EPS.rms, weight).data, shape: all.shape };
      });
    }
    // A head's query, key and value are adjacent.
    const all = split(map(x, `${at}.attention.query_key_value`), 3 * heads);
    const size = all.data.length / (3 * heads);
    return [0, 1, 2].map((which) => {
      const one = zeros(1, heads, ids.length, width / heads);
      for (let h = 0; h < heads; ++h)
        one.data.set(all.data.subarray((3 * h + which) * size, (3 * h + which + 1) * size), h * size);
      return one;
    });
  };
  const attention = (x: Numbers, at: string, window?: number): Reference => {
    const [q, k, v] = qkv(x, at) as [Reference, Reference, Reference];
    const options = { isCausal: true, ...(window && { window: [window - 1, 0] as const }) };
    const { output } = scaledDotProductAttention(turned(q), turned(k), v, options);
    return map(join(output), `${at}.${neox ? 'attention.dense' : 'self_attn.o_proj'}`);
  };
  const feedForward = (x: Numbers, at: string): Reference => {
    if (neox) {
      const hidden = map(x, `${at}.mlp.dense_h_to_4h`);
      const active = { data: hidden.data.map(ACTIVATIONS.gelu[0]), shape: hidden.shape };
      return map(active, `${at}.mlp.dense_4h_to_h`);
    }
    const names = ['gate_proj', 'up_proj', 'down_proj'].flatMap((name) => [`${name}.weight`, `${name}.bias`]);
    const state = Object.fromEntries(names.map((name) => [name, get(`${at}.mlp.${name}`)]));
    return gatedFeedForward(x, state, 'silu');
  };

  let x: Reference = zeros(ids.length, width);
  const table = get(neox ? 'embed_in.weight' : 'embed_tokens.weight');
  ids.forEach((id, t) => {
    for (let i = 0; i < width; ++i) x.data[t * width + i] = table.data[id * width + i]!;
  });
  for (let layer = 0; layer < config.num_hidden_layers; ++layer) {
    const at = `layers.${layer}`;
    const between = add(x, attention(norm(x, `${at}.input_layernorm`), at, windows?.[layer]));
    const read = neox && config.use_parallel_residual !== false ? x : between;
    x = add(between, feedForward(norm(read, `${at}.post_attention_layernorm`), at));
  }
  return norm(x, neox ? 'final_layer_norm' : 'norm');
}
