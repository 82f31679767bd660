/** Calls of every kind whose work threads share, far larger than what makes waking a thread worthwhile. */
import { expect } from '@jest/globals';
import type { Layer, Tensor, WasmAttention } from 'wasm-attention';
import { Random } from './random.js';

const random = new Random(7);
export const [Q, K, V, G] = [0, 1, 2, 3].map(() => random.tensor([2, 4, 200, 24])) as [
  ReturnType<Random['tensor']>,
  ReturnType<Random['tensor']>,
  ReturnType<Random['tensor']>,
  ReturnType<Random['tensor']>,
];
const X = random.tensor([4, 160, 96]);
const [TOKENS, MEMORY, GRADIENT] = [130, 70, 130].map((length) => random.tensor([2, length, 96])) as [
  ReturnType<Random['tensor']>,
  ReturnType<Random['tensor']>,
  ReturnType<Random['tensor']>,
];

const BLOCK = { numHiddens: 96, numHeads: 8, seed: 1 };
const TRAINING = { training: true };

/** A training pass's output, the gradients of the inputs, and those of the layer, which is disposed. */
function trained(
  layer: Pick<Layer, 'parameters' | 'dispose'>,
  { output, backward }: { output: Tensor; backward?: (g: Tensor) => object },
  g = output,
): { readonly data: ArrayLike<number> }[] {
  const inputs = Object.values(backward!(g)) as Tensor[];
  const parameters = layer.parameters().map(({ grad }) => ({ data: grad }));
  layer.dispose();
  return [output, ...inputs, ...parameters];
}

export const WORKS: Record<string, (attention: WasmAttention) => readonly { readonly data: ArrayLike<number> }[]> = {
  'attention with its weights': (attention) => {
    const { output, weights, logSumExp } = attention.scaledDotProductAttention(Q, K, V, {
      isCausal: true,
      needWeights: true,
      needLogSumExp: true,
      dropout: 0.1,
      seed: 3,
    });
    return [output, weights!, logSumExp!];
  },
  'attention with relative tables and valid lengths': (attention) => {
    return [
      attention.scaledDotProductAttention(Q, K, V, {
        relativeKeys: { data: Q.data.slice(0, 9 * 24), shape: [9, 24] },
        validLens: [200, 61],
        softcap: 4,
      }).output,
    ];
  },
  'attention with tables of relative keys for each head': (attention) => {
    const relativeKeys = { data: Q.data.slice(0, 4 * 9 * 24), shape: [4, 9, 24] };
    return [attention.scaledDotProductAttention(Q, K, V, { relativeKeys }).output];
  },
  'grouped queries behind past keys': (attention) => {
    const [pastKey, pastValue] = [K, V].map(({ data }) => ({
      data: data.slice(0, 2 * 2 * 100 * 24),
      shape: [2, 2, 100, 24],
    }));
    const [key, value] = [K, V].map(({ data }) => ({
      data: data.slice(0, 2 * 2 * 200 * 24),
      shape: [2, 2, 200, 24],
    }));
    const { output, presentKey, presentValue } = attention.scaledDotProductAttention(Q, key!, value!, {
      pastKey,
      pastValue,
      isCausal: true,
    });
    return [output, presentKey!, presentValue!];
  },
  'attention into an array of the caller, that of its query': (attention) => {
    const query = { data: Float32Array.from(Q.data), shape: Q.shape };
    const { output } = attention.scaledDotProductAttention(query, K, V, { out: { output: query.data } });
    expect(output.data).toBe(query.data);
    return [output];
  },
  'a product into an array of the caller, that of its input': (attention) => {
    const layer = new attention.Linear({ inFeatures: 96, outFeatures: 96, seed: 1 });
    const x = { data: Float32Array.from(X.data), shape: X.shape };
    const { output } = layer.forward(x, { out: { output: x.data } });
    layer.dispose();
    expect(output.data).toBe(x.data);
    return [output];
  },
  'a product of few rows': (attention) => {
    const layer = new attention.Linear({ inFeatures: 640, outFeatures: 1000, seed: 1 });
    const { output } = layer.forward({ data: X.data.slice(0, 7 * 640), shape: [7, 640] });
    layer.dispose();
    return [output];
  },
  'one query against many keys': (attention) => {
    const query = { data: Q.data.slice(0, 2 * 4 * 24), shape: [2, 4, 1, 24] };
    return [attention.scaledDotProductAttention(query, K, V).output];
  },
  'gradients of attention': (attention) => {
    const { query, key, value } = attention.scaledDotProductAttentionBackward(G, Q, K, V, { isCausal: true });
    return [query, key, value];
  },
  'gradients of a bias': (attention) => {
    const bias = { data: Q.data.slice(0, 200), shape: [1, 1, 1, 200] };
    const { query, bias: gradBias } = attention.scaledDotProductAttentionBackward(G, Q, K, V, { bias });
    return [query, gradBias!];
  },
  'multi-head attention': (attention) => {
    const layer = new attention.MultiHeadAttention({ numHiddens: 96, numHeads: 8, seed: 1 });
    const { output, weights } = layer.forward(X, X, X, { needWeights: true });
    layer.dispose();
    return [output, weights!];
  },
  'a linear layer and its gradients': (attention) => {
    const layer = new attention.Linear({ inFeatures: 96, outFeatures: 300, seed: 1 });
    return trained(layer, layer.forward(X, TRAINING));
  },
  'a block of a language model': (attention) => {
    const layer = new attention.TransformerEncoderLayer({
      ...BLOCK,
      ffnHiddens: 160,
      norm: 'pre',
      normType: 'rms',
      feedForward: 'gated',
      numKvHeads: 2,
      headDim: 16,
      qkNorm: true,
      rotary: {},
      bias: false,
    });
    return trained(layer, layer.forward(TOKENS, { ...TRAINING, isCausal: true }), GRADIENT);
  },
  'a decoder layer': (attention) => {
    const layer = new attention.TransformerDecoderLayer({ ...BLOCK, ffnHiddens: 160 });
    return trained(layer, layer.forward(TOKENS, MEMORY, TRAINING), GRADIENT);
  },
  'an encoder layer': (attention) => {
    const layer = new attention.TransformerEncoderLayer({ ...BLOCK, ffnHiddens: 200 });
    return trained(layer, layer.forward(X, TRAINING));
  },
  'a masked softmax': (attention) => [attention.maskedSoftmax(Q, [200, 17])],
};
