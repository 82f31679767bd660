/**
 * Decoders in float64, each written as its class in Hugging Face's transformers is, from a config.json and tensors under
 * published names. One row of tokens.
 */
import { ACTIVATIONS } from './feedForward.js';
import { layerNorm } from './layerNorm.js';
import { linear } from './linear.js';
import { rmsNorm } from './rmsNorm.js';
import { zeros, type Numbers, type Reference } from './tensor.js';

type Fields = Readonly<Record<string, unknown>>;

export interface Decoded {
  readonly hiddenStates: readonly Reference[];
  /** (H, T, T) of each layer. */
  readonly weights: readonly Reference[];
  readonly logits: Reference;
  /** The tensors that the classes have. */
  readonly used: ReadonlySet<string>;
}

interface Attention {
  readonly heads: number;
  readonly kvHeads?: number;
  readonly scale?: number | undefined;
  readonly softcap?: number | undefined;
  readonly sees?: (query: number, key: number) => boolean;
  readonly slopes?: readonly number[];
}

interface Turn {
  readonly frequencies: readonly number[];
  readonly amplitude?: number;
}

/** transformers' names of activations. */
export const NAMES: Readonly<Record<string, keyof typeof ACTIVATIONS>> = {
  gelu: 'gelu',
  quick_gelu: 'quick-gelu',
  gelu_new: 'gelu-tanh',
  gelu_pytorch_tanh: 'gelu-tanh',
  relu: 'relu',
  silu: 'silu',
};

const mapped = (x: Numbers, f: (x: number, i: number) => number): Reference => ({
  data: Float64Array.from(x.data, f),
  shape: x.shape,
});
const add = (a: Numbers, b: Numbers): Reference => mapped(a, (x, i) => x + b.data[i]!);
const times = (a: Numbers, factor: number): Reference => mapped(a, (x) => x * factor);
const capped = (a: Numbers, cap: number | null): Reference =>
  cap === null ? times(a, 1) : mapped(a, (x) => cap * Math.tanh(x / cap));
const reshaped = ({ data }: Numbers, ...shape: number[]): Reference => ({ data: Float64Array.from(data), shape });
/** Columns [from, to). */
function columns(x: Numbers, from: number, to: number): Reference {
  const [rows, width] = x.shape as [number, number];
  const y = zeros(rows, to - from);
  for (let i = 0; i < y.data.length; ++i) {
    y.data[i] = x.data[Math.floor(i / (to - from)) * width + from + (i % (to - from))]!;
  }
  return y;
}

/** Turns the first entries of each head by their row's number, halves against each other. */
function turned(x: Numbers, heads: number, { frequencies, amplitude = 1 }: Turn): Reference {
  const [rows, width] = x.shape as [number, number];
  const half = frequencies.length;
  const y = times(x, 1);
  for (let t = 0; t < rows; ++t) {
    for (let h = 0; h < heads; ++h) {
      for (const [i, w] of frequencies.entries()) {
        const [a, b] = [t * width + h * (width / heads) + i, t * width + h * (width / heads) + half + i];
        const [cos, sin] = [amplitude * Math.cos(t * w), amplitude * Math.sin(t * w)];
        y.data[a] = x.data[a]! * cos - x.data[b]! * sin;
        y.data[b] = x.data[b]! * cos + x.data[a]! * sin;
      }
    }
  }
  return y;
}

