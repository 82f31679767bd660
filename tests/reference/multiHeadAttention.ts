import { rotaryEmbedding, type RotaryReferenceOptions } from './rotaryEmbedding.js';
import type { AttentionReferenceOptions } from './scaledDotProductAttention.js';
import { scaledDotProductAttention } from './scaledDotProductAttention.js';
import type { Numbers, Reference } from './tensor.js';
import { zeros } from './tensor.js';

export interface MultiHeadReferenceParameters {
  numHeads: number;
  /** Default numHeads. */
  numKvHeads?: number;
  /** W_q.weight (D, Dq), W_k.weight and W_v.weight (Dkv, ·), W_o.weight (D, D), and the same names with .bias. */
  state: Readonly<Record<string, Numbers>>;
  /** How the projected queries and keys turn. */
  rotary?: { queries: RotaryReferenceOptions; keys: RotaryReferenceOptions };
}

/** queries (B, L, Dq), keys (B, S, Dk), values (B, S, Dv) -> output (B, L, D), weights (B, H, L, S). */
export function multiHeadAttention(
  queries: Numbers,
  keys: Numbers,
  values: Numbers,
  { numHeads, numKvHeads = numHeads, state, rotary }: MultiHeadReferenceParameters,
  options: AttentionReferenceOptions = {},
): { output: Reference; weights: Reference } {
  const project = (x: Numbers, name: string): Reference =>
    linear(x, state[`${name}.weight`]!, state[`${name}.bias`]);
  let q = splitHeads(project(queries, 'W_q'), numHeads);
  let k = splitHeads(project(keys, 'W_k'), numKvHeads);
  if (rotary) [q, k] = [rotaryEmbedding(q, rotary.queries), rotaryEmbedding(k, rotary.keys)];
  const v = splitHeads(project(values, 'W_v'), numKvHeads);
  const { output, weights } = scaledDotProductAttention(q, k, v, options);
  return { output: project(joinHeads(output), 'W_o'), weights };
}

/** x·Wᵀ + b over the last axis; weight (out, in). */
export function linear(x: Numbers, weight: Numbers, bias?: Numbers): Reference {
  const [outs, ins] = weight.shape as [number, number];
  const rows = x.shape.slice(0, -1).reduce((product, axis) => product * axis, 1);
  const y = zeros(...x.shape.slice(0, -1), outs);
  for (let row = 0; row < rows; ++row) {
    for (let o = 0; o < outs; ++o) {
      let sum = bias ? bias.data[o]! : 0;
      for (let i = 0; i < ins; ++i) sum += x.data[row * ins + i]! * weight.data[o * ins + i]!;
      y.data[row * outs + o] = sum;
    }
  }
  return y;
}

/** (B, n, H·d) -> (B, H, n, d): head h reads columns h·d … (h+1)·d - 1. */
function splitHeads(x: Reference, H: number): Reference {
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
function joinHeads(x: Reference): Reference {
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
