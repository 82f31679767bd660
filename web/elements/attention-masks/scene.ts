import type { WasmAttention } from 'wasm-attention';
import { normalDraws } from '../shared/normal-draws.js';
import { flag, several, whole, type Values } from '../shared/settings.js';

/** The number of queries and keys, and their width. */
export const LENGTH = 8;
export const DEPTH = 16;

/** Seeds of the draws: more than a reader will draw. */
export const LAST_SEED = 9999;

/** The settings of `<attention-masks>`. */
export const settings = {
  /** The valid length. */
  valid: whole(5, 0, LENGTH),
  /** Whether keys after the query are masked. */
  causal: flag(true),
  /** Whether keys outside the window are masked. */
  window: flag(true),
  /** How many keys the window shows before the query's own. */
  left: whole(2, 0, LENGTH - 1),
  /** How many it shows after it. */
  right: whole(0, 0, LENGTH - 1),
  /** The seed of queries and keys. */
  seed: whole(1, 1, LAST_SEED),
  /** Queries whose rows are framed. */
  marked: several([], whole(1, 1, LENGTH)),
  /** Whether there are goals. */
  goals: flag(true),
};
/** The settings on which masks and weights depend. */
export type MaskSettings = Omit<Values<typeof settings>, 'marked' | 'goals'>;

/** The masks in the order of the formula. */
export const FACTORS = ['padding', 'causal', 'window'] as const;
export type Factor = (typeof FACTORS)[number];

/** Matrices (LENGTH, LENGTH), row-major, queries by keys: true where a query may attend. */
export interface MaskScene extends Readonly<Record<Factor | 'mask', readonly boolean[]>> {
  readonly weights: Float32Array;
  /** The queries that see no key, from 0. */
  readonly empty: readonly number[];
}

/** The library's mask for each setting alone and for all active ones together: a pair is masked if its score is −∞. */
export function maskScene(library: WasmAttention, settings: MaskSettings): MaskScene {
  const { valid, causal, window, left, right, seed } = settings;
  const shape = [1, LENGTH, DEPTH];
  const size = LENGTH * DEPTH;
  const draws = normalDraws(2 * size, seed);
  const query = { data: draws.subarray(0, size), shape };
  const key = { data: draws.subarray(size), shape };
  const attend = (options: Parameters<WasmAttention['scaledDotProductAttention']>[3]) => {
    const asked = { ...options, needWeights: true, needScores: 'masked' } as const;
    const { scores, weights } = library.scaledDotProductAttention(query, key, key, asked);
    if (scores === undefined || weights === undefined) throw new Error('maskScene: expected scores and weights');
    return { visible: Array.from(scores.data, (score) => score !== -Infinity), weights: weights.data };
  };
  const options = {
    padding: { validLens: [valid] },
    causal: { isCausal: causal },
    window: window ? { window: [left, right] as const } : {},
  };
  const { visible: mask, weights } = attend({ ...options.padding, ...options.causal, ...options.window });
  const rows = Array.from({ length: LENGTH }, (_, row) => row);
  return {
    padding: attend(options.padding).visible,
    causal: attend(options.causal).visible,
    window: attend(options.window).visible,
    mask,
    weights,
    empty: rows.filter((row) => !mask.slice(row * LENGTH, (row + 1) * LENGTH).includes(true)),
  };
}
