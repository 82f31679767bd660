import type { AttentionOptions, WasmAttention } from 'wasm-attention';
import { flag, oneOf, whole, type Values } from '../shared/settings.js';

/** Tokens of the sequence. */
export const TOKENS = 24;

/** Most heads that ALiBi's slopes are shown for. */
export const MOST_HEADS = 16;
export const SCHEMES = ['alibi', 't5', 'shaw'] as const;

/**
 * The settings of `<relative-biases>`. Of ALiBi only `heads` and `head` count, of T5 `buckets`, `distance` and `bidirectional`, of Shaw
 * `clip`.
 */
export const settings = {
  /** `alibi` (default), `t5` or `shaw`. */
  scheme: oneOf(...SCHEMES),
  /** ALiBi's number of heads. */
  heads: whole(8, 2, MOST_HEADS),
  /** Which of them, from 1. If there are fewer, the last. */
  head: whole(1, 1, MOST_HEADS),
  /** T5's number of buckets, even. */
  buckets: whole(8, 4, 16, 2),
  /** T5's maximum distance, 9 to 24: this and all that are larger share a bucket. */
  distance: whole(16, 9, TOKENS),
  /** Whether half of T5's buckets are for keys ahead of the query. */
  bidirectional: flag(true),
  /** Shaw's clip distance. */
  clip: whole(4, 1, 12),
  /** Whether keys ahead of the query are masked. */
  causal: flag(true),
};
export type BiasSettings = Values<typeof settings>;

const shape = [1, TOKENS, 1];
const query = { data: new Float32Array(TOKENS).fill(1), shape };
const key = { data: new Float32Array(TOKENS), shape };

/**
 * What is added to the score of each pair, (TOKENS, TOKENS), −∞ where the causal mask hides the key. Shaw adds vectors
 * to the keys, so there it is the offset whose vector is added. The keys are zeros, so attention's scores are nothing
 * else.
 */
export function biasOf(library: WasmAttention, settings: BiasSettings): Float32Array {
  const options = { ...added(library, settings), isCausal: settings.causal, needScores: 'masked' } as const;
  return library.scaledDotProductAttention(query, key, key, options).scores!.data;
}

function added(library: WasmAttention, settings: BiasSettings): AttentionOptions {
  const { scheme, heads, head, clip } = settings;
  if (scheme === 'alibi') {
    const bias = library.alibiBias({ numHeads: heads, queryLength: TOKENS, symmetric: true });
    const size = TOKENS * TOKENS;
    return { bias: { data: bias.data.subarray((head - 1) * size, head * size), shape: [TOKENS, TOKENS] } };
  }
  const table = tableOf(settings);
  const rows = { data: table, shape: [table.length, 1] };
  // The query is 1, so its product with the vector of an offset is the offset.
  if (scheme === 'shaw') return { relativeKeys: { data: table, shape: [2 * clip + 1, 1] } };
  return { bias: library.t5RelativeBias(rows, bucketing(settings)) };
}

/** One number for each row: T5's are invented, Shaw's are the offsets themselves. */
export function tableOf({ scheme, buckets, clip }: BiasSettings): Float32Array {
  return scheme === 'shaw'
    ? Float32Array.from({ length: 2 * clip + 1 }, (_, row) => row - clip)
    : Float32Array.from({ length: buckets }, (_, row) => invented(row));
}

/** Multiples of the golden ratio without their whole part, from −1 to 1: neighbours are far apart. */
function invented(row: number): number {
  return 2 * (((row + 1) * 0.618034) % 1) - 1;
}

function bucketing({ bidirectional, distance }: BiasSettings) {
  return { queryLength: TOKENS, bidirectional, maxDistance: distance };
}

/**
 * The row of the table for each offset from −(TOKENS − 1) on, as far as the mask lets keys through; ALiBi has one for
 * each offset.
 */
export function rowsOf(library: WasmAttention, settings: BiasSettings): number[] {
  const { scheme, buckets, clip, causal } = settings;
  const offsets = Array.from({ length: causal ? TOKENS : 2 * TOKENS - 1 }, (_, at) => at - (TOKENS - 1));
  if (scheme === 'alibi') return offsets.map((_, at) => at);
  if (scheme === 'shaw') return offsets.map((offset) => Math.max(-clip, Math.min(clip, offset)) + clip);
  const all = library.t5RelativeBuckets({ ...bucketing(settings), numBuckets: buckets }).data;
  return offsets.map((offset) => all[offset < 0 ? -offset * TOKENS : offset]!);
}

/** What is added at each of these offsets. */
export function valuesOf(bias: Float32Array, count: number): number[] {
  return Array.from({ length: count }, (_, at) => {
    const offset = at - (TOKENS - 1);
    return bias[offset < 0 ? -offset * TOKENS : offset]!;
  });
}

/** The slope of the head. */
export function slopeOf(library: WasmAttention, { heads, head }: BiasSettings): number {
  return library.alibiSlopes(heads).data[head - 1]!;
}

/**
 * The ends of the colours, in tenths at most: the same for all heads, and for all tables of a scheme that have the same
 * number of rows.
 */
export function domainOf(library: WasmAttention, settings: BiasSettings): readonly [number, number] {
  if (settings.scheme === 't5') return [-1, 1];
  if (settings.scheme === 'shaw') return [-settings.clip, settings.clip];
  const steepest = Math.max(...library.alibiSlopes(settings.heads).data);
  return [-Math.ceil(10 * steepest * (TOKENS - 1)) / 10, 0];
}
