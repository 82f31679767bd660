import type { MultiHeadAttention, Tensor, WasmAttention } from 'wasm-attention';
import { normalDraws } from '../shared/normal-draws.js';

/** Half of a token's vector is its embedding, the other half its position. */
export const HALF = 32;
export const WIDTH = 2 * HALF;
/** The heads in order. The first four have weights set by hand, the others random ones. */
export const HEADS = ['same', 'previous', 'next', 'near', 'random', 'random'] as const;
/** The length of each half: a row of P has HALF / 2 pairs (sine, cosine) of length 1. */
export const NORM = Math.sqrt(HALF / 2);

/**
 * Factors on q·k after the division by √HALF. Equal tokens have q·k = 16, different ones about 0 ± 3: a factor of 0.4
 * separates them. For neighbouring rows of P, q·k is 0.7 smaller than for equal ones: a factor of 8 selects one
 * position, and 0.6 about ten.
 */
const FACTORS = { same: 0.4, previous: 8, next: 8, near: 0.6 } as const;
/**
 * The scale of random weights, which gives scores a standard deviation of about 2. With a new layer's smaller weights,
 * attention would be almost uniform.
 */
const RANDOM_DEVIATION = 0.25;

/**
 * The figure's layer: six heads over vectors of an embedding and a position. W_q and W_k, (6·32, 64), head by head:
 * `same` compares embeddings and `near` positions; `previous` and `next` rotate the query's position by one with the
 * matrix of the offset −1 or 1, so that it equals the neighbour's; `random` draws all numbers.
 */
export function designedLayer(library: WasmAttention, seed: number): MultiHeadAttention {
  const layer = new library.MultiHeadAttention({
    numHiddens: HEADS.length * HALF,
    numHeads: HEADS.length,
    querySize: WIDTH,
    keySize: WIDTH,
    valueSize: WIDTH,
    seed: 1,
  });
  layer.loadStateDict({ ...layer.stateDict(), ...designedWeights(library, seed) });
  return layer;
}

/** `W_q.weight` and `W_k.weight` of that layer. */
export function designedWeights(library: WasmAttention, seed: number): Record<string, Tensor> {
  const shape = [HEADS.length * HALF, WIDTH];
  const query = new Float32Array(HEADS.length * HALF * WIDTH);
  const key = new Float32Array(query.length);
  const size = HALF * WIDTH;
  HEADS.forEach((kind, head) => {
    const block = (all: Float32Array): Float32Array => all.subarray(head * size, (head + 1) * size);
    if (kind === 'random') {
      const draws = normalDraws(2 * size, seed + 1000 * head).map((draw) => draw * RANDOM_DEVIATION);
      block(query).set(draws.subarray(0, size));
      block(key).set(draws.subarray(size));
      return;
    }
    const factor = FACTORS[kind] * Math.sqrt(HALF);
    const delta = kind === 'previous' ? -1 : kind === 'next' ? 1 : 0;
    const from = kind === 'same' ? 0 : HALF;
    // For δ = 0 the matrices are the identity, as embeddings need.
    const turns = library.encodingRotation({ delta, dim: HALF }).data;
    const stays = library.encodingRotation({ delta: 0, dim: HALF }).data;
    placePairs(block(query), turns, from, factor);
    placePairs(block(key), stays, from, 1);
  });
  return { 'W_q.weight': { data: query, shape }, 'W_k.weight': { data: key, shape } };
}

/** Puts 2×2 matrices (HALF/2, 2, 2) along the diagonal of one half of a (HALF, WIDTH) block, times `factor`. */
function placePairs(block: Float32Array, pairs: Float32Array, from: number, factor: number): void {
  for (let i = 0; i < pairs.length; ++i) {
    const [pair, row, column] = [i >> 2, (i >> 1) & 1, i & 1];
    block[(2 * pair + row) * WIDTH + from + 2 * pair + column] = factor * (pairs[i] ?? NaN);
  }
}

/** The vectors of a sequence, (1, n, WIDTH): embeddings beside rows of P, or beside zeros without positions. */
export function vectorsOf(library: WasmAttention, embeddings: Float32Array, positions: boolean): Tensor {
  const length = embeddings.length / HALF;
  const data = new Float32Array(length * WIDTH);
  const P = library.sinusoidalEncoding({ length, dim: HALF }).data;
  for (let row = 0; row < length; ++row) {
    data.set(embeddings.subarray(row * HALF, (row + 1) * HALF), row * WIDTH);
    if (positions) data.set(P.subarray(row * HALF, (row + 1) * HALF), row * WIDTH + HALF);
  }
  return { data, shape: [1, length, WIDTH] };
}
