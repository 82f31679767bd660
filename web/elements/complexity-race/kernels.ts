import type { Tensor, WasmAttention } from 'wasm-attention';
import { normalDraws } from '../shared/normal-draws.js';
import type { Contestant, Size } from './plan.js';

/** The head width of the whole layer. */
const HEAD_WIDTH = 64;

/**
 * Prepares inputs of this size and returns a function that runs the contestant once: from JavaScript arrays to
 * JavaScript arrays, one sequence, float32. Weights are scaled so that results stay of the order of 1.
 */
export function prepare(library: WasmAttention, contestant: Contestant, { n, d, k }: Size): () => void {
  switch (contestant) {
    case 'cnn': {
      const x = draws(1, [1, d, n]);
      const weight = draws(2, [d, d, k], 1 / Math.sqrt(d * k));
      return () => void library.conv1d(x, weight, { padding: k >> 1 });
    }
    case 'rnn': {
      const x = draws(1, [1, n, d]);
      const scale = 0.5 / Math.sqrt(d);
      const weights = { weightIh: draws(2, [d, d], scale), weightHh: draws(3, [d, d], scale) };
      return () => void library.rnn(x, weights);
    }
    case 'attention': {
      const [Q, K, V] = [draws(1, [n, d]), draws(2, [n, d]), draws(3, [n, d])];
      return () => void library.scaledDotProductAttention(Q, K, V);
    }
    case 'layer': {
      const X = draws(1, [1, n, d]);
      const numHeads = Math.max(1, d / HEAD_WIDTH);
      const layer = new library.MultiHeadAttention({ numHiddens: d, numHeads });
      return () => void layer.forward(X, X, X);
    }
  }
}

function draws(seed: number, shape: readonly number[], scale = 1): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  return { data: normalDraws(count, seed).map((value) => value * scale), shape };
}