export function attend(
  q: Numbers,
  k: Numbers,
  v: Numbers,
  options: Attention,
): { output: Reference; weights: Reference } {
  const { heads, kvHeads = heads, softcap = null, sees = (i, j) => j <= i, slopes } = options;
  const [tokens, width] = q.shape as [number, number];
  const keys = k.shape[0]!;
  const dim = width / heads;
  const scale = options.scale ?? dim ** -0.5;
  const [output, weights] = [zeros(tokens, width), zeros(heads, tokens, keys)];
  for (let h = 0; h < heads; ++h) {
    const kv = Math.floor(h / (heads / kvHeads)) * dim;
    for (let i = 0; i < tokens; ++i) {
      const scores = Array.from({ length: keys }, (_, j) => {
        if (!sees(i, j)) return -Infinity;
        let sum = 0;
        for (let e = 0; e < dim; ++e) sum += q.data[i * width + h * dim + e]! * k.data[j * kvHeads * dim + kv + e]!;
        const score = softcap === null ? sum * scale : softcap * Math.tanh((sum * scale) / softcap);
        return score + (slopes ? slopes[h]! * j : 0);
      });
      const most = Math.max(...scores);
      const exps = scores.map((score) => Math.exp(score - most));
      const total = exps.reduce((a, b) => a + b);
      exps.forEach((exp, j) => {
        weights.data[(h * tokens + i) * keys + j] = exp / total;
        for (let e = 0; e < dim; ++e) {
          output.data[i * width + h * dim + e]! += (exp / total) * v.data[j * kvHeads * dim + kv + e]!;
        }
      });
    }
  }
  return { output, weights };
}

/** ALiBi's slopes: a geometric series for a power of two, and every other term of the next one's for the rest. */
function slopesOf(heads: number): number[] {
  const power = 2 ** Math.floor(Math.log2(heads));
  const series = (n: number, count: number, step: number): number[] =>
    Array.from({ length: count }, (_, i) => (2 ** (-8 / n)) ** (1 + step * i));
  return [...series(power, power, 1), ...series(2 * power, heads - power, 2)];
}

