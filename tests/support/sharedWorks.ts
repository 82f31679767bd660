/** Calls whose work threads share, of every kind. They are far larger than what makes waking a thread worthwhile. */
import { expect } from '@jest/globals';
import type { WasmAttention } from 'wasm-attention';
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
    const { output, backward } = layer.forward(X, { training: true });
    const { input } = backward!(output);
    const gradients = layer.parameters().map(({ grad }) => ({ data: grad.slice() }));
    layer.dispose();
    return [output, input, ...gradients];
  },
  'a block of a language model': (attention) => {
    const layer = new attention.TransformerEncoderLayer({
      numHiddens: 96,
      numHeads: 8,
      ffnHiddens: 160,
      norm: 'pre',
      normType: 'rms',
      feedForward: 'gated',
      numKvHeads: 2,
      headDim: 16,
      qkNorm: true,
      rotary: {},
      bias: false,
      seed: 1,
    });
    const { output, backward } = layer.forward(TOKENS, {
      isCausal: true,
      training: true,
    });
    const { input } = backward!(GRADIENT);
    const grads = layer.parameters().map(({ grad }) => grad);
    layer.dispose();
    return [output, input, ...grads.map((data) => ({ data }))];
  },
  'a decoder layer': (attention) => {
    const layer = new attention.TransformerDecoderLayer({
      numHiddens: 96,
      numHeads: 8,
      ffnHiddens: 160,
      seed: 1,
    });
    const { output, backward } = layer.forward(TOKENS, MEMORY, {
      training: true,
    });
    const { input, memory } = backward!(GRADIENT);
    const grads = layer.parameters().map(({ grad }) => grad);
    layer.dispose();
    return [output, input, memory, ...grads.map((data) => ({ data }))];
  },
  'an encoder layer': (attention) => {
    const layer = new attention.TransformerEncoderLayer({
      numHiddens: 96,
      numHeads: 8,
      ffnHiddens: 200,
      seed: 1,
    });
    const { output, backward } = layer.forward(X, { training: true });
    const { input } = backward!(output);
    const gradients = layer.parameters().map(({ grad }) => ({ data: grad.slice() }));
    layer.dispose();
    return [output, input, ...gradients];
  },
  'a masked softmax': (attention) => [attention.maskedSoftmax(Q, [200, 17])],
};
