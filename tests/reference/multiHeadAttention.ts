import { linear } from './linear.js';
import { rmsNorm } from './rmsNorm.js';
import { rotaryEmbedding, type RotaryReferenceOptions } from './rotaryEmbedding.js';
import { scaledDotProductAttention, type AttentionReferenceOptions } from './scaledDotProductAttention.js';
import { zeros, type Numbers, type Reference } from './tensor.js';

export interface MultiHeadReferenceParameters {
  numHeads: number;
  /** Default: numHeads. */
  numKvHeads?: number;
  /**
   * W_q.weight (H·E, Dq), W_k.weight and W_v.weight (Hkv·E, ·), W_o.weight (D, H·E), the same names with .bias, and
   * norms.
   */
  state: Readonly<Record<string, Numbers>>;
  /** Options of the rotary embedding of the projected queries and keys. */
  rotary?: { queries: RotaryReferenceOptions; keys: RotaryReferenceOptions };
  /** Of the norms of queries and keys. */
  eps?: number;
}

/** queries (B, L, Dq), keys (B, S, Dk), values (B, S, Dv) -> output (B, L, D), weights (B, H, L, S). */
export function multiHeadAttention(
  queries: Numbers,
  keys: Numbers,
  values: Numbers,
  { numHeads, numKvHeads = numHeads, state, rotary, eps = 1e-6 }: MultiHeadReferenceParameters,
  options: AttentionReferenceOptions = {},
): { output: Reference; weights: Reference } {
  const project = (x: Numbers, name: string): Reference => linear(x, state[`${name}.weight`]!, state[`${name}.bias`]);
  const normed = (x: Reference, name: string): Reference => {
    const weight = state[`${name}.weight`];
    const rows = { data: x.data, shape: [x.data.length / x.shape[3]!, x.shape[3]!] };
    return weight ? { ...rmsNorm(rows, eps, weight), shape: x.shape } : x;
  };
  let q = normed(splitHeads(project(queries, 'W_q'), numHeads), 'q_norm');
  let k = normed(splitHeads(project(keys, 'W_k'), numKvHeads), 'k_norm');
  if (rotary) [q, k] = [rotaryEmbedding(q, rotary.queries), rotaryEmbedding(k, rotary.keys)];
  const v = splitHeads(project(values, 'W_v'), numKvHeads);
  const { output, weights } = scaledDotProductAttention(q, k, v, options);
  return { output: project(joinHeads(output), 'W_o'), weights };
}

/** (B, n, H·d) -> (B, H, n, d): head h reads columns h·d … (h+1)·d - 1. */
export function splitHeads(x: Numbers, H: number): Reference {
  const [B, n, D] = x.shape as [number, number, number];
  const d = D / H;
  const out = zeros(B, H, n, d);
  for (let b = 0; b < B; ++b) {
    for (let h = 0; h < H; ++h) {
      for (let i = 0; i < n; ++i) {
        for (let e = 0; e < d; ++e) {
          out.data[((b * H + h) * n + i) * d + e] = x.data[(b * n + i) * D + h * d + e]!;
        }
      }
    }
  }
  return out;
}

/** (B, H, n, d) -> (B, n, H·d). */
export function joinHeads(x: Numbers): Reference {
  const [B, H, n, d] = x.shape as [number, number, number, number];
  const out = zeros(B, n, H * d);
  for (let b = 0; b < B; ++b) {
    for (let h = 0; h < H; ++h) {
      for (let i = 0; i < n; ++i) {
        for (let e = 0; e < d; ++e) {
          out.data[(b * n + i) * H * d + h * d + e] = x.data[((b * H + h) * n + i) * d + e]!;
        }
      }
    }
  }
  return out;
}
