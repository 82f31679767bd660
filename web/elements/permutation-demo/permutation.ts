import type { MultiHeadAttention, Tensor, WasmAttention } from 'wasm-attention';
import { normalDraws } from '../shared/normal-draws.js';
import type { Setting } from '../shared/settings.js';
import { embeddingsOf } from '../shared/tokens.js';

/** The number of tokens, and the width of their vectors. */
export const COUNT = 5;
export const WIDTH = 8;
export const NUM_HEADS = 2;

/**
 * The length of an embedding. That of a normal draw is √WIDTH; twice as much makes a new layer's weights visibly
 * non-uniform.
 */
export const NORM = 2 * Math.sqrt(WIDTH);

/** An order of `COUNT` things: at each place the number of the thing there, counted from 1. */
export type Order = readonly number[];

/** The identity. */
export const FIRST: Order = Array.from({ length: COUNT }, (_, i) => i + 1);

/** An order as a figure's setting: `1 5 3 4 2`, each number once. */
export function orderSetting(initial: Order): Setting<Order> {
  return {
    initial,
    read: (text) => {
      const order = text
        .slice(0, 100)
        .trim()
        .split(/[\s,]+/)
        .map(Number);
      const sorted = [...order].sort((a, b) => a - b);
      return sorted.length === COUNT && sorted.every((number, i) => number === i + 1) ? order : undefined;
    },
    write: (order) => order.join(' '),
  };
}

/** A random order, the same for the same seed. Sorting random numbers makes all orders equally likely. */
export function shuffled(seed: number): Order {
  const draws = normalDraws(COUNT, seed);
  return [...FIRST].sort((a, b) => (draws[a - 1] ?? 0) - (draws[b - 1] ?? 0));
}

/** The order with the thing at place `from` moved one place forward (`by` = 1) or back (−1); unchanged at the ends. */
export function moved(order: Order, from: number, by: -1 | 1): Order {
  const to = from + by;
  if (to < 0 || to >= order.length) return order;
  const next = [...order];
  [next[from], next[to]] = [order[to] ?? 0, order[from] ?? 0];
  return next;
}

/** The rows of a matrix (COUNT, WIDTH) in that order: P·X. */
export function permuted(rows: Float32Array, order: Order): Float32Array {
  const result = new Float32Array(rows.length);
  order.forEach((number, place) => {
    result.set(rows.subarray((number - 1) * WIDTH, number * WIDTH), place * WIDTH);
  });
  return result;
}

/** Inputs and outputs before and after the permutation; each (COUNT, WIDTH). */
export interface PermutationScene {
  /** X and f(X). */
  readonly X: Float32Array;
  readonly Y: Float32Array;
  /** P·X and f(P·X). */
  readonly PX: Float32Array;
  readonly Z: Float32Array;
  /** max |f(P·X) − P·f(X)| in each row of f(P·X), and over all. */
  readonly differences: readonly number[];
  readonly residual: number;
}

/** The difference that another order of float32 operations can make: a few hundred roundings of numbers below 4. */
export const ROUNDING = 256 * 2 ** -24;

/** Runs f over the tokens in both orders: self-attention, after adding the positional encoding if `positions` is on. */
export function permutationScene(
  library: WasmAttention,
  layer: MultiHeadAttention,
  settings: {
    readonly tokens: readonly string[];
    readonly order: Order;
    readonly positions: boolean;
    readonly causal: boolean;
  },
): PermutationScene {
  const { tokens, order, positions, causal } = settings;
  const encoding = library.sinusoidalEncoding({ length: COUNT, dim: WIDTH }).data;
  const f = (rows: Float32Array): Float32Array => {
    const data = positions ? rows.map((value, i) => value + (encoding[i] ?? NaN)) : rows;
    const input: Tensor = { data, shape: [1, COUNT, WIDTH] };
    return layer.forward(input, input, input, { isCausal: causal }).output.data;
  };
  const X = embeddingsOf(tokens, WIDTH, NORM);
  const PX = permuted(X, order);
  const [Y, Z] = [f(X), f(PX)];
  const wanted = permuted(Y, order);
  const off = Array.from(Z, (value, i) => Math.abs(value - (wanted[i] ?? NaN)));
  const differences = order.map((_, place) => Math.max(...off.slice(place * WIDTH, (place + 1) * WIDTH)));
  return { X, Y, PX, Z, differences, residual: Math.max(...differences) };
}
