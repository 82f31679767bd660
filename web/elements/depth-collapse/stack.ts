import type { MultiHeadAttention, Tensor, TransformerEncoderLayer, WasmAttention } from 'wasm-attention';
import { normalDraws } from '../shared/normal-draws.js';

/** The sizes of the stacks: tokens, width, heads, layers. */
export const TOKENS = 16;
export const WIDTH = 32;
export const HEADS = 4;
export const LAYERS = 24;

/** With smaller queries and keys the weights would be nearly uniform, and one layer would remove all differences. */
export const SHARPNESS = 2;

/**
 * The kinds of stacks: attention alone, attention with a residual connection, or whole encoder layers with the norm
 * after each sum (Vaswani et al. 2017) or before each sublayer (Xiong et al. 2020).
 */
export const STACKS = ['attention', 'residual', 'postNorm', 'preNorm'] as const;
export type Stack = (typeof STACKS)[number];

/** The difference that could be lost: between tokens, or between positions of equal tokens. */
export type Signal = 'tokens' | 'positions';

/** Each stack's tokens after each layer, from layer 0 (the input). */
export type States = Readonly<Record<Stack, readonly Float32Array[]>>;

/**
 * Passes tokens through the four stacks. Each layer has its own random parameters, scaled so that attention's
 * projections preserve the length of their inputs; those of queries and keys are SHARPNESS times as large. A layer's
 * attention has the same parameters in every stack, and its feed-forward network has the library's initial ones in both
 * stacks that have one.
 */
export function statesOf(library: WasmAttention, signal: Signal, seed: number): States {
  const attentions: MultiHeadAttention[] = [];
  const encoders: Record<'post' | 'pre', TransformerEncoderLayer[]> = { post: [], pre: [] };
  try {
    for (let layer = 0; layer < LAYERS; ++layer) {
      const options = { numHiddens: WIDTH, numHeads: HEADS, seed: seed * 1000 + layer };
      const attention = new library.MultiHeadAttention(options);
      attentions.push(attention);
      const projections = scaled(attention);
      for (const norm of ['post', 'pre'] as const) {
        const encoder = new library.TransformerEncoderLayer({ ...options, ffnHiddens: 4 * WIDTH, norm });
        encoders[norm].push(encoder);
        encoder.loadStateDict({ ...encoder.stateDict(), ...projections });
      }
    }
    const input = inputOf(library, signal, seed);
    const attend = (x: Tensor, layer: number): Tensor => attentions[layer]!.forward(x, x, x).output;
    return {
      attention: through(input, attend),
      residual: through(input, (x, layer) => sum(x, attend(x, layer))),
      postNorm: through(input, (x, layer) => encoders.post[layer]!.forward(x).output),
      preNorm: through(input, (x, layer) => encoders.pre[layer]!.forward(x).output),
    };
  } finally {
    for (const layer of [...attentions, ...encoders.post, ...encoders.pre]) layer.dispose();
  }
}

/** How different the rows of X are: ‖X − 1x̄ᵀ‖ / ‖X‖ with their mean x̄; 0 if all are the same (Dong et al. 2021). */
export function differenceOf(x: Float32Array): number {
  let whole = 0;
  let apart = 0;
  for (let c = 0; c < WIDTH; ++c) {
    let mean = 0;
    for (let i = 0; i < TOKENS; ++i) mean += x[i * WIDTH + c]! / TOKENS;
    for (let i = 0; i < TOKENS; ++i) {
      const value = x[i * WIDTH + c]!;
      whole += value * value;
      apart += (value - mean) ** 2;
    }
  }
  return Math.sqrt(apart / whole);
}

/** The cosine similarity of every two rows of X, (TOKENS, TOKENS). */
export function cosinesOf(x: Float32Array): Float32Array {
  const dot = (i: number, j: number): number => {
    let total = 0;
    for (let c = 0; c < WIDTH; ++c) total += x[i * WIDTH + c]! * x[j * WIDTH + c]!;
    return total;
  };
  const lengths = Array.from({ length: TOKENS }, (_, i) => Math.sqrt(dot(i, i)));
  return Float32Array.from({ length: TOKENS * TOKENS }, (_, k) => {
    const [i, j] = [Math.floor(k / TOKENS), k % TOKENS];
    return dot(i, j) / (lengths[i]! * lengths[j]!);
  });
}

/**
 * Scales attention's projections: the library draws them from ±1/√d, with variance 1/3d, and variance 1/d preserves
 * lengths. Returns them under the names of an encoder layer's parameters.
 */
export function scaled(attention: MultiHeadAttention): Record<string, Tensor> {
  const state = attention.stateDict();
  const times = (name: string, factor: number): Tensor => ({
    data: state[name]!.data.map((weight) => Math.sqrt(3) * factor * weight),
    shape: [WIDTH, WIDTH],
  });
  const [q, k] = [times('W_q.weight', SHARPNESS), times('W_k.weight', SHARPNESS)];
  const [v, o] = [times('W_v.weight', 1), times('W_o.weight', 1)];
  attention.loadStateDict({ 'W_q.weight': q, 'W_k.weight': k, 'W_v.weight': v, 'W_o.weight': o });
  const joined = Float32Array.from([q, k, v].flatMap(({ data }) => [...data]));
  return {
    'self_attn.in_proj_weight': { data: joined, shape: [3 * WIDTH, WIDTH] },
    'self_attn.out_proj.weight': o,
  };
}

function inputOf(library: WasmAttention, signal: Signal, seed: number): Tensor {
  const shape = [1, TOKENS, WIDTH];
  if (signal === 'tokens') return { data: normalDraws(TOKENS * WIDTH, seed), shape };
  const token = normalDraws(WIDTH, seed);
  const P = library.sinusoidalEncoding({ length: TOKENS, dim: WIDTH }).data;
  return { data: P.map((value, k) => value + token[k % WIDTH]!), shape };
}

function through(input: Tensor, layer: (x: Tensor, layer: number) => Tensor): Float32Array[] {
  const states = [input];
  for (let i = 0; i < LAYERS; ++i) states.push(layer(states[i]!, i));
  return states.map(({ data }) => data);
}

function sum(a: Tensor, b: Tensor): Tensor {
  return { data: a.data.map((value, k) => value + b.data[k]!), shape: [...a.shape] };
}
