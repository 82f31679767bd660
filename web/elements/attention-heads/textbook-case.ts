import type { Tensor } from 'wasm-attention';
import { normalDraws } from '../shared/normal-draws.js';
import { oneOf, several, whole, type Values } from '../shared/settings.js';

/** The textbook's case: two sequences of four tokens, one hundred wide, five heads. */
export const BATCH = 2;
export const TOKENS = 4;
export const NUM_HIDDENS = 100;
export const NUM_HEADS = 5;

/** Seeds of a random X: more than a reader will draw. */
export const LAST_SEED = 9999;

/** The settings of `<attention-heads>`. */
export const settings = {
  /** Valid length of each sequence. */
  validLens: several([3, 2], whole(0, 0, TOKENS), { least: BATCH, most: BATCH }),
  /** Which lengths apply: `validLens` (`sequence`, the default) or `queryLens` (`query`). */
  lengths: oneOf('sequence', 'query'),
  /** Valid length of each query of the first sequence, then of the second. */
  queryLens: several([1, 2, 3, 4, 1, 2, 2, 0], whole(0, 0, TOKENS), {
    least: BATCH * TOKENS,
    most: BATCH * TOKENS,
  }),
  /** The contents of X: `random` (default), standard normal numbers, or `ones`. */
  input: oneOf('random', 'ones'),
  /** Seed of the random X. */
  seed: whole(1, 1, LAST_SEED),
};
export type HeadsSettings = Values<typeof settings>;

/** The textbook's X, (BATCH, TOKENS, NUM_HIDDENS): all ones, or standard normal numbers. */
export function inputOf(input: 'ones' | 'random', seed: number): Tensor {
  const size = BATCH * TOKENS * NUM_HIDDENS;
  const data = input === 'random' ? normalDraws(size, seed) : new Float32Array(size).fill(1);
  return { data, shape: [BATCH, TOKENS, NUM_HIDDENS] };
}

/** One head's (TOKENS, TOKENS) weights over one sequence, out of (BATCH, NUM_HEADS, TOKENS, TOKENS). */
export function weightsOf(weights: Tensor, sequence: number, head: number): Float32Array {
  const size = TOKENS * TOKENS;
  const start = (sequence * NUM_HEADS + head) * size;
  return weights.data.subarray(start, start + size);
}

/** `(2, 4, 100)` */
export function shapeText(tensor: Tensor): string {
  return `(${tensor.shape.join(', ')})`;
}

/** `1 2 3 4 1 2 2 0` as one row per sequence, (BATCH, TOKENS): a valid length for each query. */
export function perQuery(lengths: readonly number[]): number[][] {
  return Array.from({ length: BATCH }, (_, sequence) => lengths.slice(sequence * TOKENS, (sequence + 1) * TOKENS));
}

/** (TOKENS, TOKENS), true where a query may attend: each to the keys below its own valid length. */
export function visibleKeys(lengths: readonly number[]): boolean[] {
  return lengths.flatMap((length) => Array.from({ length: TOKENS }, (_, key) => key < length));
}
