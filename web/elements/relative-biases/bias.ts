import type { AttentionOptions, WasmAttention } from 'wasm-attention';
import { flag, oneOf, whole, type Values } from '../shared/settings.js';

/** The number of tokens. */
export const TOKENS = 24;

/** The most heads of ALiBi's slopes. */
export const MAX_HEADS = 16;
export const SCHEMES = ['alibi', 't5', 'shaw'] as const;
export const NAMES = { alibi: 'ALiBi', t5: 'T5', shaw: 'Shaw' } as const;

/**
 * The settings of `<relative-biases>`. ALiBi uses `heads` and `head`, T5 `buckets`, `distance` and `bidirectional`,
 * Shaw `clip`.
 */
export const settings = {
  /** `alibi` (default), `t5` or `shaw`. */
  scheme: oneOf(...SCHEMES),
  /** ALiBi's number of heads. */
  heads: whole(8, 2, MAX_HEADS),
  /** The head, from 1, at most `heads`. */
  head: whole(1, 1, MAX_HEADS),
  /** T5's number of buckets, even. */
  buckets: whole(8, 4, 16, 2),
  /** T5's maximum distance, 9 to 24: it and all larger ones share a bucket. */
  distance: whole(16, 9, TOKENS),
  /** Whether half of T5's buckets are for keys after the query. */
  bidirectional: flag(true),
  /** Shaw's clip distance. */
  clip: whole(4, 1, 12),
  /** Whether keys after the query are masked. */
  causal: flag(true),
};
export type BiasSettings = Values<typeof settings>;

const shape = [1, TOKENS, 1];
const query = { data: new Float32Array(TOKENS).fill(1), shape };
const key = { data: new Float32Array(TOKENS), shape };

/**
 * The number added to the score of each pair, (TOKENS, TOKENS), −∞ if the causal mask hides the key. Shaw adds vectors
 * to the keys, so there it is the offset of the vector. The keys are zeros, so attention's scores contain nothing else.
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
  // The query is 1, so its product with an offset's vector is the offset.
  if (scheme === 'shaw') return { relativeKeys: { data: table, shape: [2 * clip + 1, 1] } };
  return { bias: library.t5RelativeBias(rows, bucketing(settings)) };
}

/** One number per row: invented ones for T5, the offsets themselves for Shaw. */
export function tableOf({ scheme, buckets, clip }: BiasSettings): Float32Array {
  return scheme === 'shaw'
    ? Float32Array.from({ length: 2 * clip + 1 }, (_, row) => row - clip)
    : Float32Array.from({ length: buckets }, (_, row) => invented(row));
}

/** Fractional parts of multiples of the golden ratio, scaled to −1 to 1: neighbours are far apart. */
function invented(row: number): number {
  return 2 * (((row + 1) * 0.618034) % 1) - 1;
}

function bucketing({ bidirectional, distance }: BiasSettings) {
  return { queryLength: TOKENS, bidirectional, maxDistance: distance };
}

/** The table's row for each offset from −(TOKENS − 1) on that the mask leaves visible; ALiBi has one per offset. */
export function rowsOf(library: WasmAttention, settings: BiasSettings): number[] {
  const { scheme, buckets, clip, causal } = settings;
  const offsets = Array.from({ length: causal ? TOKENS : 2 * TOKENS - 1 }, (_, at) => at - (TOKENS - 1));
  if (scheme === 'alibi') return offsets.map((_, at) => at);
  if (scheme === 'shaw') return offsets.map((offset) => Math.max(-clip, Math.min(clip, offset)) + clip);
  const all = library.t5RelativeBuckets({ ...bucketing(settings), numBuckets: buckets }).data;
  return offsets.map((offset) => all[offset < 0 ? -offset * TOKENS : offset]!);
}

/** The number added at each of these offsets. */
export function valuesOf(bias: Float32Array, count: number): number[] {
  return Array.from({ length: count }, (_, at) => {
    const offset = at - (TOKENS - 1);
    return bias[offset < 0 ? -offset * TOKENS : offset]!;
  });
}

/** The head's slope. */
export function slopeOf(library: WasmAttention, { heads, head }: BiasSettings): number {
  return library.alibiSlopes(heads).data[head - 1]!;
}

/**
 * The range of the colours, rounded to tenths: the same for all heads, and for all tables of a scheme with equally many
 * rows.
 */
export function domainOf(library: WasmAttention, settings: BiasSettings): readonly [number, number] {
  if (settings.scheme === 't5') return [-1, 1];
  if (settings.scheme === 'shaw') return [-settings.clip, settings.clip];
  const steepest = Math.max(...library.alibiSlopes(settings.heads).data);
  return [-Math.ceil(10 * steepest * (TOKENS - 1)) / 10, 0];
}