export function decoded(config: Fields, tensors: Readonly<Record<string, Numbers>>, ids: readonly number[]): Decoded {
  const used = new Set<string>();
  const hiddenStates: Reference[] = [];
  const weights: Reference[] = [];
  const tokens = ids.length;
  const at = <T>(name: string, otherwise: T): T => (name in config ? (config[name] as T) : otherwise);
  const number = (name: string): number => config[name] as number;
  const get = (name: string): Numbers => {
    used.add(name);
    if (!tensors[name]) throw new Error(`no tensor '${name}'`);
    return tensors[name];
  };
  const map = (x: Numbers, name: string, hasBias: boolean): Reference =>
    linear(x, get(`${name}.weight`), hasBias ? get(`${name}.bias`) : undefined);
  const layer = (x: Numbers, name: string, eps: number, hasBias = true): Reference =>
    layerNorm(x, eps, get(`${name}.weight`), hasBias ? get(`${name}.bias`) : undefined);
  const looked = (name: string, rows: readonly number[]): Reference => {
    const table = get(name);
    const width = table.shape[1]!;
    const x = zeros(tokens, width);
    rows.forEach((row, t) => x.data.set(Array.from(table.data).slice(row * width, (row + 1) * width), t * width));
    return x;
  };
  const places = ids.map((_, t) => t);
  const active = (x: Numbers, name: string): Reference => mapped(x, ACTIVATIONS[NAMES[name]!][0]);
  const attention = (q: Numbers, k: Numbers, v: Numbers, options: Attention): Reference => {
    const result = attend(q, k, v, options);
    weights.push(result.weights);
    return result.output;
  };
  const logitsOf = (x: Numbers, embedding: string, tied: boolean, hasBias = false): Reference => {
    const matrix = get(at('tie_word_embeddings', tied) ? embedding : 'lm_head.weight');
    return linear(x, matrix, hasBias ? get('lm_head.bias') : undefined);
  };
  const result = (logits: Reference): Decoded => ({ hiddenStates, weights, logits, used });
  const within = (window: number | null) => (i: number, j: number) => j <= i && (window === null || j > i - window);

  // ---- with positions of their own

  const fairseq = (x: Reference, prefix: string, heads: number, isPre: boolean): Reference => {
    const [hasBias, isAffine] = [at('enable_bias', true), at('layer_norm_elementwise_affine', true)];
    const norm = (y: Numbers, name: string): Reference => (isAffine ? layer(y, name, 1e-5) : layerNorm(y, 1e-5));
    const activation = at('activation_function', config.model_type === 'opt' ? 'relu' : 'gelu');
    for (let i = 0; i < (at('num_hidden_layers', 0) || number('num_layers')); ++i) {
      hiddenStates.push(x);
      const [self, attentionNorm, lastNorm] = ['self_attn', 'self_attn_layer_norm', 'final_layer_norm'].map(
        (name) => `${prefix}layers.${i}.${name}`,
      ) as [string, string, string];
      const read = isPre ? norm(x, attentionNorm) : x;
      const [q, k, v] = ['q', 'k', 'v'].map((each) => map(read, `${self}.${each}_proj`, hasBias));
      x = add(x, map(attention(q!, k!, v!, { heads }), `${self}.out_proj`, hasBias));
      if (!isPre) x = norm(x, attentionNorm);
      const inner = map(isPre ? norm(x, lastNorm) : x, `${prefix}layers.${i}.fc1`, hasBias);
      x = add(x, map(active(inner, activation), `${prefix}layers.${i}.fc2`, hasBias));
      if (!isPre) x = norm(x, lastNorm);
    }
    return x;
  };

  const xglm = (): Decoded => {
    const width = number('d_model');
    const half = Math.floor(width / 2);
    let x = times(looked('model.embed_tokens.weight', ids), at('scale_embedding', true) ? Math.sqrt(width) : 1);
    const padId = at('pad_token_id', 1);
    for (let t = 0; t < tokens; ++t) {
      if (t + 2 === padId) continue;
      for (let i = 0; i < half; ++i) {
        const angle = (t + 2) * Math.exp((-Math.log(10000) / (half - 1)) * i);
        x.data[t * width + i]! += Math.sin(angle);
        x.data[t * width + half + i]! += Math.cos(angle);
      }
    }
    x = fairseq(x, 'model.', number('attention_heads'), true);
    hiddenStates.push(layer(x, 'model.layer_norm', 1e-5));
    return result(logitsOf(hiddenStates.at(-1)!, 'model.embed_tokens.weight', true));
  };

  const opt = (): Decoded => {
    const prefix = 'model.decoder.';
    const isNarrow =
      at('word_embed_proj_dim', null) !== null && number('word_embed_proj_dim') !== number('hidden_size');
    let x = looked(`${prefix}embed_tokens.weight`, ids);
    if (isNarrow) x = map(x, `${prefix}project_in`, false);
    x = add(
      x,
      looked(
        `${prefix}embed_positions.weight`,
        places.map((t) => t + 2),
      ),
    );
    const isPre = at('do_layer_norm_before', true);
    x = fairseq(x, prefix, number('num_attention_heads'), isPre);
    if (isPre && !at('_remove_final_layer_norm', false)) {
      const isAffine = at('layer_norm_elementwise_affine', true);
      x = isAffine ? layer(x, `${prefix}final_layer_norm`, 1e-5) : layerNorm(x, 1e-5);
    }
    if (isNarrow) x = map(x, `${prefix}project_out`, false);
    hiddenStates.push(x);
    return result(logitsOf(x, `${prefix}embed_tokens.weight`, true));
  };

  const gptNeo = (): Decoded => {
    const eps = at('layer_norm_epsilon', 1e-5);
    const pairs = config.attention_types as [string[], number][];
    const kinds = pairs.flatMap(([pattern, count]) => Array.from({ length: count }, () => pattern).flat());
    let x = add(looked('transformer.wte.weight', ids), looked('transformer.wpe.weight', places));
    kinds.forEach((kind, i) => {
      hiddenStates.push(x);
      const self = `transformer.h.${i}.attn.attention`;
      const read = layer(x, `transformer.h.${i}.ln_1`, eps);
      const [q, k, v] = ['q', 'k', 'v'].map((each) => map(read, `${self}.${each}_proj`, false));
      const sees = within(kind === 'local' ? at('window_size', 256) : null);
      x = add(x, map(attention(q!, k!, v!, { heads: number('num_heads'), scale: 1, sees }), `${self}.out_proj`, true));
      const inner = map(layer(x, `transformer.h.${i}.ln_2`, eps), `transformer.h.${i}.mlp.c_fc`, true);
      x = add(x, map(active(inner, at('activation_function', 'gelu_new')), `transformer.h.${i}.mlp.c_proj`, true));
    });
    hiddenStates.push(layer(x, 'transformer.ln_f', eps));
    return result(logitsOf(hiddenStates.at(-1)!, 'transformer.wte.weight', true));
  };

  const bloom = (): Decoded => {
    const eps = at('layer_norm_epsilon', 1e-5);
    const heads = at('n_head', 0) || number('num_attention_heads');
    const isAfter = at('apply_residual_connection_post_layernorm', false);
    let x = layer(looked('transformer.word_embeddings.weight', ids), 'transformer.word_embeddings_layernorm', eps);
    const width = x.shape[1]!;
    const dim = width / heads;
    for (let i = 0; i < (at('n_layer', 0) || number('num_hidden_layers')); ++i) {
      hiddenStates.push(x);
      const block = `transformer.h.${i}`;
      const read = layer(x, `${block}.input_layernorm`, eps);
      const fused = map(read, `${block}.self_attention.query_key_value`, true);
      const [q, k, v] = [0, 1, 2].map((which) => {
        const parts = Array.from({ length: heads }, (_, h) => {
          const from = (3 * h + which) * dim;
          return columns(fused, from, from + dim);
        });
        const joined = zeros(tokens, width);
        for (let t = 0; t < tokens; ++t) {
          parts.forEach((part, h) => joined.data.set(part.data.subarray(t * dim, (t + 1) * dim), t * width + h * dim));
        }
        return joined;
      });
      const mixed = attention(q!, k!, v!, { heads, slopes: slopesOf(heads) });
      x = add(isAfter ? read : x, map(mixed, `${block}.self_attention.dense`, true));
      const second = layer(x, `${block}.post_attention_layernorm`, eps);
      const inner = active(map(second, `${block}.mlp.dense_h_to_4h`, true), 'gelu_new');
      x = add(isAfter ? second : x, map(inner, `${block}.mlp.dense_4h_to_h`, true));
    }
    hiddenStates.push(layer(x, 'transformer.ln_f', eps));
    return result(logitsOf(hiddenStates.at(-1)!, 'transformer.word_embeddings.weight', true));
  };

  // ---- with rotary positions

  const heads = number('num_attention_heads');
  const width = number('hidden_size');
  const layers = number('num_hidden_layers');
  const eps = (name: string, otherwise: number): number => at(name, otherwise);
  const rms =
    (name: string, e: number, more = 0) =>
    (x: Numbers) =>
      rmsNorm(
        x,
        e,
        mapped(get(`${name}.weight`), (w) => w + more),
      );
  const frequenciesOf = (base: number, dim: number): number[] =>
    Array.from({ length: dim / 2 }, (_, j) => base ** ((-2 * j) / dim));
  const gate = (x: Numbers, mlp: string, activation: string, hasBias = false): Reference => {
    const [a, b] = ['gate', 'up'].map((name) => map(x, `${mlp}.${name}_proj`, hasBias)) as [Reference, Reference];
    const product = mapped(active(a, activation), (y, i) => y * b.data[i]!);
    return map(product, `${mlp}.down_proj`, hasBias);
  };
  const headNorm = (x: Numbers, name: string, e: number, dim: number, hasBias: boolean): Reference =>
    reshaped(layer(reshaped(x, x.data.length / dim, dim), name, e, hasBias), ...x.shape);

  const phi = (): Decoded => {
    const e = eps('layer_norm_eps', 1e-5);
    const kvHeads = at<number | null>('num_key_value_heads', null) ?? heads;
    const dim = width / heads;
    const turn = {
      frequencies: frequenciesOf(at('rope_theta', 10000), Math.floor(dim * at('partial_rotary_factor', 0.5))),
    };
    let x = looked('model.embed_tokens.weight', ids);
    for (let i = 0; i < layers; ++i) {
      hiddenStates.push(x);
      const [self, mlp] = [`model.layers.${i}.self_attn`, `model.layers.${i}.mlp`];
      const read = layer(x, `model.layers.${i}.input_layernorm`, e);
      let [q, k] = ['q', 'k'].map((each) => map(read, `${self}.${each}_proj`, true)) as [Reference, Reference];
      if (at('qk_layernorm', false)) {
        [q, k] = [headNorm(q, `${self}.q_layernorm`, e, dim, true), headNorm(k, `${self}.k_layernorm`, e, dim, true)];
      }
      const v = map(read, `${self}.v_proj`, true);
      const mixed = attention(turned(q, heads, turn), turned(k, kvHeads, turn), v, { heads, kvHeads });
      const inner = active(map(read, `${mlp}.fc1`, true), at('hidden_act', 'gelu_new'));
      x = add(add(x, map(mixed, `${self}.dense`, true)), map(inner, `${mlp}.fc2`, true));
    }
    hiddenStates.push(layer(x, 'model.final_layernorm', e));
    return result(logitsOf(hiddenStates.at(-1)!, 'model.embed_tokens.weight', false, true));
  };

  const stablelm = (): Decoded => {
    const e = eps('layer_norm_eps', 1e-5);
    const kvHeads = at('num_key_value_heads', 32);
    const dim = width / heads;
    const turn = {
      frequencies: frequenciesOf(at('rope_theta', 10000), Math.floor(dim * at('partial_rotary_factor', 0.25))),
    };
    const eachNorm = (x: Numbers, count: number, name: string): Reference => {
      const y = zeros(...x.shape);
      for (let h = 0; h < count; ++h) {
        const one = layer(columns(x, h * dim, (h + 1) * dim), `${name}.norms.${h}`, e, false);
        for (let t = 0; t < tokens; ++t) {
          y.data.set(one.data.subarray(t * dim, (t + 1) * dim), (t * count + h) * dim);
        }
      }
      return y;
    };
    let x = looked('model.embed_tokens.weight', ids);
    for (let i = 0; i < layers; ++i) {
      hiddenStates.push(x);
      const [self, mlp] = [`model.layers.${i}.self_attn`, `model.layers.${i}.mlp`];
      const read = layer(x, `model.layers.${i}.input_layernorm`, e);
      const hasBias = at('use_qkv_bias', false);
      let [q, k] = ['q', 'k'].map((each) => map(read, `${self}.${each}_proj`, hasBias)) as [Reference, Reference];
      if (at('qk_layernorm', false)) {
        [q, k] = [eachNorm(q, heads, `${self}.q_layernorm`), eachNorm(k, kvHeads, `${self}.k_layernorm`)];
      }
      const v = map(read, `${self}.v_proj`, hasBias);
      const mixed = attention(turned(q, heads, turn), turned(k, kvHeads, turn), v, { heads, kvHeads });
      const between = add(x, map(mixed, `${self}.o_proj`, false));
      const second = at('use_parallel_residual', false)
        ? read
        : layer(between, `model.layers.${i}.post_attention_layernorm`, e);
      x = add(between, gate(second, mlp, at('hidden_act', 'silu')));
    }
    hiddenStates.push(layer(x, 'model.norm', e));
    return result(logitsOf(hiddenStates.at(-1)!, 'model.embed_tokens.weight', false));
  };

  const phi3 = (): Decoded => {
    const e = eps('rms_norm_eps', 1e-5);
    const kvHeads = at<number | null>('num_key_value_heads', null) ?? heads;
    const dim = at<number | null>('head_dim', null) ?? width / heads;
    const plain = frequenciesOf(at('rope_theta', 10000), Math.floor(dim * at('partial_rotary_factor', 1)));
    const scaling = at<{ short_factor: number[]; long_factor: number[] } | null>('rope_scaling', null);
    const [length, original] = [number('max_position_embeddings'), at('original_max_position_embeddings', 4096)];
    const factors = tokens > original ? scaling?.long_factor : scaling?.short_factor;
    const ratio = length / original;
    const amplitude = scaling && ratio > 1 ? Math.sqrt(1 + Math.log(ratio) / Math.log(original)) : 1;
    const turn = { frequencies: plain.map((w, j) => w / (factors?.[j] ?? 1)), amplitude };
    const sees = within(at<number | null>('sliding_window', null));
    let x = looked('model.embed_tokens.weight', ids);
    for (let i = 0; i < layers; ++i) {
      hiddenStates.push(x);
      const [self, mlp] = [`model.layers.${i}.self_attn`, `model.layers.${i}.mlp`];
      const fused = map(rms(`model.layers.${i}.input_layernorm`, e)(x), `${self}.qkv_proj`, false);
      const [a, b] = [heads * dim, (heads + kvHeads) * dim];
      const [q, k] = [turned(columns(fused, 0, a), heads, turn), turned(columns(fused, a, b), kvHeads, turn)];
      const mixed = attention(q, k, columns(fused, b, b + kvHeads * dim), { heads, kvHeads, sees });
      x = add(x, map(mixed, `${self}.o_proj`, false));
      const both = map(rms(`model.layers.${i}.post_attention_layernorm`, e)(x), `${mlp}.gate_up_proj`, false);
      const inner = both.shape[1]! / 2;
      const up = columns(both, inner, 2 * inner);
      const product = mapped(active(columns(both, 0, inner), at('hidden_act', 'silu')), (y, j) => y * up.data[j]!);
      x = add(x, map(product, `${mlp}.down_proj`, false));
    }
    hiddenStates.push(rms('model.norm', e)(x));
    return result(logitsOf(hiddenStates.at(-1)!, 'model.embed_tokens.weight', false));
  };

  const gemma = (isThird: boolean): Decoded => {
    const e = eps('rms_norm_eps', 1e-6);
    const kvHeads = at('num_key_value_heads', 4);
    const dim = at('head_dim', 256);
    const hasBias = at('attention_bias', false);
    const every = isThird ? at('sliding_window_pattern', 6) : 2;
    const types = at<string[] | null>('layer_types', null);
    const bothWays = at('use_bidirectional_attention', false);
    const given = at('sliding_window', 4096);
    const nested = at<Record<string, { rope_theta: number }> | null>('rope_parameters', null);
    const scaling = at<{ factor: number } | null>('rope_scaling', null);
    const base = nested?.full_attention?.rope_theta ?? at('rope_theta', isThird ? 1e6 : 10000);
    const local = nested?.sliding_attention?.rope_theta ?? at('rope_local_base_freq', 10000);
    const full = frequenciesOf(base, dim).map((w) => w / (scaling?.factor ?? 1));
    let x = times(looked('model.embed_tokens.weight', ids), Math.sqrt(width));
    for (let i = 0; i < layers; ++i) {
      hiddenStates.push(x);
      const block = `model.layers.${i}`;
      const slides = types ? types[i] === 'sliding_attention' : isThird ? (i + 1) % every !== 0 : i % 2 === 0;
      const turn = { frequencies: isThird && slides ? frequenciesOf(local, dim) : full };
      const reach = Math.floor(given / 2) + 1;
      const sees = bothWays
        ? (a: number, b: number) => !slides || Math.abs(a - b) < reach
        : within(slides ? given : null);
      const read = rms(`${block}.input_layernorm`, e, 1)(x);
      let [q, k] = ['q', 'k'].map((each) => map(read, `${block}.self_attn.${each}_proj`, hasBias)) as [
        Reference,
        Reference,
      ];
      if (isThird) {
        const each = (y: Numbers, name: string): Reference =>
          reshaped(rms(`${block}.self_attn.${name}`, e, 1)(reshaped(y, y.data.length / dim, dim)), ...y.shape);
        [q, k] = [each(q, 'q_norm'), each(k, 'k_norm')];
      }
      const v = map(read, `${block}.self_attn.v_proj`, hasBias);
      const mixed = attention(turned(q, heads, turn), turned(k, kvHeads, turn), v, {
        heads,
        kvHeads,
        sees,
        scale: at('query_pre_attn_scalar', 256) ** -0.5,
        softcap: isThird ? undefined : (at<number | null>('attn_logit_softcapping', 50) ?? undefined),
      });
      const out = map(mixed, `${block}.self_attn.o_proj`, hasBias);
      x = add(x, rms(`${block}.post_attention_layernorm`, e, 1)(out));
      const second = rms(`${block}.pre_feedforward_layernorm`, e, 1)(x);
      const fed = gate(second, `${block}.mlp`, at('hidden_activation', 'gelu_pytorch_tanh'));
      x = add(x, rms(`${block}.post_feedforward_layernorm`, e, 1)(fed));
    }
    hiddenStates.push(rms('model.norm', e, 1)(x));
    const logits = logitsOf(hiddenStates.at(-1)!, 'model.embed_tokens.weight', true);
    return result(capped(logits, at('final_logit_softcapping', isThird ? null : 30)));
  };

  const like = (family: 'olmo2' | 'granite' | 'smollm3'): Decoded => {
    const [isOlmo, isSmol] = [family === 'olmo2', family === 'smollm3'];
    const e = eps('rms_norm_eps', isOlmo ? 1e-5 : 1e-6);
    const kvHeads = at<number | null>('num_key_value_heads', isSmol ? 4 : null) ?? heads;
    const dim = at<number | null>('head_dim', null) ?? width / heads;
    const [attentionBias, mlpBias] = [at('attention_bias', false), !isOlmo && at('mlp_bias', false)];
    const residual = at('residual_multiplier', 1);
    const scale = family === 'granite' ? at('attention_multiplier', 1) : undefined;
    const turn = { frequencies: frequenciesOf(at('rope_theta', isSmol ? 2e6 : 10000), dim) };
    const interval = at('no_rope_layer_interval', 4);
    const types = at<string[] | null>('layer_types', null);
    const turnsAt = (i: number): boolean =>
      !isSmol || (at<number[] | null>('no_rope_layers', null)?.[i] ?? Number((i + 1) % interval !== 0)) === 1;
    let x = times(looked('model.embed_tokens.weight', ids), at('embedding_multiplier', 1));
    for (let i = 0; i < layers; ++i) {
      hiddenStates.push(x);
      const block = `model.layers.${i}`;
      const slides = at('use_sliding_window', false) && (types ? types[i] === 'sliding_attention' : !turnsAt(i));
      const read = isOlmo ? x : rms(`${block}.input_layernorm`, e)(x);
      const project = (name: string): Reference => map(read, `${block}.self_attn.${name}_proj`, attentionBias);
      let [q, k] = [project('q'), project('k')];
      if (isOlmo) [q, k] = [rms(`${block}.self_attn.q_norm`, e)(q), rms(`${block}.self_attn.k_norm`, e)(k)];
      if (turnsAt(i)) [q, k] = [turned(q, heads, turn), turned(k, kvHeads, turn)];
      const sees = within(slides ? number('sliding_window') : null);
      const mixed = attention(q, k, project('v'), { heads, kvHeads, sees, scale });
      const out = map(mixed, `${block}.self_attn.o_proj`, attentionBias);
      const after = rms(`${block}.post_attention_layernorm`, e);
      x = add(x, times(isOlmo ? after(out) : out, residual));
      const fed = gate(isOlmo ? x : after(x), `${block}.mlp`, at('hidden_act', 'silu'), mlpBias);
      x = add(x, times(isOlmo ? rms(`${block}.post_feedforward_layernorm`, e)(fed) : fed, residual));
    }
    hiddenStates.push(rms('model.norm', e)(x));
    const logits = logitsOf(hiddenStates.at(-1)!, 'model.embed_tokens.weight', isSmol);
    return result(times(logits, 1 / at('logits_scaling', 1)));
  };

  const families: Readonly<Record<string, () => Decoded>> = {
    xglm,
    opt,
    gpt_neo: gptNeo,
    bloom,
    phi,
    phi3,
    gemma2: () => gemma(false),
    gemma3_text: () => gemma(true),
    olmo2: () => like('olmo2'),
    granite: () => like('granite'),
    stablelm,
    smollm3: () => like('smollm3'),
  };
  return families[config.model_type as string]!();
}
